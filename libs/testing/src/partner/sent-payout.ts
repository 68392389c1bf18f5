import type { DisburseTo } from '../destinations.js';
import type { DepositFields, NamedDeposit } from './named-deposit.js';

/** Common fields, as a partner may write them: null and '' mean no value (decisions.md section 1). */
interface PayoutFields {
  readonly amount: number | string;
  readonly callback_url?: string | null;
  readonly reference?: string | null;
}

export interface TransferBody extends PayoutFields {
  readonly account_number: string;
  readonly bank_code: string;
}

export interface DisburseBody extends PayoutFields, DisburseTo {
  readonly fee?: number | string | null;
  /** Which wallet pays, in markets that allow a choice. */
  readonly currency?: string | null;
}

export interface PayBody extends DisburseBody, DepositFields {}

const PHONES: Readonly<Record<string, readonly [callingCode: string, national: RegExp]>> = {
  KES: ['254', /^[17]\d{8}$/],
  UGX: ['256', /^7\d{8}$/],
  NGN: ['234', /^[789]\d{9}$/],
  GHS: ['233', /^[25]\d{8}$/],
  MWK: ['265', /^[89]\d{8}$/],
  CDF: ['243', /^[89]\d{8}$/],
  ETB: ['251', /^[79]\d{8}$/],
};

const BANK_ALIASES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  KES: { 522522: '01', kcblkenx: '01' },
  NGN: { '000014': '044', abngngla: '044' },
  MWK: {
    nbmamwmw: '82310dd1-ec9b-4fe7-a32c-2f262ef08681',
    '82310dd1-ec9b-4fe7-a32c-2f262ef08681': '82310dd1-ec9b-4fe7-a32c-2f262ef08681',
  },
};

export type Operation = 'bank-transfer' | 'disburse' | 'pay';
export type PayoutBody = TransferBody | DisburseBody | PayBody;

export const CONTROL_ACTIONS = { release: 'release', top_up: 'top-up', pay: 'pay', reverse: 'reverse' } as const;
export type ControlAction = keyof typeof CONTROL_ACTIONS;

/**
 * A payout the partner sent. `accepted`: a 200 was seen. `open`: no answer, or one that leaves the outcome open.
 * `refused`: a 4xx; such a transaction must not exist.
 */
export interface SentPayout {
  readonly partner: number;
  readonly operation: Operation;
  readonly currency: string;
  readonly market?: string;
  readonly code: string;
  readonly body: PayoutBody;
  readonly callback_url?: string;
  readonly outcome: 'accepted' | 'open' | 'refused';
  readonly controls: readonly ControlAction[];
  /** Its receiver answered 410, so its end is not sent. */
  readonly isUntold?: true;
  readonly deposit?: NamedDeposit;
}

/** In the spelling of the API's rows and the providers' books. */
export interface Recipient {
  readonly account_number?: string | null;
  readonly bank_code?: string | null;
  readonly shortcode?: string | null;
}

/** In one market the request may choose the wallet (interface.md, CDF `currency`). */
export function walletOf(market: string, body: PayoutBody): string {
  return (market === 'CDF' && 'currency' in body && body.currency?.toUpperCase()) || market;
}

export const key = ({ partner, code }: { readonly partner: number; readonly code: string }): string =>
  `${partner} ${code}`;

/** Minor units of decimal text; UGX has no decimals (decisions.md section 1). */
export function minorOf(text: string, currency: string): bigint {
  const decimals = currency === 'UGX' ? 0 : 2;
  const [whole = '0', fraction = ''] = text.split('.');
  if (/[^0]/.test(fraction.slice(decimals))) throw new Error(`${text} has more than ${decimals} decimals`);
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
}

/** A second copy of decisions.md section 3: KES bank transfer 30, else 0. */
export function serviceFeeOf({ operation, currency }: SentPayout): bigint {
  return operation === 'bank-transfer' && currency === 'KES' ? 3_000n : 0n;
}

export function amountOf({ body, currency }: SentPayout): bigint {
  return minorOf(String(body.amount), currency);
}

/** The partner's markup; it returns to the wallet at COMPLETE. */
export function markupOf({ body, currency }: SentPayout): bigint {
  const fee = 'fee' in body ? body.fee : undefined;
  return fee === undefined || fee === null || fee === '' ? 0n : minorOf(String(fee), currency);
}

export function payoutOf(sent: SentPayout): bigint {
  return amountOf(sent) - markupOf(sent);
}

/** Local form. Bank: account and code; phone or till: the number; paybill: both numbers. */
export function recipientOf({ body, currency, market = currency }: SentPayout): Recipient {
  const { account_number, bank_code, shortcode = '' } = body as DisburseBody;
  if (bank_code)
    return {
      account_number: account_number ?? '',
      bank_code: BANK_ALIASES[market]?.[bank_code.toLowerCase()] ?? bank_code,
    };
  if (account_number) return { shortcode: shortcode, account_number };
  return { shortcode: localPhone(shortcode, market) };
}

export function recipientText({ account_number, bank_code, shortcode }: Recipient): string {
  return [shortcode, account_number, bank_code].map((part) => part ?? '').join('/');
}

/** The last four digits of the account number (bank, paybill), else of the shortcode. */
export function sandboxNumberOf(sent: SentPayout): string {
  const { account_number, shortcode } = recipientOf(sent);
  return (account_number || shortcode || '').replace(/\D/g, '').slice(-4);
}

export function localPhone(shortcode: string, market: string): string {
  const [callingCode = '', national = /^$/] = PHONES[market] ?? [];
  const digits = shortcode.replace(/^\+/, '');
  const rest = ['0', callingCode, '']
    .map((prefix) => (digits.startsWith(prefix) ? digits.slice(prefix.length) : ''))
    .find((text) => national.test(text));
  return rest === undefined ? shortcode : `0${rest}`;
}
