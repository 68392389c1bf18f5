import { Inject, Injectable } from '@nestjs/common';
import { appendToOutbox, newEnvelope } from '@vuka/messaging';
import { Database } from '@vuka/persistence';
import { type Clock, WakeSignal } from '@vuka/runtime';

import { CLOCK, OUTBOX_SIGNAL } from '@vuka/service-host';

import { OrderWatchStore } from './order-watch.store.js';

/** A block this late is on time, as a sequencer's clock may be wrong by seconds (chains.md section 6). */
const GRACE_MS = 30_000;
/** Endpoints lag: a check may not find yet what a scan found. */
const LAG_MS = 60_000;
const AT_ONCE = 500;

/**
 * One event per order, in the commit that marks it. All that came in time was checked by then, so the order can be
 * judged by its events.
 */
@Injectable()
export class PassWatches {
  public readonly name = 'pass-orders';
  public readonly signal = new WakeSignal();

  public constructor(
    @Inject(Database) private readonly db: Pick<Database, 'inTransaction'>,
    @Inject(OUTBOX_SIGNAL) private readonly outboxSignal: WakeSignal,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** True: there may be more. */
  public async tick(): Promise<boolean> {
    const now = this.clock.now();
    const passed = await this.db.inTransaction(
      async (tx) => {
        const watches = await OrderWatchStore.pass(tx, {
          now,
          graceMs: GRACE_MS,
          openedBefore: new Date(now.getTime() - LAG_MS),
          limit: AT_ONCE,
        });
        const events = watches.map(({ orderNumber, partnerId, chain, scannedTo, sequence, correlationId, causationId }) => newEnvelope({
        type: 'order-watch.passed', key: String(orderNumber), sequence, occurredAt: now, correlationId, causationId, producer: 'offramp',
        data: { order_number: orderNumber, partner_id: partnerId, chain, scanned_to: scannedTo.toISOString() },
      })); // prettier-ignore
        await appendToOutbox(tx, events);
        return events.length;
      },
      { retries: 2 },
    );
    if (passed > 0) this.outboxSignal.notify();
    return passed === AT_ONCE;
  }
}
