import type { BankData } from '../bank/bank-data.js';

/** The destination currencies; USD is only a wallet (and what CDF may be paid out in). */
export const CURRENCY_CODES = ['KES', 'UGX', 'NGN', 'GHS', 'MWK', 'CDF', 'ETB'] as const;
export type CurrencyCode = (typeof CURRENCY_CODES)[number];
export type WalletCurrency = CurrencyCode | 'USD';

/** How an account number of this currency's banks looks; `rule` completes "account_number must be …". */
export interface AccountNumberRule {
  readonly pattern: RegExp;
  readonly rule: string;
}

/** The bank transfer operation in one currency (decisions.md section 3). */
export interface BankTransferRules {
  /** Decimals a request's amount may carry; trailing zeros beyond are accepted. */
  readonly decimals: number;
  readonly minMinor: bigint;
  readonly maxMinor: bigint;
  readonly accountNumber: AccountNumberRule;
  readonly bankDirectory: readonly BankData[];
}

/** One destination currency. An operation that is not offered is `null`, never absent. */
export interface Currency {
  readonly code: CurrencyCode;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly country_name: string;
  /** International calling code, digits without `+`. */
  readonly phone_code: string;
  /** ISO 4217 exponent: what minor units of this currency mean inside. */
  readonly decimals: number;
  readonly bankTransfer: BankTransferRules | null;
}
