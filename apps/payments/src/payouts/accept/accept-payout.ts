import { Inject, Injectable } from '@nestjs/common';
import {
  type acceptPayoutInput,
  type Acceptance,
  type CallContext,
  type PayoutOperation,
  decodeAmount,
} from '@vuka/contracts';
import {
  accountName,
  add,
  decodeMoney,
  fail,
  feeOn,
  formatMoney,
  INITIAL_STATE,
  ok,
  postingLegs,
  serviceFee,
  type Currencies,
  type Money,
  type Result,
} from '@vuka/domain';
import { type Clock, uuidv7 } from '@vuka/runtime';
import { CLOCK, CURRENCIES_IN_FORCE } from '@vuka/service-host';
import type { z } from 'zod';

import {
  type PaymentCommit,
  type CommitOutcome,
  type Insertion,
  CommitWriter,
  referenceOf,
  TransactionIds,
} from '../../commit/index.js';
import { PayoutWake } from '../../due-work/index.js';
import { DestinationVault } from '../../transactions/index.js';
import { limitExceeded, velocityCounts } from './velocity.js';

export type AcceptPayoutInput = z.output<typeof acceptPayoutInput>;

/** For the first answer and for repeats. */
export const ACCEPTED_MESSAGES: Readonly<Record<PayoutOperation, string>> = {
  bank_transfer: 'Bank transfer accepted and being processed',
  disburse: 'Payout accepted and being processed',
  pay: 'Payment accepted and waiting for its deposit',
};

interface Cost {
  readonly amount: Money;
  /** Ours, on top of the amount. */
  readonly serviceFee: Money;
}

/**
 * Key, row, hold and payout_held in one commit. Errors: insufficient_balance and limit_exceeded (nothing recorded),
 * reference_reused (names the other transaction). A repeat gets the same answer, `replayed`.
 */
@Injectable()
export class AcceptPayout {
  constructor(
    private readonly ids: TransactionIds,
    private readonly writer: CommitWriter,
    private readonly vault: DestinationVault,
    @Inject(CLOCK) private readonly clock: Clock,
    /** With the default service fees. */
    @Inject(CURRENCIES_IN_FORCE) private readonly currencies: Currencies,
    private readonly wake: PayoutWake,
  ) {}

  run(input: AcceptPayoutInput, context: CallContext): Promise<Result<Acceptance>> {
    const { partner_id: partnerId, transaction_code: code } = input;
    return this.writer.whileRecording(partnerId, code, () => this.accept(input, context));
  }

  private async accept(input: AcceptPayoutInput, context: CallContext): Promise<Result<Acceptance>> {
    const id = await this.ids.take();
    const amount = decodeAmount(input);
    const cost = { amount, serviceFee: this.feeOf(input, amount) };
    const of = { transactionId: id, partnerId: input.partner_id, currency: input.currency };
    const destination = await this.vault.seal(of, input.destination);
    const velocity = velocityCounts(input, destination.blindIndex, this.currencies);
    const insertion = { ...insertionOf(id, input, context, cost), destination, velocity };
    const outcome = await this.writer.commit(this.toCommit(insertion), 'foreground', context.deadline);
    if (outcome.outcome === 'ok') this.wake.starts.notify();
    const reached = outcome.outcome === 'limited' ? velocity[outcome.reached] : undefined;
    return reached ? limitExceeded(reached, amount, this.clock.now()) : toAnswer(id, input, outcome, cost);
  }

  /** The partner's fee from gateway, else the default. */
  private feeOf({ service_fee: agreed, operation }: AcceptPayoutInput, amount: Money): Money {
    if (agreed)
      return feeOn(amount, { flatMinor: BigInt(agreed.flat_minor), basisPoints: BigInt(agreed.basis_points) });
    return serviceFee(operation, amount, this.currencies);
  }

  private toCommit(insertion: Insertion): PaymentCommit {
    const state = INITIAL_STATE.wallet;
    const { id, partnerId, operation, amount, serviceFee: charged } = insertion.details;
    const facts = { partner: partnerId, amount, serviceFee: charged };
    return {
      commitId: uuidv7(),
      transactionId: id,
      expectedSequence: 0,
      insertion,
      life: {
        state,
        sequence: 1,
        publicSequence: 0,
        attemptNo: 0,
        paidAttemptNo: null,
        message: ACCEPTED_MESSAGES[operation as PayoutOperation],
        failureCode: null,
        receiptNumber: null,
        publicName: null,
        dueAt: this.clock.now(),
        parkDeadline: null,
      },
      transitions: [{ from: null, to: state, event: 'accepted', attemptNo: 0, detail: '' }],
      hold: { open: add(amount, charged), partnerId },
      postings: [
        { reference: referenceOf('payout_held', id), kind: 'payout_held', legs: postingLegs('payout_held', facts) },
      ],
      outbox: [],
    };
  }
}

function insertionOf(
  id: number,
  input: AcceptPayoutInput,
  context: CallContext,
  cost: Cost,
): Omit<Insertion, 'destination'> {
  return {
    details: {
      id,
      partnerId: input.partner_id,
      transactionCode: input.transaction_code,
      operation: input.operation,
      ...cost,
      fee: decodeMoney(input.fee_minor, input.currency),
      callbackUrl: input.callback_url,
      requestId: context.requestId,
      traceparent: context.traceparent,
    },
    fingerprint: input.fingerprint,
  };
}

export function acceptanceOf(
  transactionId: number,
  operation: PayoutOperation,
  transactionCode: string,
  replayed: boolean,
): Acceptance {
  return {
    transaction_id: transactionId,
    status: 'PENDING',
    transaction_code: transactionCode,
    message: ACCEPTED_MESSAGES[operation],
    replayed,
  };
}

export function referenceReused(transactionCode: string): Result<never> {
  return fail({
    code: 'reference_reused',
    message: `The reference ${transactionCode} belongs to another request: it names an existing transaction`,
    transactionCode,
  });
}

function toAnswer(
  id: number,
  input: AcceptPayoutInput,
  outcome: CommitOutcome,
  { amount, serviceFee: fee }: Cost,
): Result<Acceptance> {
  const acceptance = (transactionId: number, replayed: boolean): Result<Acceptance> =>
    ok(acceptanceOf(transactionId, input.operation, input.transaction_code, replayed));
  switch (outcome.outcome) {
    case 'ok':
      return acceptance(id, false);
    case 'exists':
      return acceptance(outcome.transactionId, true);
    case 'exists_different':
      return referenceReused(input.transaction_code);
    case 'insufficient': {
      return fail({
        code: 'insufficient_balance',
        message: `The ${input.currency} wallet does not cover ${formatMoney(add(amount, fee))} (amount ${formatMoney(amount)}, service fee ${formatMoney(fee)})`,
      });
    }
    default:
      throw new Error(
        `a first move from a wallet cannot be ${outcome.outcome} (${accountName.wallet(input.partner_id, input.currency)})`,
      );
  }
}
