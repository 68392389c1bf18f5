import { Inject, Injectable } from '@nestjs/common';
import { type acceptPayInput, type Acceptance, type CallContext, type Envelope, decodeAmount } from '@vuka/contracts';
import { type Currencies, fail, INITIAL_STATE, ok, type Result, decodeMoney, zero } from '@vuka/domain';
import { newEnvelope } from '@vuka/messaging';
import { type Clock, uuidv7 } from '@vuka/runtime';
import { CLOCK, CURRENCIES_IN_FORCE } from '@vuka/service-host';
import type { z } from 'zod';

import {
  type Insertion,
  type PaymentCommit,
  type VelocityCount,
  CommitWriter,
  TransactionIds,
} from '../../commit/index.js';
import { DestinationVault, TransactionStore } from '../../transactions/index.js';
import { acceptanceOf, ACCEPTED_MESSAGES, referenceReused } from './accept-payout.js';
import { limitExceeded, velocityCounts } from './velocity.js';

export type AcceptPayInput = z.output<typeof acceptPayInput>;

/**
 * Key, row, hash claim, quote use and the event to offramp in one commit. No hold before the deposit, no service
 * fee (it is in the rate). Velocity limits are judged here alone: once accepted, no limit stops what came. Errors:
 * limit_exceeded, reference_reused, hash_already_processed (both name the other transaction),
 * quote_used. A repeat gets the same answer, `replayed`.
 */
@Injectable()
export class AcceptPay {
  constructor(
    private readonly ids: TransactionIds,
    private readonly writer: CommitWriter,
    private readonly store: TransactionStore,
    private readonly vault: DestinationVault,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CURRENCIES_IN_FORCE) private readonly currencies: Currencies,
  ) {}

  run(input: AcceptPayInput, context: CallContext): Promise<Result<Acceptance>> {
    const { partner_id: partnerId, transaction_code: code } = input;
    return this.writer.whileRecording(partnerId, code, () => this.accept(input, context));
  }

  private async accept(input: AcceptPayInput, context: CallContext): Promise<Result<Acceptance>> {
    const id = await this.ids.take();
    const of = { transactionId: id, partnerId: input.partner_id, currency: input.currency };
    const destination = await this.vault.seal(of, input.destination);
    const velocity = velocityCounts(input, destination.blindIndex, this.currencies);
    const move = this.toCommit(id, input, context, { destination, velocity });
    const outcome = await this.writer.commit(move, 'foreground', context.deadline);
    switch (outcome.outcome) {
      case 'ok':
        return ok(acceptanceOf(id, 'pay', input.transaction_code, false));
      case 'exists':
        return ok(acceptanceOf(outcome.transactionId, 'pay', input.transaction_code, true));
      case 'exists_different':
        return referenceReused(input.transaction_code);
      case 'hash_claimed':
        return this.claimedBy(outcome.transactionId, input);
      case 'quote_used':
        return fail({ code: 'quote_used', message: 'The quote has been used by another payment: ask for a new one' });
      case 'limited':
        return limitExceeded(velocity[outcome.reached] as VelocityCount, decodeAmount(input), this.clock.now());
      default:
        throw new Error(`a first move that a deposit pays cannot be ${outcome.outcome}`);
    }
  }

  /** Claims are per partner, so the name reveals nothing of others. */
  private async claimedBy(transactionId: number, { chain }: AcceptPayInput): Promise<Result<never>> {
    const owner = await this.store.byId(transactionId);
    if (!owner) throw new Error(`transaction ${transactionId} has a claim and is gone`);
    const { transactionCode } = owner.details;
    return fail({
      code: 'hash_already_processed',
      message: `The transaction_hash has already been processed on ${chain}, by the transaction ${transactionCode}`,
      transactionCode,
    });
  }

  private toCommit(
    id: number,
    input: AcceptPayInput,
    context: CallContext,
    more: Pick<Insertion, 'destination' | 'velocity'>,
  ): PaymentCommit {
    const state = INITIAL_STATE.deposit;
    const now = this.clock.now();
    return {
      commitId: uuidv7(),
      transactionId: id,
      expectedSequence: 0,
      insertion: {
        details: {
          id,
          partnerId: input.partner_id,
          transactionCode: input.transaction_code,
          operation: 'pay',
          amount: decodeAmount(input),
          fee: decodeMoney(input.fee_minor, input.currency),
          serviceFee: zero(input.currency),
          callbackUrl: input.callback_url,
          requestId: context.requestId,
          traceparent: context.traceparent,
        },
        ...more,
        fingerprint: input.fingerprint,
        pay: {
          chain: input.chain,
          transactionHash: input.transaction_hash,
          asset: input.asset,
          quoteId: input.quote_id,
          refundAddress: input.refund_address,
        },
      },
      life: {
        state,
        sequence: 1,
        publicSequence: 0,
        attemptNo: 0,
        paidAttemptNo: null,
        message: ACCEPTED_MESSAGES.pay,
        failureCode: null,
        receiptNumber: null,
        publicName: null,
        dueAt: null,
        parkDeadline: null,
      },
      transitions: [{ from: null, to: state, event: 'accepted', attemptNo: 0, detail: '' }],
      postings: [],
      outbox: [questionOf(id, input, context, now)],
    };
  }
}

function questionOf(
  id: number,
  input: AcceptPayInput,
  { requestId, traceparent }: CallContext,
  now: Date,
): Envelope<'transaction.awaiting-deposit'> {
  return newEnvelope({
    type: 'transaction.awaiting-deposit',
    key: String(id),
    sequence: 1,
    occurredAt: now,
    correlationId: requestId,
    causationId: traceparent,
    producer: 'payments',
    data: {
      transaction_id: id,
      partner_id: input.partner_id,
      chain: input.chain,
      transaction_hash: input.transaction_hash,
      asset: input.asset,
      currency: input.currency,
      amount_minor: input.amount_minor,
      quote_id: input.quote_id,
      accepted_at: now.toISOString(),
    },
  });
}
