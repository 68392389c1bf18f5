import { Inject, Injectable } from '@nestjs/common';
import { fail, ok, type Result } from '@vuka/domain';
import type { Database, Transaction } from '@vuka/persistence';
import type { Clock, WakeSignal } from '@vuka/runtime';
import { CLOCK, LISTS_DATABASE } from '@vuka/service-host';

import { DELIVERY_SIGNAL, deliveryQueuesDue } from '../deliveries/index.js';
import { DeliveryVault } from '../secrets/index.js';
import { DELIVERY_STATES, DeliveryLogStore, type LoggedDelivery } from './delivery-log.store.js';
import { TEST_EVENT } from './resend.store.js';

/** Per partner: each is a POST to any URL. */
const MOST_A_MINUTE = 10;
const MINUTE_MS = 60_000;

const TOO_MANY: Result<never> = fail({
  code: 'rate_limited',
  message: `At most ${String(MOST_A_MINUTE)} test webhooks a minute. Ask the log what became of the last ones, and try again later`,
  retryAfterS: MINUTE_MS / 1000,
});

/** Signed, sent once without retries, with a number of its own series. */
@Injectable()
export class SendTestWebhook {
  constructor(
    @Inject(LISTS_DATABASE) private readonly db: Database,
    @Inject(DELIVERY_SIGNAL) private readonly dueDeliveries: WakeSignal,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly vault: DeliveryVault,
  ) {}

  /** Returns it as due. Errors: rate_limited. */
  public async run(partnerId: number, url: string, traceparent: string): Promise<Result<LoggedDelivery>> {
    const sent = await this.db.inTransaction(async (tx): Promise<Result<LoggedDelivery>> => {
      if (await hasEnough(tx, partnerId, this.clock.now())) return TOO_MANY;
      const id = await this.insert(tx, partnerId, url, traceparent);
      const delivery = await new DeliveryLogStore(tx).one(partnerId, id);
      if (delivery === undefined) throw new Error('a test webhook is gone right after it was stored');
      await deliveryQueuesDue(tx, [{ partnerId, host: delivery.host }], delivery.createdAt);
      return ok(delivery);
    });
    if (sent.ok) this.dueDeliveries.notify();
    return sent;
  }

  private async insert(tx: Transaction, partnerId: number, url: string, traceparent: string): Promise<number> {
    const numbers = await tx.query<{ number: string }>("select nextval('webhook_test_numbers')::text as number");
    const number = numbers[0]?.number ?? '';
    const code = `test-${number}`;
    const text = JSON.stringify({
      status: 'TEST',
      transaction_code: code,
      message: 'A test of your webhook URL. It is about no payment',
    });
    const body = this.vault.sealBody({ transactionId: number, sequence: 1 }, text);
    const rows = await tx.query<{ id: number }>(
      `insert into deliveries (transaction_id, sequence, occurred_at, partner_id, event_type, is_final, callback_url, host, body, traceparent, code,
                               state, next_attempt_at, created_at)
       values ($1, 1, $2, $3, $4, true, $5, $6, $7, $8, $9, 'pending', $2, $2) returning id::float8 as id`,
      [number, this.clock.now(), partnerId, TEST_EVENT, url, new URL(url).host, body, traceparent, code],
    );
    return rows[0]?.id ?? 0;
  }
}

/** In sequence per partner, so parallel calls are counted. */
async function hasEnough(tx: Transaction, partnerId: number, now: Date): Promise<boolean> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
    `notifier.test-webhook.${String(partnerId)}`,
  ]);
  const rows = await tx.query<{ count: number }>(
    `select count(*)::integer as count from deliveries where partner_id = $1 and state = any ($2::text[]) and created_at > $3 and event_type = $4`,
    [partnerId, DELIVERY_STATES, new Date(now.getTime() - MINUTE_MS), TEST_EVENT],
  );
  return (rows[0]?.count ?? 0) >= MOST_A_MINUTE;
}
