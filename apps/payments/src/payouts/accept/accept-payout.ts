import { Inject, Injectable } from '@nestjs/common';
import type { acceptPayoutInput, Acceptance, CallContext, PayoutOperation } from '@vuka/contracts';
import {
  accountName,
  currencyDecimals,
  fail,
  feeOn,
  formatDecimal,
  INITIAL_STATE,
  ok,
  postingLegs,
  serviceFee,
  type Currencies,
  type Result,
} from '@vuka/domain';
import { type Clock, uuidv7 } from '@vuka/runtime';
import { CLOCK, CURRENCIES_IN_FORCE } from '@vuka/service-host';
import type { z } from 'zod';

import { type Move, type MoveOutcome, MoveWriter, referenceOf, TransactionIds } from '../../commit/index.js';
import { PayoutWake } from '../../due-work/index.js';
import { DestinationVault } from '../../transactions/index.js';

export type AcceptPayoutInput = z.output<typeof acceptPayoutInput>;

/** What each operation's acceptance says, at the first time and at every repeat. */
export const ACCEPTED_MESSAGES: Readonly<Record<PayoutOperation, string>> = {
  bank_transfer: 'Bank transfer accepted and being processed',
  disburse: 'Payout accepted and being processed',
  pay: 'Payment accepted and waiting for its deposit',
};

/** What a payout costs, in minor units of its currency. */
interface Cost {
  readonly amount: bigint;
  /** Ours, on top of the amount and from the wallet. */
  readonly serviceFee: bigint;
}

/**
 * Accepts a payout from the wallet, a bank transfer among them: key, row, hold and P1 in one commit, or nothing at all.
 * Errors: insufficient_balance (nothing recorded), reference_reused (names the transaction that has the reference).
 * The same request again gets the same answer, `replayed`.
 */
@Injectable()
export class AcceptPayout {
  constructor(
    private readonly ids: TransactionIds,
    private readonly writer: MoveWriter,
    private readonly vault: DestinationVault,
    @Inject(CLOCK) private readonly clock: Clock,
    /** With the service fees of this deployment: of partners who have agreed on none of their own. */
    @Inject(CURRENCIES_IN_FORCE) private readonly currencies: Currencies,
    /** Wakes whoever starts payouts. */
    private readonly wake: PayoutWake,
  ) {}

  async run(input: AcceptPayoutInput, context: CallContext): Promise<Result<Acceptance>> {
    const id = await this.ids.take();
    const amount = BigInt(input.amount_minor);
    const cost = { amount, serviceFee: this.feeOf(input, amount) };
    const outcome = await this.writer.commit(this.toMove(id, input, context, cost), 'foreground', context.deadline);
    if (outcome.outcome === 'ok') this.wake.starts.notify();
    return toAnswer(id, input, outcome, cost);
  }

  /** Agreed with the partner, which gateway knows; else this deployment's. */
  private feeOf({ service_fee: agreed, currency, operation }: AcceptPayoutInput, amount: bigint): bigint {
    if (agreed)
      return feeOn(amount, { flatMinor: BigInt(agreed.flat_minor), basisPoints: BigInt(agreed.basis_points) });
    return serviceFee(currency, operation, amount, this.currencies);
  }

  private toMove(id: number, input: AcceptPayoutInput, context: CallContext, cost: Cost): Move {
    const state = INITIAL_STATE.wallet;
    const facts = { partner: input.partner_id, currency: input.currency, ...cost };
    return {
      moveId: uuidv7(),
      transactionId: id,
      expectedSequence: 0,
      insertion: {
        details: {
          id,
          partnerId: input.partner_id,
          transactionCode: input.transaction_code,
          operation: input.operation,
          currency: input.currency,
          amountMinor: cost.amount,
          feeMinor: BigInt(input.fee_minor),
          serviceFeeMinor: cost.serviceFee,
          callbackUrl: input.callback_url,
          requestId: context.requestId,
          traceparent: context.traceparent,
        },
        destination: this.vault.seal(id, input.currency, input.destination),
        fingerprint: input.fingerprint,
      },
      life: {
        state,
        sequence: 1,
        publicSequence: 0,
        attemptNo: 0,
        paidAttemptNo: null,
        message: ACCEPTED_MESSAGES[input.operation],
        failureCode: null,
        receiptNumber: null,
        publicName: null,
        dueAt: this.clock.now(),
        parkDeadline: null,
      },
      transitions: [{ from: null, to: state, event: 'accepted', attemptNo: 0, detail: '' }],
      hold: { open: cost.amount + cost.serviceFee, partnerId: input.partner_id, currency: input.currency },
      postings: [{ reference: referenceOf('P1', id), kind: 'P1', legs: postingLegs('P1', facts) }],
      outbox: [],
    };
  }
}

/** What accepting came to, as whoever asked is told it. */
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
  outcome: MoveOutcome,
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
      const decimals = currencyDecimals(input.currency);
      const text = (minor: bigint): string => formatDecimal(minor, decimals);
      return fail({
        code: 'insufficient_balance',
        message: `The ${input.currency} wallet does not cover ${text(amount + fee)} (amount ${text(amount)}, service fee ${text(fee)})`,
      });
    }
    default:
      throw new Error(
        `a first move from a wallet cannot be ${outcome.outcome} (${accountName.wallet(input.partner_id, input.currency)})`,
      );
  }
}
