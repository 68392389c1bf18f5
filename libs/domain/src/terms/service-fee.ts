import type { Currency, ServiceFee } from '../currency/currency.js';
import { CURRENCIES, type Currencies } from '../currency/registry.js';
import { NO_FEE } from '../currency/number-rules.js';

/** Money operations that may carry a service fee. */
export type FeeOperation = 'bank_transfer' | 'disburse' | 'pay';

/** Our fee on an operation that leaves the wallet in `walletCurrency`; none for pay: it is in the rate (decisions.md section 3). */
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

/** The service fee in minor units of `walletCurrency`, on top of the amount and from the wallet (decisions.md section 3). */
export function serviceFee(
  walletCurrency: string,
  operation: FeeOperation,
  amountMinor: bigint,
  currencies: Currencies = CURRENCIES,
): bigint {
  return feeOn(amountMinor, serviceFeeTerms(walletCurrency, operation, currencies));
}

/** The fee on an amount by such terms: the share of the amount rounded up. */
export function feeOn(amountMinor: bigint, { flatMinor, basisPoints }: ServiceFee): bigint {
  if (amountMinor < 0n) throw new RangeError('serviceFee: an amount is at least 0');
  return flatMinor + (amountMinor * basisPoints + BASIS - 1n) / BASIS;
}
