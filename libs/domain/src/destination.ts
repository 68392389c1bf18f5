/** Kinds of recipients: a bank account, a mobile money wallet, an account at a paybill, a till. */
export type DestinationKind = 'bank' | 'mobile' | 'paybill' | 'till';

/** How the interface calls each kind, in requests and in status rows (`type`). */
export const PAYOUT_TYPES: Readonly<Record<DestinationKind, string>> = {
  mobile: 'MOBILE',
  paybill: 'PAYBILL',
  till: 'BUY_GOODS',
  bank: 'BANK_TRANSFER',
};
