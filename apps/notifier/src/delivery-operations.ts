import type { InternalHandlers, notifierApi } from '@vuka/contracts';
import { ok } from '@vuka/domain';
import type { Database, DatabaseConfig } from '@vuka/persistence';
import type { Clock, Logger, WakeSignal } from '@vuka/platform';

import { cursorOf, deliveryViewOf, ListDeliveries, placeOf, storedState } from './list-deliveries.js';
import { ResendDeliveries } from './resend-deliveries.js';
import { SendTestWebhook } from './send-test-webhook.js';
import { DeliveryLogStore } from './store/delivery-log.store.js';

type Operations = Omit<InternalHandlers<typeof notifierApi>, 'ensureWebhookSecret'>;

export interface DeliveryOperationsParts {
  /** Apart from the deliverer's: whoever looks through a million rows, has many sent again or many tests at once, keeps no delivery waiting. */
  readonly lists: Database;
  /** The deliverer's. */
  readonly signal: WakeSignal;
  readonly clock: Clock;
  readonly log: Logger;
}

/** How long reading one list may take: within a request, which has 2 s. */
const LIST_TIMEOUT_MS = 1_500;
/** Lists read at once, all partners together. */
const LISTS_AT_ONCE = 2;

/** The same schema, by connections of their own. */
export function forLists(database: Omit<DatabaseConfig, 'migrations' | 'entities'>): DatabaseConfig {
  return { ...database, migrations: [], maxConnections: LISTS_AT_ONCE, statementTimeoutMs: LIST_TIMEOUT_MS, applicationName: `${database.applicationName} lists` };
}

/** What partners may ask of their deliveries, through the gateway. */
export function deliveryOperations({ lists, signal, clock, log }: DeliveryOperationsParts): Operations {
  const tests = new SendTestWebhook(lists, signal, clock);
  const resends = new ResendDeliveries(lists, signal, clock);
  const list = new ListDeliveries(new DeliveryLogStore(lists), log);
  return {
    testWebhook: async ({ partner_id: partnerId, url }, { traceparent }) => {
      const sent = await tests.run(partnerId, url, traceparent);
      return sent.ok ? ok(deliveryViewOf(sent.value)) : sent;
    },
    listDeliveries: (input) => list.run(input),
    resendDelivery: async ({ partner_id: partnerId, delivery_id: id }) => {
      const resent = await resends.one(partnerId, id);
      return resent.ok ? ok(deliveryViewOf(resent.value)) : resent;
    },
    resendDeliveries: async ({ partner_id: partnerId, state, event, from, before, cursor }) => {
      const behind = placeOf(cursor);
      if (!behind.ok) return behind;
      const done = await resends.batch({
        partnerId, event, state: storedState(state), behind: behind.value,
        from: from === null ? null : new Date(from),
        before: before === null ? null : new Date(before),
      });
      if (!done.ok) return done;
      const { resent, upTo } = done.value;
      return ok({ resent, next_cursor: upTo === null ? null : cursorOf(upTo) });
    },
  };
}
