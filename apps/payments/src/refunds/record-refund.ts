import { Inject, Injectable } from '@nestjs/common';
import type { Envelope } from '@vuka/contracts';
import {
  decideRefund,
  postingLegs,
  tokenRate,
  type PostingName,
  type RefundOutcome,
  type RefundSubject,
} from '@vuka/domain';
import { PermanentEventError } from '@vuka/messaging';
import { type Logger, uuidv7 } from '@vuka/runtime';
import { LOGGER } from '@vuka/service-host';

import { type DepositState, type PaymentCommit, CommitWriter, type Posting, referenceOf } from '../commit/index.js';
import { CONSUMER_GROUP, CreditDeposit } from '../deposits/index.js';
import { PayoutWake } from '../due-work/index.js';
import { debtOf } from '../orders/index.js';
import { type KeptRefund, RefundStore, refundTold } from '../value/index.js';

export type RefundEvent =
  Envelope<'refund.signed'> | Envelope<'refund.broadcast'> | Envelope<'refund.confirmed'> | Envelope<'refund.failed'>;

const MAX_TRIES = 3;

/** At most once per deposit, so the reference has the deposit's id. */
const OF_THE_DEPOSIT: ReadonlySet<PostingName> = new Set<PostingName>([
  'deposit_vanished_paid',
  'refunding_deposit_vanished',
  'refunding_deposit_restored',
]);

const DEPOSIT_AFTER: Readonly<Partial<Record<PostingName, DepositState>>> = {
  refund_failed_to_unapplied: 'unapplied',
  refund_failed_to_wallet: 'credited',
  refunding_deposit_vanished: 'reverted',
};

/**
 * In one commit with its postings. Repeats, late and disordered events change nothing; a reversal of the deposit
 * may come before or after (libs/domain, REFUND_TABLE).
 */
@Injectable()
export class RecordRefund {
  constructor(
    private readonly refunds: RefundStore,
    private readonly writer: CommitWriter,
    /** A policy credit may have come before the refund failed. */
    private readonly credits: CreditDeposit,
    private readonly wake: PayoutWake,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * Resolves when durable. Throws PermanentEventError if the refund is unknown or another partner's, and an error
   * if others are faster three times.
   */
  async run(event: RefundEvent): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const refund = await this.refunds.byId(event.data.refund_id);
      if (!refund) throw new PermanentEventError('refund_id: the ledger holds no such refund');
      if (refund.partnerId !== event.data.partner_id)
        throw new PermanentEventError("partner_id: the refund is another partner's");
      const decided = decideRefund(subjectOf(refund, event), event.type);
      if (decided.kind === 'ignore') return this.creditWhatCameFirst(refund, event);
      const { outcome } = await this.writer.commit(
        { ...toCommit(refund, decided, event), outbox: await this.told(refund, decided, event) },
        'background',
      );
      if (outcome === 'ok') this.tell(refund, decided, event);
      if (outcome === 'ok' || outcome === 'exists' || outcome === 'seen')
        return this.creditWhatCameFirst(refund, event);
      if (outcome !== 'stale')
        throw new Error(`refund ${refund.refundId}: ${event.type} in ${refund.state} was answered ${outcome}`);
    }
    throw new Error(`refund ${event.data.refund_id} was changed by others ${MAX_TRIES} times in a row`);
  }

  private async creditWhatCameFirst({ depositId }: KeptRefund, event: RefundEvent): Promise<void> {
    if (event.type === 'refund.failed') await this.credits.creditAmong([depositId]);
  }

  private async told(refund: KeptRefund, decided: RefundOutcome, event: RefundEvent): Promise<PaymentCommit['outbox']> {
    const to = decided.to ?? refund.state;
    if (to === refund.state) return [];
    const { state: from, failure, transactionHash } = refund;
    const ended = to === 'FAILED' ? { failure: reasonOf(event) } : {};
    const step = {
      from,
      to,
      failedBefore: failure !== null,
      transactionHash: transferOf(event) ?? transactionHash,
      ...ended,
    };
    const trace = { at: new Date(event.occurredAt), requestId: event.correlationId, traceparent: event.causationId };
    return refundTold(refund, await this.refunds.grounds.of(refund), step, trace);
  }

  private tell(refund: KeptRefund, { kind, to, post }: RefundOutcome, event: RefundEvent): void {
    if (kind === 'conflict') {
      this.log.error(
        {
          code: 'refund_conflict',
          refund_id: refund.refundId,
          transaction_id: refund.transactionId,
          state: refund.state,
          event: event.type,
        },
        'a refund needs a person: see its incident',
      );
    } else if (to === 'FAILED') {
      this.log.warn(
        { code: 'refund_failed', refund_id: refund.refundId, reason: reasonOf(event) },
        'a refund was not sent: its value is available again',
      );
    }
    if (
      refund.share ||
      post.some(
        (name) =>
          name === 'refund_failed_to_wallet' || name === 'deposit_vanished_paid' || name === 'refund_settled_owed',
      )
    )
      this.wake.debts.notify();
  }
}

function reasonOf(event: RefundEvent): string {
  return event.type === 'refund.failed' ? event.data.reason : '';
}

function transferOf(event: RefundEvent): string | null {
  return event.type === 'refund.failed' ? null : (event as Envelope<'refund.signed'>).data.transaction_hash;
}

function subjectOf(refund: KeptRefund, event: RefundEvent): RefundSubject {
  const transfer = transferOf(event);
  return {
    state: refund.state,
    origin: refund.origin,
    depositReverted: refund.depositState === 'reverted',
    failedByReversal: refund.state === 'FAILED' && refund.failure === 'deposit_reverted',
    isOldUpdate: event.sequence <= refund.toldSequence,
    isOtherTransfer: transfer !== null && transfer !== refund.transactionHash,
    saysReverted: reasonOf(event) === 'deposit_reverted',
  };
}

function toCommit(refund: KeptRefund, { kind, to, post }: RefundOutcome, event: RefundEvent): PaymentCommit {
  const transfer = transferOf(event);
  const state = to ?? refund.state;
  const vanished = post.includes('refunding_deposit_vanished');
  // An unexpected transfer is only in the incident.
  const keepsTransfer = transfer !== null && (kind !== 'conflict' || to !== null);
  return {
    commitId: uuidv7(),
    transactionId: null,
    about: refund.transactionId,
    expectedSequence: 0,
    transitions: [],
    // What an order was credited for this deposit is owed too.
    postings: [
      ...post.map((name) => postingOf(name, refund)),
      ...(vanished && refund.share ? [debtOf(refund, refund.share)] : []),
    ],
    ...depositPatchOf(refund, state, post),
    refundPatches: [
      {
        refundId: refund.refundId,
        expected: refund.state,
        state,
        toldSequence: Math.max(event.sequence, refund.toldSequence),
        ...(keepsTransfer ? { transactionHash: transfer } : {}),
        ...(to === 'FAILED' ? { failure: reasonOf(event) } : {}),
      },
    ],
    ...(kind === 'conflict' || (vanished && refund.share) ? { incident: incidentOf(refund, event) } : {}),
    mark: { group: CONSUMER_GROUP, eventId: event.id, occurredAt: event.occurredAt },
    outbox: [],
  };
}

function postingOf(name: PostingName, refund: KeptRefund): Posting {
  const facts = {
    partner: refund.partnerId,
    chain: refund.chain,
    received: refund.amount,
    rate: tokenRate(refund.rate, refund.currency, { currency: refund.amount.currency, decimals: refund.decimals }),
  };
  return {
    reference: referenceOf(name, OF_THE_DEPOSIT.has(name) ? refund.depositId : refund.refundId),
    kind: name,
    legs: postingLegs(name, facts),
  };
}

function depositPatchOf(
  { depositId, depositState: expected }: KeptRefund,
  state: KeptRefund['state'],
  post: readonly PostingName[],
): Pick<PaymentCommit, 'depositPatches'> {
  const after =
    post.map((name) => DEPOSIT_AFTER[name]).find((place) => place !== undefined) ??
    (expected === 'refunding' && state !== 'HELD' && state !== 'GRANTED' ? 'refunded' : undefined);
  return after === undefined || expected === 'reverted'
    ? {}
    : { depositPatches: [{ depositId, expected, state: after }] };
}

/** Sent after the deposit's reversal: the partner owes it and is frozen. */
function incidentOf(refund: KeptRefund, event: RefundEvent): NonNullable<PaymentCommit['incident']> {
  const reversed =
    (refund.state === 'FAILED' && refund.failure === 'deposit_reverted') || reasonOf(event) === 'deposit_reverted';
  const transfer = transferOf(event);
  const detail = `refund ${refund.refundId} of deposit ${refund.depositId} was ${refund.state}${refund.failure === null ? '' : ` (${refund.failure})`}, then ${event.type}`;
  return {
    state: refund.transactionState,
    event: reversed ? 'deposit.reverted' : event.type,
    attemptNo: 0,
    detail: transfer === null ? `${detail}: ${reasonOf(event)}` : `${detail}: ${transfer}`,
  };
}
