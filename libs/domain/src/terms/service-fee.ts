import type { Currency, ServiceFee } from '../currency/currency.js';
import { CURRENCIES, type Currencies } from '../currency/registry.js';
import { NO_FEE } from '../currency/number-rules.js';
import { money, type Asset, type Money } from '../money/money.js';

export type FeeOperation = 'bank_transfer' | 'disburse' | 'pay';

/** None for pay: its fee is in the rate (decisions.md section 3). */
export function serviceFeeTerms(
  walletCurrency: string,
  operation: FeeOperation,
  currencies: Currencies = CURRENCIES,
): ServiceFee {
  const all = Object.values<Currency>(currencies);
  switch (operation) {
    case 'bank_transfer':
      return all.find(({ code }) => code === walletCurrency)?.bankTransfer?.serviceFee ?? NO_FEE;
    case 'disburse':
      return (
        all.flatMap(({ payouts }) => payouts).find(({ currency }) => currency === walletCurrency)?.serviceFee ?? NO_FEE
      );
    case 'pay':
      return NO_FEE;
  }
}

const BASIS = 10_000n;

/** On top of the amount, from the same wallet (decisions.md section 3). */
export function serviceFee<C extends Asset>(
  operation: FeeOperation,
  amount: Money<C>,
  currencies: Currencies = CURRENCIES,
): Money<C> {
  return feeOn(amount, serviceFeeTerms(amount.currency, operation, currencies));
}

/** The share is rounded up. */
export function feeOn<C extends Asset>(
  { minor, currency }: Money<C>,
  { flatMinor, basisPoints }: ServiceFee,
): Money<C> {
  if (minor < 0n) throw new RangeError('serviceFee: an amount is at least 0');
  return money(flatMinor + (minor * basisPoints + BASIS - 1n) / BASIS, currency);
}
