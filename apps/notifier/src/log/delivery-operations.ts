import { Injectable } from '@nestjs/common';
import type { InternalHandlers, notifierApi } from '@vuka/contracts';
import { fail, ok, type Result } from '@vuka/domain';
import { isCancelled } from '@vuka/persistence';

import { cursorOf, ListDeliveries, placeOf, storedState } from './list-deliveries.js';
import { ResendDeliveries } from './resend-deliveries.js';
import { SendTestWebhook } from './send-test-webhook.js';

type Operations = Omit<InternalHandlers<typeof notifierApi>, 'ensureWebhookSecret'>;

const NOT_IN_TIME: Result<never> = fail({
  code: 'service_unavailable',
  message: 'Others are at the same webhooks, and there was no time to wait for them. Nothing was changed; try again',
});

/** Uses the lists pool, so partners' requests delay no delivery. */
@Injectable()
export class DeliveryOperations {
  readonly handlers: Operations;

  constructor(tests: SendTestWebhook, resends: ResendDeliveries, list: ListDeliveries) {
    this.handlers = {
      testWebhook: async ({ partner_id: partnerId, url }, { traceparent }) => {
        const sent = await inTime(tests.run(partnerId, url, traceparent));
        return sent.ok ? ok(list.viewOf(sent.value)) : sent;
      },
      listDeliveries: (input) => list.run(input),
      resendDelivery: async ({ partner_id: partnerId, delivery_id: id }) => {
        const resent = await inTime(resends.one(partnerId, id));
        return resent.ok ? ok(list.viewOf(resent.value)) : resent;
      },
      resendDeliveries: async ({ partner_id: partnerId, state, event, from, before, cursor }) => {
        const behind = placeOf(cursor);
        if (!behind.ok) return behind;
        const done = await resends.batch({
          partnerId,
          event,
          state: storedState(state),
          behind: behind.value,
          from: from === null ? null : new Date(from),
          before: before === null ? null : new Date(before),
        });
        if (!done.ok) return done;
        const { resent, upTo } = done.value;
        return ok({ resent, next_cursor: upTo === null ? null : cursorOf(upTo) });
      },
    };
  }
}

/** Others held a lock longer than the statement timeout. */
async function inTime<T>(work: Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await work;
  } catch (error) {
    if (isCancelled(error)) return NOT_IN_TIME;
    throw error;
  }
}
