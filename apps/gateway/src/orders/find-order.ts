import { Inject, Injectable } from '@nestjs/common';
import { checkoutApi, type CallContext, type InternalClient } from '@vuka/contracts';
import { ok, parseOrderStatus, type Result } from '@vuka/domain';
import type { Logger } from '@vuka/runtime';
import { LOGGER, clientOf } from '@vuka/service-host';

import { read } from '../calls/index.js';
import type { JsonBody } from '../http/index.js';
import type { Caller } from '../keys/index.js';
import { orderStatusRecord, type OrderStatusRecord } from './order-record.js';

/** Errors: invalid_request, not_found (also another partner's), service_unavailable. */
@Injectable()
export class FindOrder {
  constructor(
    @Inject(clientOf(checkoutApi)) private readonly checkout: Pick<InternalClient<typeof checkoutApi>, 'orderStatus'>,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async run(caller: Caller, body: JsonBody, context: CallContext): Promise<Result<OrderStatusRecord>> {
    const { checkout, log } = this;
    const asked = parseOrderStatus(body);
    if (!asked.ok) return asked;
    const found = await read(log, () =>
      checkout.orderStatus({ partner_id: caller.partnerId, order_id: asked.value.orderId }, context),
    );
    return found.ok ? ok(orderStatusRecord(found.value)) : found;
  }
}
