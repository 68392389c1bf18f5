/** What a payout asks for, as sent: the amount keeps its spelling, the rail compares and answers that. */
export interface PayoutRequest {
  readonly id: string;
  /** Decimal string, at most two decimals, greater than zero. */
  readonly amount: string;
  readonly currency: string;
  readonly accountNumber: string;
  readonly bankCode: string;
  readonly narration: string;
}

/** A request that breaks a rule; `field` is the first that does. */
export interface BadRequest {
  readonly field: string;
  readonly rule: string;
}

const FIELDS = {
  id: { pattern: /^[A-Za-z0-9._:-]{1,64}$/, rule: '1 to 64 of A-Z a-z 0-9 . _ : -' },
  amount: { pattern: /^(?=.*[1-9])\d{1,15}(\.\d{1,2})?$/, rule: 'a decimal string above zero, two decimals at most' },
  currency: { pattern: /^[A-Z]{3}$/, rule: 'an ISO 4217 code' },
  account_number: { pattern: /^[A-Za-z0-9-]{1,34}$/, rule: '1 to 34 letters, digits or dashes' },
  bank_code: { pattern: /^[A-Za-z0-9._-]{1,64}$/, rule: '1 to 64 letters, digits, dots or dashes' },
  narration: { pattern: /^[^\p{Cc}]{0,140}$/u, rule: 'at most 140 printable characters' },
} as const;

export const PAYOUT_ID_PATTERN = FIELDS.id.pattern;

export function parsePayoutRequest(body: unknown): PayoutRequest | BadRequest {
  if (!isObject(body)) return { field: 'body', rule: 'a JSON object' };
  const recipient = body['recipient'];
  if (!isObject(recipient)) return { field: 'recipient', rule: 'an object' };
  const values = {
    id: body['id'],
    amount: body['amount'],
    currency: body['currency'],
    account_number: recipient['account_number'],
    bank_code: recipient['bank_code'],
    narration: body['narration'] ?? '',
  };
  for (const field of Object.keys(FIELDS) as (keyof typeof FIELDS)[]) {
    const value = values[field];
    if (typeof value !== 'string' || !FIELDS[field].pattern.test(value)) return { field, rule: FIELDS[field].rule };
  }
  const sound = values as Record<keyof typeof FIELDS, string>;
  return {
    id: sound.id,
    amount: sound.amount,
    currency: sound.currency,
    accountNumber: sound.account_number,
    bankCode: sound.bank_code,
    narration: sound.narration,
  };
}

export function isBadRequest(parsed: PayoutRequest | BadRequest): parsed is BadRequest {
  return 'rule' in parsed;
}

/** Whole hundredths: `12.5` is 1250. The rail counts every currency in hundredths. */
export function hundredths(amount: string): bigint {
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(2, '0'));
}

/** The inverse, always with two decimals. */
export function fromHundredths(value: bigint): string {
  const digits = value.toString().padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
