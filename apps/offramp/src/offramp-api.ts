import { Injectable } from '@nestjs/common';
import type { InternalHandlers, offrampApi } from '@vuka/contracts';
import { ok } from '@vuka/domain';

import { ListNetworks } from './networks/index.js';
import { ReserveOrder } from './orders/index.js';
import { CheckQuote, CreateQuote } from './quotes/index.js';
import { Rates } from './rates/index.js';
import { CheckRefundAddress } from './screening/index.js';

@Injectable()
export class OfframpApi {
  public readonly handlers: InternalHandlers<typeof offrampApi>;

  public constructor(
    networks: ListNetworks,
    rates: Rates,
    createQuote: CreateQuote,
    checkQuote: CheckQuote,
    checkRefundAddress: CheckRefundAddress,
    reserveOrder: ReserveOrder,
  ) {
    this.handlers = {
      listNetworks: async ({ partner_id }) => {
        const found = await networks.of(partner_id);
        return found.ok ? ok({ networks: found.value }) : found;
      },
      listChains: async () => ok({ chains: await networks.chains() }),
      exchangeRate: async ({ currency }) => rates.exchangeRate(currency),
      quote: (input) => createQuote.run(input),
      checkQuote: (input) => checkQuote.run(input),
      checkRefundAddress: (input) => checkRefundAddress.run(input),
      reserveOrder: (input, context) => reserveOrder.run(input, context),
    };
  }
}
