import { Inject, Injectable } from '@nestjs/common';
import { fail, ok, type Result } from '@vuka/domain';
import { isCancelled, recordAuditEntry, type AuditEntry, type Database, type Transaction } from '@vuka/persistence';
import type { Clock, WakeSignal } from '@vuka/runtime';
import { CLOCK, LISTS_DATABASE } from '@vuka/service-host';

import { DELIVERY_LIMITS, DELIVERY_SIGNAL, type DeliveryQueue, deliveryQueuesDue } from '../deliveries/index.js';
import { DeliveryLogStore, type LoggedDelivery, type LogPlace } from './delivery-log.store.js';
import { TOO_LONG } from './list-deliveries.js';
import { makeDueAgain, MOST_ATTEMPTS, toResend, type ResendBatch } from './resend.store.js';

/** Per call. */
export const MOST_RESENT = 1_000;
/** Due within a lease: being posted or about to be. */
const SOON_MS = DELIVERY_LIMITS.leaseMs;

/** Absent for a partner's own request. */
export type ResendAuditEntry = Pick<AuditEntry, 'by' | 'reason'>;

export interface Resent {
  readonly resent: number;
  /** Last row checked, if more may follow. */
  readonly upTo: LogPlace | null;
}

const NO_SUCH_DELIVERY: Result<never> = fail({ code: 'not_found', message: 'There is no such delivery' });
const ONE_AT_A_TIME: Result<never> = fail({
  code: 'rate_limited',
  message: 'Another request of yours has webhooks sent again at this moment. Send this one when that is answered',
  retryAfterS: 1,
});
const EXPIRED: Result<never> = fail({
  code: 'not_found',
  message: 'What this delivery told has expired and cannot be sent again. Ask for the status of what it was about',
});
const TOO_OFTEN: Result<never> = fail({
  code: 'not_found',
  message: 'This delivery was sent very many times and is not sent again. Ask for the status of what it was about',
});

/**
 * Resends settled webhooks with the same webhook-id, URL and a new schedule. Also superseded ones: the request is
 * newer.
 */
@Injectable()
export class ResendDeliveries {
  constructor(
    @Inject(LISTS_DATABASE) private readonly db: Database,
    @Inject(DELIVERY_SIGNAL) private readonly dueDeliveries: WakeSignal,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Errors: not_found (unknown, body expired, or too many attempts). */
  public async one(partnerId: number, id: number, act?: ResendAuditEntry): Promise<Result<LoggedDelivery>> {
    const done = await this.db.inTransaction(async (tx): Promise<Result<LoggedDelivery>> => {
      const log = new DeliveryLogStore(tx);
      const delivery = await log.one(partnerId, id);
      if (delivery === undefined) return NO_SUCH_DELIVERY;
      if (delivery.body === null) return EXPIRED;
      if (delivery.attempts >= MOST_ATTEMPTS) return TOO_OFTEN;
      const { deliveryQueues, dueAt } = await this.makeDue(tx, partnerId, [id]);
      const due = (await log.one(partnerId, id)) ?? delivery;
      // It may expire while we wait for the row.
      if (due.body === null) return EXPIRED;
      if (act !== undefined)
        await this.record(tx, act, partnerId, `delivery ${String(id)}`, {
          webhook_id: `${String(delivery.transactionId)}_${String(delivery.sequence)}`,
        });
      await deliveryQueuesDue(tx, deliveryQueues, dueAt);
      return ok(due);
    });
    this.dueDeliveries.notify();
    return done;
  }

  /**
   * At most MOST_RESENT, oldest first, without expired ones. Errors: rate_limited (another runs for this partner),
   * service_unavailable (too much to read).
   */
  public async batch(batch: Omit<ResendBatch, 'limit'>, act?: ResendAuditEntry): Promise<Result<Resent>> {
    try {
      const done = await this.db.inTransaction((tx) => this.batchIn(tx, batch, act));
      this.dueDeliveries.notify();
      return done;
    } catch (error) {
      if (isCancelled(error)) return TOO_LONG;
      throw error;
    }
  }

  private async batchIn(
    tx: Transaction,
    batch: Omit<ResendBatch, 'limit'>,
    act: ResendAuditEntry | undefined,
  ): Promise<Result<Resent>> {
    const { partnerId, state, event, from, before } = batch;
    // One connection per partner, so that nobody takes all.
    const [lock] = await tx.query<{ got: boolean }>(
      'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as got',
      [`notifier.resend.${String(partnerId)}`],
    );
    if (lock?.got !== true) return ONE_AT_A_TIME;
    const found = await toResend(tx, { ...batch, limit: MOST_RESENT + 1 });
    const taken = found.slice(0, MOST_RESENT);
    const { deliveryQueues, dueAt } = await this.makeDue(
      tx,
      partnerId,
      taken.map(({ id }) => id),
    );
    const resent = deliveryQueues.length;
    if (act !== undefined && resent > 0)
      await this.record(tx, act, partnerId, `deliveries that are ${state}`, { resent, event, from, before });
    await deliveryQueuesDue(tx, deliveryQueues, dueAt);
    return ok({ resent, upTo: found.length > taken.length ? (taken.at(-1) ?? null) : null });
  }

  /** One queue per changed delivery. Mark them due last, for the lock order. */
  private async makeDue(
    tx: Transaction,
    partnerId: number,
    ids: readonly number[],
  ): Promise<{ deliveryQueues: DeliveryQueue[]; dueAt: Date }> {
    const dueAt = this.clock.now();
    const hosts =
      ids.length === 0 ? [] : await makeDueAgain(tx, partnerId, ids, dueAt, new Date(dueAt.getTime() + SOON_MS));
    return { deliveryQueues: hosts.map((host) => ({ partnerId, host })), dueAt };
  }

  private record(
    tx: Transaction,
    { by, reason }: ResendAuditEntry,
    partnerId: number,
    subject: string,
    details: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    return recordAuditEntry(tx, {
      by,
      reason,
      act: 'webhooks.resent',
      partnerId,
      subject,
      details,
      at: this.clock.now(),
    });
  }
}
