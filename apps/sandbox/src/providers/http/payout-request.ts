import {
  type BrokenRule,
  type NamedRecipient,
  parseNamedRecipient,
  parseRecipient,
  type Recipient,
  recipientKey,
} from '../book/recipient.js';

/** What a payout asks for, as sent: the amount keeps its spelling, the provider compares and answers that. */
export interface PayoutRequest {
  readonly id: string;
  /** Decimal string, at most two decimals, greater than zero. */
  readonly amount: string;
  readonly currency: string;
  readonly recipient: Recipient;
  readonly narration: string;
  /** The caller's order that this is an attempt at; '' where none was named. It says nothing of what is paid to whom. */
  readonly order: string;
}

/** Float to give the provider for one order, and whom it is for. */
export interface TopUpRequest {
  readonly order: string;
  readonly currency: string;
  readonly recipient: Recipient;
}

/** Whose name to tell. */
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

/** The same contents, whatever the spelling of the amount. The order is none of them: callers of old named none. */
export function samePayout(a: PayoutRequest, b: PayoutRequest): boolean {
  return (
    hundredths(a.amount) === hundredths(b.amount) &&
    a.currency === b.currency &&
    recipientKey(a.recipient) === recipientKey(b.recipient) &&
    a.narration === b.narration
  );
}

/** Whole hundredths: `12.5` is 1250. The provider counts every currency in hundredths. */
export function hundredths(amount: string): bigint {
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(2, '0'));
}

/** The inverse, always with two decimals. */
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
