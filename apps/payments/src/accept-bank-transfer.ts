import type { acceptBankTransferInput, Acceptance, CallContext } from '@vuka/contracts';
import {
  accountName, currencyDecimals, fail, formatDecimal, INITIAL_STATE, ok, postingLegs, serviceFee,
  type Result, type ServiceFeePolicy,
} from '@vuka/domain';
import { uuidv7, type Clock, type WakeSignal } from '@vuka/platform';
import type { z } from 'zod';

import type { DestinationVault } from './destination-vault.js';
import { referenceOf } from './posting-reference.js';
import type { Move, MoveOutcome } from './store/move.js';
import type { MoveWriter } from './store/move-writer.js';
import type { TransactionIds } from './store/transaction-ids.js';

export type AcceptBankTransferInput = z.output<typeof acceptBankTransferInput>;

const ACCEPTED_MESSAGE = 'Bank transfer accepted and being processed';

/**
 * Accepts a wallet-funded bank transfer: key, row, hold and P1 in one commit, or nothing at all.
 * Errors: insufficient_balance (nothing recorded), reference_reused (names the transaction that has the reference).
 * The same request again gets the same answer, `replayed`.
 */
export class AcceptBankTransfer {
  constructor(
    private readonly ids: TransactionIds,
    private readonly writer: MoveWriter,
    private readonly vault: DestinationVault,
    private readonly clock: Clock,
    private readonly fees: ServiceFeePolicy,
    /** Wakes whoever starts payouts. */
    private readonly accepted: WakeSignal,
  ) {}

  async run(input: AcceptBankTransferInput, context: CallContext): Promise<Result<Acceptance>> {
    const id = await this.ids.take();
    const amount = BigInt(input.amount_minor);
    const fee = serviceFee(input.currency, 'bank_transfer', amount, this.fees);
    const outcome = await this.writer.commit(this.toMove(id, input, context, amount, fee), 'foreground');
    if (outcome.outcome === 'ok') this.accepted.notify();
    return toAnswer(id, input, outcome, amount, fee);
  }

  private toMove(id: number, input: AcceptBankTransferInput, context: CallContext, amount: bigint, fee: bigint): Move {
    const state = INITIAL_STATE.wallet;
    const facts = { partner: input.partner_id, currency: input.currency, amount, serviceFee: fee };
    return {
      moveId: uuidv7(),
      transactionId: id,
      expectedSequence: 0,
      insertion: {
        terms: {
          id, partnerId: input.partner_id, transactionCode: input.transaction_code, operation: 'bank_transfer',
          currency: input.currency, amountMinor: amount, feeMinor: 0n, serviceFeeMinor: fee, callbackUrl: input.callback_url,
          requestId: context.requestId, traceparent: context.traceparent,
        },
        destination: this.vault.seal(id, input.currency, input.destination),
        fingerprint: input.fingerprint,
      },
      life: {
        state, sequence: 1, publicSequence: 0, attemptNo: 0, message: ACCEPTED_MESSAGE, failureCode: null,
        receiptNumber: null, publicName: null, dueAt: this.clock.now(), parkDeadline: null,
      },
      transitions: [{ from: null, to: state, event: 'accepted', attemptNo: 0, detail: '' }],
      hold: { open: amount + fee },
      postings: [{ reference: referenceOf('P1', id), kind: 'P1', legs: postingLegs('P1', facts) }],
      outbox: [],
    };
  }
}

function toAnswer(id: number, input: AcceptBankTransferInput, outcome: MoveOutcome, amount: bigint, fee: bigint): Result<Acceptance> {
  const acceptance = (transactionId: number, replayed: boolean): Result<Acceptance> =>
    ok({
      transaction_id: transactionId, status: 'PENDING', transaction_code: input.transaction_code, message: ACCEPTED_MESSAGE, replayed,
    });
  switch (outcome.outcome) {
    case 'ok':
      return acceptance(id, false);
    case 'exists':
      return acceptance(outcome.transactionId, true);
    case 'exists_different':
      return fail({
        code: 'reference_reused',
        message: `The reference ${input.transaction_code} belongs to another request: it names an existing transaction`,
        transactionCode: input.transaction_code,
      });
    case 'insufficient': {
      const decimals = currencyDecimals(input.currency);
      const text = (minor: bigint): string => formatDecimal(minor, decimals);
      return fail({
        code: 'insufficient_balance',
        message: `The ${input.currency} wallet does not cover ${text(amount + fee)} (amount ${text(amount)}, service fee ${text(fee)})`,
      });
    }
    case 'stale':
    case 'superseded':
      throw new Error(`a first move cannot be late (${accountName.wallet(input.partner_id, input.currency)})`);
  }
}
