import type { Corridor, WalletCurrency } from '@vuka/domain';

import { type Float, MAIN_WALLET, type PaidVia, type PayoutDestination } from '../../payout-provider.js';
import { type BankCodes, NGN_BANK_CODES } from './banks.js';

/** How Paystack reaches a kind of recipient. */
export interface PaystackChannel extends Corridor {
  /** `type` of its recipients. */
  readonly type: 'nuban' | 'kepss' | 'mobile_money' | 'mobile_money_business';
  /** Its code of the network; null: by the bank's. */
  readonly bankCode: string | null;
  /** Decimals an amount may carry there. */
  readonly decimals: 0 | 2;
  readonly source: string;
}

const RECIPIENTS = '[D] docs/transfers/creating-transfer-recipients';

const channel = (
  currency: WalletCurrency,
  kind: Corridor['kind'],
  network: string | null,
  rest: Omit<PaystackChannel, keyof Corridor>,
): PaystackChannel => ({ currency, kind, network, ...rest });

/** Ghana's banks (`ghipss`) are no destination of our rules. */
export const PAYSTACK_CHANNELS: readonly PaystackChannel[] = [
  channel('NGN', 'bank', null, { type: 'nuban', bankCode: null, decimals: 2, source: RECIPIENTS }),
  // [U] whether M-PESA takes cents: whole shillings alone.
  channel('KES', 'mobile', 'Safaricom', { type: 'mobile_money', bankCode: 'MPESA', decimals: 0, source: RECIPIENTS }),
  channel('KES', 'till', null, {
    type: 'mobile_money_business',
    bankCode: 'MPTILL',
    decimals: 0,
    source: '[D] PaystackOSS/doc-code-snippets, transfer-recipient-mpesa',
  }),
  channel('KES', 'paybill', null, {
    type: 'mobile_money_business',
    bankCode: 'MPPAYBILL',
    decimals: 0,
    source: '[D] GET /bank?currency=KES; [D] api/transfer, account_reference',
  }),
  // [U] its codes: paid only where the row of the providers file maps the bank.
  channel('KES', 'bank', null, { type: 'kepss', bankCode: null, decimals: 2, source: RECIPIENTS }),
  channel('GHS', 'mobile', 'MTN', { type: 'mobile_money', bankCode: 'MTN', decimals: 2, source: RECIPIENTS }),
  channel('GHS', 'mobile', 'Telecel', { type: 'mobile_money', bankCode: 'VOD', decimals: 2, source: RECIPIENTS }),
  channel('GHS', 'mobile', 'AirtelTigo', { type: 'mobile_money', bankCode: 'ATL', decimals: 2, source: RECIPIENTS }),
];

export const FLOATS: readonly Float[] = ['NGN', 'KES', 'GHS'].map((currency) => ({ wallet: MAIN_WALLET, currency }));

export function banksOfChannel({ currency, kind }: Corridor, kesBanks: BankCodes): BankCodes | null {
  if (kind !== 'bank') return null;
  return currency === 'NGN' ? NGN_BANK_CODES : kesBanks;
}

/** null: Paystack does not pay there. */
export function walletOf({ kind, mobileNetwork }: PaidVia, currency: string): string | null {
  return channelOf(currency, kind, mobileNetwork) === undefined ? null : MAIN_WALLET;
}

/** A recipient as Paystack names it. */
export interface PaystackAccount {
  readonly channel: PaystackChannel;
  readonly accountNumber: string;
  readonly bankCode: string;
  /** Of a paybill: whose account is credited there. */
  readonly accountReference: string | null;
}

/** null: Paystack does not pay there. */
export function accountOf(
  currency: string,
  destination: PayoutDestination,
  kesBanks: BankCodes,
): PaystackAccount | null {
  const network = destination.kind === 'mobile' ? destination.mobile_network : '';
  const found = channelOf(currency, destination.kind, network);
  if (found === undefined) return null;
  const bankCode =
    destination.kind === 'bank' ? banksOfChannel(found, kesBanks)?.get(destination.bank_code) : found.bankCode;
  if (bankCode === undefined || bankCode === null) return null;
  return {
    channel: found,
    bankCode,
    accountNumber: numberOf(destination),
    accountReference: destination.kind === 'paybill' ? destination.account_number : null,
  };
}

function channelOf(currency: string, kind: Corridor['kind'], network: string): PaystackChannel | undefined {
  return PAYSTACK_CHANNELS.find(
    (one) => one.currency === currency && one.kind === kind && (one.network ?? '') === network,
  );
}

function numberOf(destination: PayoutDestination): string {
  switch (destination.kind) {
    case 'bank':
      return destination.account_number;
    case 'mobile':
      return localPhone(destination.phone);
    case 'paybill':
    case 'till':
      return destination.shortcode;
  }
}

/** [D] `0551234987`, in Ghana and Kenya alike: their country codes have three digits. */
export function localPhone(phone: string): string {
  const digits = phone.replace(/^\+/, '');
  return /^(233|254)\d{9}$/.test(digits) ? `0${digits.slice(3)}` : digits;
}
