import { CDF } from './cdf.js';
import type { Currency, CurrencyCode, WalletCurrency } from './currency.js';
import { ETB } from './etb.js';
import { GHS } from './ghs.js';
import { KES } from './kes.js';
import { MWK } from './mwk.js';
import { NGN } from './ngn.js';
import { UGX } from './ugx.js';

/** Every destination currency: one file and one line each. Routes, documentation and tests iterate this. */
export const CURRENCIES = { KES, UGX, NGN, GHS, MWK, CDF, ETB } as const satisfies Record<CurrencyCode, Currency>;

const USD_DECIMALS = 2;

/** Every currency a partner has a wallet in: the destination currencies and USD. */
export const WALLET_CURRENCIES: readonly WalletCurrency[] = [...(Object.keys(CURRENCIES) as CurrencyCode[]), 'USD'];

const BY_NAME: ReadonlyMap<string, Currency> = new Map(
  Object.values(CURRENCIES).flatMap((currency): [string, Currency][] => [
    [currency.code, currency],
    [currency.country, currency],
  ]),
);

/** The currency of an ISO 4217 code or ISO 3166 country, in any letter case (decisions.md section 1). */
export function findCurrency(codeOrCountry: string): Currency | undefined {
  // Bounded before it is folded: the text comes from a URL.
  return codeOrCountry.length <= 3 ? BY_NAME.get(codeOrCountry.toUpperCase()) : undefined;
}

/** Decimals of a wallet currency's minor units. Throws on a code that is none: codes are checked at the edge. */
export function currencyDecimals(code: string): number {
  if (code === 'USD') return USD_DECIMALS;
  const currency = BY_NAME.get(code);
  if (currency?.code !== code) throw new RangeError('currencyDecimals: not a wallet currency');
  return currency.decimals;
}
