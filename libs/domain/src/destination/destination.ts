import type { NamedChoice } from '../currency/currency.js';

/** A bank account: canonical code, the bank's name from the list. */
export interface BankRecipient {
  readonly kind: 'bank';
  readonly account_number: string;
  readonly bank_code: string;
  readonly bank_name: string;
}

/** A mobile money wallet: the phone number in E.164 (`+254712345678`), the network by its canonical name. */
export interface MobileRecipient {
  readonly kind: 'mobile';
  readonly phone: string;
  readonly mobile_network: string;
}

/** An account at a business that collects through a paybill. */
export interface PaybillRecipient {
  readonly kind: 'paybill';
  readonly shortcode: string;
  readonly account_number: string;
}

/** A merchant's till (buy goods). */
export interface TillRecipient {
  readonly kind: 'till';
  readonly shortcode: string;
}

/** Who is paid, as the rules left it. */
export type PayoutDestination = BankRecipient | MobileRecipient | PaybillRecipient | TillRecipient;
export type DestinationKind = PayoutDestination['kind'];

/** Whose name is asked for: of a paybill the business, whatever account with it. */
export type LookupDestination =
  BankRecipient | MobileRecipient | Omit<PaybillRecipient, 'account_number'> | TillRecipient;

/** How the interface calls each kind, in requests and in status rows (`type`). */
export const PAYOUT_TYPES = {
  mobile: 'MOBILE',
  paybill: 'PAYBILL',
  till: 'BUY_GOODS',
  bank: 'BANK_TRANSFER',
} as const satisfies Record<DestinationKind, string>;

/** Each kind as a request may name it. */
export const TYPE_CHOICES: { readonly [K in DestinationKind]: NamedChoice & { readonly kind: K } } = {
  mobile: { kind: 'mobile', name: PAYOUT_TYPES.mobile, aliases: [] },
  paybill: { kind: 'paybill', name: PAYOUT_TYPES.paybill, aliases: [] },
  till: { kind: 'till', name: PAYOUT_TYPES.till, aliases: ['TILL'] },
  bank: { kind: 'bank', name: PAYOUT_TYPES.bank, aliases: [] },
};
