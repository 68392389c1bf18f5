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

export const CURRENCIES = { KES, UGX, NGN, GHS, MWK, CDF, ETB } as const satisfies Currencies;

/** interface.md, Endpoints 2 and 3. */
export const DEFAULT_CURRENCY: CurrencyCode = KES.code;

/** decisions.md section 2, banks. */
export const DEFAULT_BANKS_CURRENCY: CurrencyCode = NGN.code;

/** Only a wallet: some destinations are paid from it. */
export const USD = {
  code: 'USD',
  decimals: 2,
  sandboxOpeningMinor: 10_000_00n,
  country_name: 'United States',
} as const;

export type Wallet = Pick<Currency, 'decimals' | 'sandboxOpeningMinor' | 'country_name'> & {
  readonly code: WalletCurrency;
};

export const WALLETS: readonly Wallet[] = [...Object.values<Currency>(CURRENCIES), USD];

export const WALLET_CURRENCIES: readonly WalletCurrency[] = WALLETS.map(({ code }) => code);

const BY_NAME: ReadonlyMap<string, Currency> = new Map(
  Object.values<Currency>(CURRENCIES).flatMap((currency): [string, Currency][] => [
    [currency.code, currency],
    [currency.country, currency],
  ]),
);

const WALLET_BY_CODE: ReadonlyMap<string, Wallet> = new Map(WALLETS.map((wallet) => [wallet.code, wallet]));

/** Length first: the text comes from a URL. Only ASCII, because `ſ` and others fold to it. */
const CODE = /^[A-Za-z]{2,3}$/;

/** By ISO 4217 code or ISO 3166 country, in any letter case (decisions.md section 1). */
export function findCurrency(codeOrCountry: string): Currency | undefined {
  return CODE.test(codeOrCountry) ? BY_NAME.get(codeOrCountry.toUpperCase()) : undefined;
}

export function findWallet(code: string): Wallet | undefined {
  return CODE.test(code) ? WALLET_BY_CODE.get(code.toUpperCase()) : undefined;
}

/** Throws on an unknown code. */
export function currencyDecimals(code: string): number {
  const wallet = WALLET_BY_CODE.get(code);
  if (wallet === undefined) throw new RangeError('currencyDecimals: not a wallet currency');
  return wallet.decimals;
}

/** `500.00`. Throws on a token. */
export function formatMoney({ minor, currency }: Money): string {
  return formatDecimal(minor, currencyDecimals(currency));
}

/** A path or filter with a destination currency means all of them. []: no destination currency. */
export function paidInCurrencies(code: string): readonly WalletCurrency[] {
  const currency = BY_NAME.get(code);
  return currency === undefined
    ? []
    : [...new Set<WalletCurrency>([currency.code, ...currency.payouts.map((payouts) => payouts.currency)])];
}

export function isUsd(code: string): boolean {
  return code === USD.code;
}
