import { Inject, Injectable } from '@nestjs/common';
import { checkoutApi, encodeAmount, type CallContext, type InternalClient } from '@vuka/contracts';
import { ok, parseOrder, type OrderRequest, type RequestFields, type Result } from '@vuka/domain';
import type { Clock, Logger } from '@vuka/runtime';
import { CLOCK, LOGGER, clientOf } from '@vuka/service-host';

import { commitOrder, read } from '../calls/index.js';
import { checkServed, ServedChains } from '../chains/index.js';
import type { Caller } from '../keys/index.js';
import { PartnerTerms } from '../partners/index.js';
import { orderRecord, type OrderRecord } from './order-record.js';
import { PublicAddress } from './public-address.js';

export interface CreateOrderInput {
  readonly caller: Caller;
  readonly query: RequestFields;
  readonly context: CallContext;
}

export interface MadeOrder {
  readonly order: OrderRecord;
  readonly replayed: boolean;
}

/**
 * One address and a frozen rate for 7 minutes. One order_id is one order: a repeat gets its current state. Errors:
 * those of parseOrder, reference_reused, rate_limited, rate_stale, service_unavailable, outcome_unknown.
 */
@Injectable()
export class CreateOrder {
  constructor(
    @Inject(clientOf(checkoutApi))
    private readonly checkout: Pick<InternalClient<typeof checkoutApi>, 'createOrder' | 'orderStatus'>,
    private readonly chains: ServedChains,
    private readonly terms: PartnerTerms,
    private readonly address: PublicAddress,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async run({ caller, query, context }: CreateOrderInput): Promise<Result<MadeOrder>> {
    const { checkout, chains, terms, address, clock, log } = this;
    const inForce = terms.of(caller);
    if (!inForce.ok) return inForce;
    const asked = parseOrder(query, inForce.value.currencies);
    if (!asked.ok) return asked;
    const { orderId, network, asset, amount } = asked.value;
    const served = await checkServed(chains, network, asset);
    if (!served.ok && !(await this.isThere(asked.value, caller, context))) return served;
    const input = {
      partner_id: caller.partnerId,
      order_id: orderId,
      network,
      asset,
      ...encodeAmount(amount),
      callback_url: caller.webhookUrl,
    };
    const made = await commitOrder(log, orderId, () => checkout.createOrder(input, context));
    if (!made.ok) return made;
    const { order, replayed } = made.value;
    return ok({ order: orderRecord(order, address.paymentUrl(order.page_token), clock.now()), replayed });
  }

  /** An existing order is answered even if its chain is no longer served. Unknown counts as not existing. */
  private async isThere({ orderId }: OrderRequest, { partnerId }: Caller, context: CallContext): Promise<boolean> {
    const { checkout, log } = this;
    return (await read(log, () => checkout.orderStatus({ partner_id: partnerId, order_id: orderId }, context))).ok;
  }
}
