import { Inject, Injectable } from '@nestjs/common';
import {
  deliveryState,
  webhookEvent,
  type CallContext,
  type DeliveryView,
  type InternalClient,
  notifierApi,
} from '@vuka/contracts';
import { described, lineUpTo, ok, oneOf, optional, refusal, type Result } from '@vuka/domain';
import type { Logger } from '@vuka/runtime';
import { LOGGER, clientOf } from '@vuka/service-host';

import { read } from '../calls/index.js';
import type { JsonBody } from '../http/index.js';
import type { Caller } from '../keys/index.js';
import { logFields, type Page, readLogPage } from '../transactions/index.js';

/** Fits codes of transactions and orders. */
const MAX_CODE = 100;

const STATES = deliveryState.options.map((name) => ({ name, aliases: [] }));
const EVENTS = webhookEvent.options.map((name) => ({ name, aliases: [] }));

export const EVENT_FIELD = optional(
  described(oneOf(EVENTS, 'invalid_request'), 'Only those that tell of it: `x-vuka-event`.'),
);

const OWN_FIELDS = {
  state: optional(described(oneOf(STATES, 'invalid_request'), 'Only those that are in it now.')),
  event: EVENT_FIELD,
  transaction_code: optional(described(lineUpTo(MAX_CODE), 'Only those of this transaction.')),
  order_id: optional(described(lineUpTo(MAX_CODE), 'Only those of this order.')),
};

export const DELIVERY_LIST_FIELDS = logFields(OWN_FIELDS);

/** Newest first. Errors: invalid_request, service_unavailable. */
@Injectable()
export class ListDeliveries {
  constructor(
    @Inject(clientOf(notifierApi))
    private readonly notifier: Pick<InternalClient<typeof notifierApi>, 'listDeliveries'>,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async run({ partnerId }: Caller, body: JsonBody, context: CallContext): Promise<Result<Page<DeliveryView>>> {
    const request = readLogPage(body, OWN_FIELDS);
    if (!request.ok) return refusal(request.error);
    const { own, page } = request.value;
    const { state, event, transaction_code: transactionCode = null, order_id: orderId = null } = own;
    const input = {
      partner_id: partnerId,
      state: state?.name ?? null,
      event: event?.name ?? null,
      transaction_code: transactionCode,
      order_id: orderId,
      ...page,
    };
    const listed = await read(this.log, () => this.notifier.listDeliveries(input, context));
    return listed.ok ? ok({ rows: listed.value.deliveries, nextCursor: listed.value.next_cursor }) : listed;
  }
}
