import type { Currency } from '../currency/currency.js';
import { MAX_DECIMAL_LENGTH } from '../money/decimal.js';
import { encodeMinor, type Money } from '../money/money.js';
import { fieldOf, isRawNumber } from './request-fields.js';

/**
 * Only these fields, as sent, make two requests equal (decisions.md section 1 `reference`): no unknown fields,
 * no defaults.
 * Hashed in this alphabetical order.
 */
const KNOWN_FIELDS = {
  bank_transfer: ['account_number', 'amount', 'bank_code', 'bank_name', 'callback_url', 'reference'],
  disburse: [
    'account_name',
    'account_number',
    'amount',
    'bank_code',
    'bank_name',
    'callback_url',
    'currency',
    'fee',
    'mobile_network',
    'reference',
    'shortcode',
    'type',
  ],
  pay: [
    'account_name',
    'account_number',
    'amount',
    'asset',
    'bank_code',
    'bank_name',
    'callback_url',
    'chain',
    'currency',
    'fee',
    'mobile_network',
    'quote_id',
    'reference',
    'refund_address',
    'shortcode',
    'transaction_hash',
    'type',
  ],
  refund: ['chain', 'order_id', 'reference', 'refund_address', 'transaction_hash'],
} as const satisfies Record<string, readonly string[]>;

/** With only one wallet, `currency` is an unknown field. */
const knows = (currency: Pick<FingerprintedCurrency, 'payouts'>, field: string): boolean =>
  field !== 'currency' || currency.payouts.length > 1;

/** For a refund: `{ code: '', payouts: [] }`. */
export interface FingerprintedCurrency {
  readonly code: Currency['code'] | '';
  readonly payouts: readonly unknown[];
}

export type FingerprintedOperation = keyof typeof KNOWN_FIELDS;

const AMOUNT_FIELDS: ReadonlySet<string> = new Set(['amount', 'fee']);

/** `Cipher.fingerprint()`: keyed, as a plain hash of a request could be searched for a recipient's number. */
export type KeyedDigest = (text: string) => string;

/** `100`, `"100.00"` and `"0100"` are equal; other texts stay as sent. */
function canonicalAmount(text: string): string {
  if (text.length > MAX_DECIMAL_LENGTH) return text;
  const match = /^(\d+)(?:\.(\d+))?$/.exec(text);
  if (match === null) return text;
  const whole = (match[1] ?? '').replace(/^0+(?=\d)/, '');
  const fraction = (match[2] ?? '').replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

function canonical(name: string, value: unknown): unknown {
  if (typeof value !== 'string' && !isRawNumber(value)) return value;
  const text = value.toString();
  return AMOUNT_FIELDS.has(name) ? canonicalAmount(text) : text;
}

/** The digest of operation, currency and known fields. */
export function requestFingerprint(
  digest: KeyedDigest,
  operation: FingerprintedOperation,
  currency: FingerprintedCurrency,
  body: Readonly<Record<string, unknown>>,
): string {
  const fields = KNOWN_FIELDS[operation]
    .filter((name) => knows(currency, name))
    .map((name): [string, unknown] => [name, canonical(name, fieldOf(body, name))])
    .filter(([, value]) => value !== undefined);
  return digest(JSON.stringify([operation, currency.code, fields]));
}

/** decisions.md section 2, checkout. */
export interface FingerprintedOrder {
  readonly orderId: string;
  readonly network: string;
  readonly asset: string;
  readonly amount: Money;
}

/** By meaning: `base` and `BASE`, `100` and `100.00` are equal. */
export function orderFingerprint(digest: KeyedDigest, { orderId, network, asset, amount }: FingerprintedOrder): string {
  const fields = [
    ['amount', encodeMinor(amount)],
    ['asset', asset],
    ['currency_code', amount.currency],
    ['network', network],
    ['order_id', orderId],
  ];
  return digest(JSON.stringify(['order', fields]));
}
