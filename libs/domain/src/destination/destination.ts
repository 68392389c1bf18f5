import type { NamedChoice } from '../currency/currency.js';

/** Canonical code, and the name from the list. */
export interface BankRecipient {
  readonly kind: 'bank';
  readonly account_number: string;
  readonly bank_code: string;
  readonly bank_name: string;
}

/** Phone in E.164 (`+254712345678`), canonical network name. */
export interface MobileRecipient {
  readonly kind: 'mobile';
  readonly phone: string;
  readonly mobile_network: string;
}

export interface PaybillRecipient {
  readonly kind: 'paybill';
  readonly shortcode: string;
  readonly account_number: string;
}

export interface TillRecipient {
  readonly kind: 'till';
  readonly shortcode: string;
}

export type PayoutDestination = BankRecipient | MobileRecipient | PaybillRecipient | TillRecipient;
export type DestinationKind = PayoutDestination['kind'];

/** For a paybill, the business without an account. */
export type LookupDestination =
  BankRecipient | MobileRecipient | Omit<PaybillRecipient, 'account_number'> | TillRecipient;

/** `type` in requests and status rows. */
export const PAYOUT_TYPES = {
  mobile: 'MOBILE',
  paybill: 'PAYBILL',
  till: 'BUY_GOODS',
  bank: 'BANK_TRANSFER',
} as const satisfies Record<DestinationKind, string>;

export const TYPE_CHOICES: { readonly [K in DestinationKind]: NamedChoice & { readonly kind: K } } = {
  mobile: { kind: 'mobile', name: PAYOUT_TYPES.mobile, aliases: [] },
  paybill: { kind: 'paybill', name: PAYOUT_TYPES.paybill, aliases: [] },
  till: { kind: 'till', name: PAYOUT_TYPES.till, aliases: ['TILL'] },
  bank: { kind: 'bank', name: PAYOUT_TYPES.bank, aliases: [] },
};
