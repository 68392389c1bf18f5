import { CDF } from './cdf.js';
import type { Currency, CurrencyCode, WalletCurrency } from './currency.js';
import { ETB } from './etb.js';
import { GHS } from './ghs.js';
import { KES } from './kes.js';
import { MWK } from './mwk.js';
import { NGN } from './ngn.js';
import { UGX } from './ugx.js';
import { formatDecimal } from '../money/decimal.js';
import type { Money } from '../money/money.js';

export type Currencies = Readonly<Record<CurrencyCode, Currency>>;

/** Every destination currency: one file and one line each. Routes, documentation and tests iterate this. */
export const CURRENCIES = { KES, UGX, NGN, GHS, MWK, CDF, ETB } as const satisfies Currencies;

/** Whose rules apply where the path of pay or validation names none (interface.md, Endpoints 2 and 3). */
export const DEFAULT_CURRENCY: CurrencyCode = KES.code;

/** Whose banks are listed where the path names none (decisions.md section 2, banks). */
export const DEFAULT_BANKS_CURRENCY: CurrencyCode = NGN.code;

/** A wallet currency that is no destination of its own: partners hold it, and some destinations are paid in it. */
export const USD = {
  code: 'USD',
  decimals: 2,
  sandboxOpeningMinor: 10_000_00n,
  country_name: 'United States',
} as const;

/** What a partner can have a wallet in. */
export type Wallet = Pick<Currency, 'decimals' | 'sandboxOpeningMinor' | 'country_name'> & {
  readonly code: WalletCurrency;
};

/** Every wallet a partner can have: one in each destination currency, and USD. */
export const WALLETS: readonly Wallet[] = [...Object.values<Currency>(CURRENCIES), USD];

export const WALLET_CURRENCIES: readonly WalletCurrency[] = WALLETS.map(({ code }) => code);

const BY_NAME: ReadonlyMap<string, Currency> = new Map(
  Object.values<Currency>(CURRENCIES).flatMap((currency): [string, Currency][] => [
    [currency.code, currency],
    [currency.country, currency],
  ]),
);

const WALLET_BY_CODE: ReadonlyMap<string, Wallet> = new Map(WALLETS.map((wallet) => [wallet.code, wallet]));

/** Bounded before it is folded, because the text comes from a URL; only ASCII, because `ſ` and others fold to it. */
const CODE = /^[A-Za-z]{2,3}$/;

/** The currency of an ISO 4217 code or ISO 3166 country, in any letter case (decisions.md section 1). */
export function findCurrency(codeOrCountry: string): Currency | undefined {
  return CODE.test(codeOrCountry) ? BY_NAME.get(codeOrCountry.toUpperCase()) : undefined;
}

/** The wallet of a currency code, in any letter case. */
export function findWallet(code: string): Wallet | undefined {
  return CODE.test(code) ? WALLET_BY_CODE.get(code.toUpperCase()) : undefined;
}

/** Decimals of a wallet currency's minor units. Throws on a code that is none: codes are checked at the edge. */
export function currencyDecimals(code: string): number {
  const wallet = WALLET_BY_CODE.get(code);
  if (wallet === undefined) throw new RangeError('currencyDecimals: not a wallet currency');
  return wallet.decimals;
}

/** `500.00`: an amount of a wallet currency as people and partners read it. Throws on a token's. */
export function formatMoney({ minor, currency }: Money): string {
  return formatDecimal(minor, currencyDecimals(currency));
}

/**
 * The wallets that transactions of a currency may leave: where a path or a filter names the currency, rows in all of these
 * are meant. [] for what is no destination currency.
 */
export function paidInCurrencies(code: string): readonly WalletCurrency[] {
  const currency = BY_NAME.get(code);
  return currency === undefined
    ? []
    : [...new Set<WalletCurrency>([currency.code, ...currency.payouts.map((payouts) => payouts.currency)])];
}

/** Whether an amount in this wallet currency is one in US dollars. */
export function isUsd(code: string): boolean {
  return code === USD.code;
}
