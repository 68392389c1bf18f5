import type { AmountLimits } from '../currency/currency.js';
import { ALL_CURRENCIES, type Body, bodyOf, type PayoutCase } from './requests.spec-support.js';

export const EACH = ALL_CURRENCIES.map((currency) => [currency.code, currency] as const);

/** For an amount without a fee. */
export function limitsOf({ rules, network }: PayoutCase): AmountLimits {
  const theirs = rules.kind === 'mobile' ? network?.networkLimits : rules.networkLimits;
  const { minMinor, maxMinor } = rules.limits;
  if (!theirs) return rules.limits;
  return {
    minMinor: minMinor > theirs.minMinor ? minMinor : theirs.minMinor,
    maxMinor: maxMinor < theirs.maxMinor ? maxMinor : theirs.maxMinor,
  };
}

export const stepOf = ({ decimals, minorDecimals }: PayoutCase): bigint => 10n ** BigInt(minorDecimals - decimals);

/** As number, string, and with extra zeros. */
export const written = (text: string): Body[] => [
  bodyOf(`{"amount":${text}}`),
  { amount: text },
  { amount: `00${text}` },
  { amount: text.includes('.') ? `${text}000` : `${text}.00` },
];
