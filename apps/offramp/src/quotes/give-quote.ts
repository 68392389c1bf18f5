import { decodeAmount, type offrampApi, type QuoteView } from '@vuka/contracts';
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
import type { z } from 'zod';

import type { SettlementAddress } from '../addresses/index.js';
import type { Rates } from '../rates/index.js';
import type { Switches } from '../switches/index.js';
import type { QuoteStore } from './quote.store.js';

export type QuoteInput = z.output<typeof offrampApi.operations.quote.input>;

/** Where a partner's deposits on a chain go; fails where the chain is not served here. */
export interface SettlementAddresses {
  addressOf(partnerId: number, chain: Chain): Promise<Result<SettlementAddress>>;
}

/** Quotes are used or over within minutes, so some of them are by then. */
const RETRY_AFTER_S = 30;

/**
 * Freezes a rate for five minutes, for one partner, amount, chain and token. Errors: unsupported_network (no such chain, or a token that is
 * not accepted on it), service_unavailable (the chain is not served here, or it or the
 * token is switched off), rate_stale, rate_limited (the partner's open quotes would be worth too much together).
 */
export class GiveQuote {
  constructor(
    private readonly quotes: Pick<QuoteStore, 'insertWithin'>,
    private readonly rates: Pick<Rates, 'buyingRate'>,
    private readonly addresses: SettlementAddresses,
    private readonly switches: Pick<Switches, 'isOff'>,
    private readonly clock: Clock,
    /** US cents of one partner's open quotes together. */
    private readonly mostOpenCents: bigint,
  ) {}

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
