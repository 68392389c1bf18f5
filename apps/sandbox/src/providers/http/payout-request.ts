import {
  type BrokenRule,
  type NamedRecipient,
  parseNamedRecipient,
  parseRecipient,
  type Recipient,
  recipientKey,
} from '../book/recipient.js';

export interface PayoutRequest {
  readonly id: string;
  /** Decimal, at most two decimals, above zero; spelling is kept. */
  readonly amount: string;
  readonly currency: string;
  readonly recipient: Recipient;
  readonly narration: string;
  /** The caller's order; '': none. It does not decide who is paid what. */
  readonly order: string;
}

export interface TopUpRequest {
  readonly order: string;
  readonly currency: string;
  readonly recipient: Recipient;
}

export interface LookupRequest {
  readonly currency: string;
  readonly recipient: NamedRecipient;
}

const NAME = { pattern: /^[A-Za-z0-9._:-]{1,64}$/, rule: '1 to 64 of A-Z a-z 0-9 . _ : -' } as const;

const FIELDS = {
  id: NAME,
  order: NAME,
  amount: { pattern: /^(?=.*[1-9])\d{1,15}(\.\d{1,2})?$/, rule: 'a decimal string above zero, two decimals at most' },
  currency: { pattern: /^[A-Z]{3}$/, rule: 'an ISO 4217 code' },
  narration: { pattern: /^[^\p{Cc}]{0,140}$/u, rule: 'at most 140 printable characters' },
} as const;
type Field = keyof typeof FIELDS;

export const PAYOUT_ID_PATTERN = FIELDS.id.pattern;

export function parsePayoutRequest(body: unknown): PayoutRequest | BrokenRule {
  if (!isObject(body)) return NO_OBJECT;
  const recipient = parseRecipient(body['recipient']);
  const values = {
    id: body['id'],
    amount: body['amount'],
    currency: body['currency'],
    narration: body['narration'] ?? '',
  };
  const order = body['order'];
  const broken =
    brokenRule({ ...values, ...(order !== undefined && { order }) }) ?? (isBroken(recipient) ? recipient : null);
  return broken ?? ({ ...values, recipient, order: order ?? '' } as PayoutRequest);
}

export function parseTopUp(body: unknown): TopUpRequest | BrokenRule {
  if (!isObject(body)) return NO_OBJECT;
  const recipient = parseRecipient(body['recipient']);
  const values = { order: body['order'], currency: body['currency'] };
  const broken = brokenRule(values) ?? (isBroken(recipient) ? recipient : null);
  return broken ?? ({ ...values, recipient } as TopUpRequest);
}

export function parseLookup(body: unknown): LookupRequest | BrokenRule {
  if (!isObject(body)) return NO_OBJECT;
  const recipient = parseNamedRecipient(body['recipient']);
  const values = { currency: body['currency'] };
  const broken = brokenRule(values) ?? (isBroken(recipient) ? recipient : null);
  return broken ?? ({ ...values, recipient } as LookupRequest);
}

export function isBroken(parsed: object): parsed is BrokenRule {
  return 'rule' in parsed;
}

/** Ignores the spelling of the amount, and the order: old callers sent none. */
export function samePayout(a: PayoutRequest, b: PayoutRequest): boolean {
  return (
    hundredths(a.amount) === hundredths(b.amount) &&
    a.currency === b.currency &&
    recipientKey(a.recipient) === recipientKey(b.recipient) &&
    a.narration === b.narration
  );
}

/** `12.5` is 1250. All currencies count in hundredths. */
export function hundredths(amount: string): bigint {
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(2, '0'));
}

/** Always two decimals. */
export function fromHundredths(value: bigint): string {
  const digits = value.toString().padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

const NO_OBJECT: BrokenRule = { field: 'body', rule: 'a JSON object' };

function brokenRule(values: Readonly<Partial<Record<Field, unknown>>>): BrokenRule | null {
  for (const field of Object.keys(values) as Field[]) {
    const value = values[field];
    if (typeof value !== 'string' || !FIELDS[field].pattern.test(value)) return { field, rule: FIELDS[field].rule };
  }
  return null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
