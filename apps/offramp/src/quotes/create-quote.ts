import { Inject, Injectable } from '@nestjs/common';
import type { RateSettings } from '@vuka/config';
import { type offrampApi, type QuoteView, decodeAmount } from '@vuka/contracts';
import {
  acceptedTokens,
  amountInUsd,
  assetAmountDue,
  centsDue,
  chainNamed,
  encodeMinor,
  fail,
  formatDecimal,
  ok,
  QUOTE_LIVES_MS,
  tokenUnit,
  type Chain,
  type Money,
  type Result,
  type Unit,
} from '@vuka/domain';
import { type Clock, uuidv7 } from '@vuka/runtime';
import { CLOCK, SETTINGS } from '@vuka/service-host';
import type { z } from 'zod';

import { DepositAddresses, type SettlementAddress } from '../addresses/index.js';
import { Rates } from '../rates/index.js';
import { Switches } from '../switches/index.js';
import { QuoteStore } from './quote.store.js';

export type QuoteInput = z.output<typeof offrampApi.operations.quote.input>;

export interface SettlementAddresses {
  addressOf(partnerId: number, chain: Chain): Promise<Result<SettlementAddress>>;
}

export interface QuoteSettings {
  readonly rates: Pick<RateSettings, 'mostOpenQuotesCents'>;
}

/** Open quotes end within minutes. */
const RETRY_AFTER_S = 30;

/**
 * Lives five minutes. Errors: unsupported_network, service_unavailable (not served, or switched off), rate_stale,
 * rate_limited (too much value in open quotes).
 */
@Injectable()
export class CreateQuote {
  constructor(
    @Inject(QuoteStore) private readonly quotes: Pick<QuoteStore, 'insertWithin'>,
    @Inject(Rates) private readonly rates: Pick<Rates, 'buyingRate'>,
    @Inject(DepositAddresses) private readonly addresses: SettlementAddresses,
    @Inject(Switches) private readonly switches: Pick<Switches, 'isOff'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: QuoteSettings,
  ) {}

  /** US cents per partner. */
  private get mostOpenCents(): bigint {
    return this.settings.rates.mostOpenQuotesCents;
  }

  async run(input: QuoteInput): Promise<Result<QuoteView>> {
    const chain = chainNamed(input.chain);
    const token = chain && acceptedTokens(chain).find(({ symbol }) => symbol === input.asset);
    if (chain === undefined || token === undefined) {
      return fail({ code: 'unsupported_network', message: `asset ${input.asset} is not accepted on ${input.chain}` });
    }
    if (await this.switches.isOff(chain.name, token.symbol)) {
      return fail({
        code: 'service_unavailable',
        message: `${token.symbol} is not taken on ${chain.name} at the moment`,
      });
    }
    const address = await this.addresses.addressOf(input.partner_id, chain);
    if (!address.ok) return address;
    const rate = this.rates.buyingRate(input.currency, token.symbol);
    if (!rate.ok) return rate;
    const now = this.clock.now();
    const quote = {
      id: uuidv7(),
      partnerId: input.partner_id,
      amount: decodeAmount(input),
      chain: chain.name,
      asset: token.symbol,
      rate: rate.value,
      expiresAt: new Date(now.getTime() + QUOTE_LIVES_MS),
    };
    const cents = centsDue(quote.amount, quote.rate);
    const isKept = await this.quotes.insertWithin(quote, { cents, mostOpenCents: this.mostOpenCents, now });
    return isKept ? ok(viewOf(quote, tokenUnit(chain, token), address.value)) : this.tooMuch();
  }

  private tooMuch(): Result<never> {
    const most = `Open quotes of this account would be worth more than ${String(this.mostOpenCents / 100n)} US dollars`;
    return fail({
      code: 'rate_limited',
      message: `${most}, so this request was not accepted. Send it again when some of them have been used or are over`,
      retryAfterS: RETRY_AFTER_S,
    });
  }
}

function viewOf(
  quote: { id: string; amount: Money; rate: string; expiresAt: Date },
  token: Unit,
  { address, memoAddress, memo }: SettlementAddress,
): QuoteView {
  const due = assetAmountDue(quote.amount, quote.rate, token);
  return {
    quote_id: quote.id,
    rate: quote.rate,
    amount_minor: encodeMinor(quote.amount),
    asset_amount: formatDecimal(due.minor, token.decimals),
    amount_in_usd: amountInUsd(quote.amount, quote.rate, 'up'),
    settlement_wallet_address: address,
    memo_address: memoAddress,
    memo,
    expires_in: QUOTE_LIVES_MS / 1_000,
    expires_at: quote.expiresAt.toISOString(),
  };
}
