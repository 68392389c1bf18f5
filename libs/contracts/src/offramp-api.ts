import { z } from 'zod';

import { minorUnits, rateText } from './deposit-facts.js';
import { operation, type InternalApi } from './internal-api.js';

const partnerId = z.int().positive();
const currencyCode = z.string().regex(/^[A-Z]{3}$/);
const chainName = z.string().min(1).max(20);
const assetSymbol = z.string().min(1).max(20);

export const networkView = z.object({
  name: z.string(),
  icon: z.string(),
  settlement_wallet_address: z.string(),
  checkout_status: z.boolean(),
  assets: z.array(
    z.object({ name: z.string(), icon: z.string(), contract_address: z.string(), checkout_status: z.boolean() }),
  ),
});
export type NetworkView = z.infer<typeof networkView>;

/** Fiat per 1 USD: `buying_rate` ≤ `quoted_rate` ≤ `selling_rate` (decisions.md section 2, Rates). */
export const exchangeRate = z.object({ buying_rate: rateText, selling_rate: rateText, quoted_rate: rateText });
export type ExchangeRate = z.infer<typeof exchangeRate>;

export const quoteView = z.object({
  quote_id: z.uuid(),
  /** Fiat per whole token. */
  rate: rateText,
  /** Fiat, as requested. */
  amount_minor: minorUnits,
  /** Whole tokens, rounded up. */
  asset_amount: z.string().regex(/^\d+(\.\d+)?$/),
  amount_in_usd: z.string().regex(/^\d+\.\d{2}$/),
  settlement_wallet_address: z.string().min(1),
  /** '' = no memo needed. */
  memo_address: z.string(),
  memo: z.string(),
  /** Seconds. */
  expires_in: z.int().nonnegative(),
  expires_at: z.iso.datetime(),
});
export type QuoteView = z.infer<typeof quoteView>;

const quoted = { partner_id: partnerId, currency: currencyCode, amount_minor: minorUnits, chain: chainName };

/** All from one commit. */
export const orderReservation = z.object({
  address: z.string().min(1).max(128),
  /** '' = no memo needed. */
  memo_address: z.string(),
  memo: z.string(),
  rate: rateText,
  /** The token's, rounded up. */
  due_minor: minorUnits,
  /** Rounded up. */
  usd_cents: minorUnits,
  decimals: z.int().min(0).max(18),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
});
export type OrderReservation = z.infer<typeof orderReservation>;

export const offrampApi = {
  service: 'offramp',
  operations: {
    listNetworks: operation(z.object({ partner_id: partnerId }), z.object({ networks: z.array(networkView).max(50) }), {
      summary:
        "Lists chains with the partner's own addresses, made where there are none yet; '' and false where a chain is not served",
      errors: {},
      callers: ['gateway'],
      idempotent: true,
    }),
    listChains: operation(
      z.object({}),
      z.object({ chains: z.array(z.object({ name: chainName, assets: z.array(assetSymbol).max(20) })).max(50) }),
      {
        summary: 'Lists the chains that are served here, with the tokens accepted on each',
        errors: {},
        callers: ['gateway'],
        idempotent: true,
      },
    ),
    exchangeRate: operation(z.object({ currency: currencyCode }), exchangeRate, {
      summary: 'Tells the rates of a currency now',
      errors: { rate_stale: 'no fresh rate is known', unsupported_currency: 'the currency has no rate here' },
      callers: ['gateway'],
      idempotent: true,
    }),
    quote: operation(z.object({ ...quoted, asset: assetSymbol }), quoteView, {
      summary: 'Holds a rate for five minutes',
      errors: {
        rate_stale: 'no fresh rate is known',
        service_unavailable: 'the chain is not served',
        unsupported_network: 'the token is not accepted there',
        rate_limited: 'open quotes of the partner would be worth too much',
      },
      callers: ['gateway'],
      idempotent: false,
      commits: true,
    }),
    checkRefundAddress: operation(
      z.object({ chain: chainName, address: z.string().min(1).max(128) }),
      z.object({ address: z.string().min(1).max(128) }),
      {
        summary: 'Tells whether money may be sent back there, in the spelling of the chain',
        errors: {
          invalid_request:
            "it is no address there by its checksum, or the nowhere address, or one of ours, or a token's",
          service_unavailable: 'the chain is not served',
        },
        callers: ['gateway'],
        idempotent: true,
      },
    ),
    checkQuote: operation(z.object({ ...quoted, asset: assetSymbol.nullable(), quote_id: z.uuid() }), z.object({}), {
      summary: 'Tells whether a pay may be accepted under this quote now; asset null is not named',
      errors: {
        quote_mismatch: 'it is for something else, or expired too long ago',
        quote_used: 'another payment used it',
        not_found: 'the partner has no such quote',
      },
      callers: ['gateway'],
      idempotent: true,
    }),
    reserveOrder: operation(
      z.object({
        ...quoted,
        asset: assetSymbol,
        order_number: z.int().positive(),
        lives_s: z.int().min(1).max(86_400),
        most_usd_cents: minorUnits,
      }),
      orderReservation,
      {
        summary: 'Reserves what an order needs, once for each order_number: the same call again gives the same',
        errors: {
          unsupported_network: 'there is no such chain, or the token is not accepted on it',
          rate_stale: 'no fresh rate is known',
          rate_limited: 'at its rate the amount is worth more than most_usd_cents: nothing is reserved',
          service_unavailable: 'the chain is not served here, it or the token is switched off, or no address is left',
        },
        callers: ['checkout'],
        idempotent: true,
        commits: true,
      },
    ),
  },
} as const satisfies InternalApi;
