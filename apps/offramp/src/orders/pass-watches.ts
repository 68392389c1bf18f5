import { Inject, Injectable } from '@nestjs/common';
import { appendToOutbox, newEnvelope } from '@vuka/messaging';
import { Database } from '@vuka/persistence';
import { type Clock, WakeSignal } from '@vuka/runtime';

import { CLOCK, OUTBOX_SIGNAL } from '@vuka/service-host';

import { OrderWatchStore } from './order-watch.store.js';

/**
 * A sequencer's clock may be wrong by seconds: a block this much after an order's end is still on time (chains.md
 * section 6).
 */
const GRACE_MS = 30_000;
/** Endpoints lag behind each other: a transfer that a scan found and a check does not find gets this much time. */
const LAG_MS = 60_000;
const AT_ONCE = 500;

/**
 * Reports each order once when its chain was scanned past its end, in the commit that marks it. Everything that came in
 * time was checked by then, so the order can be judged by its events.
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

  /** True: another round may find more at once. */
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
