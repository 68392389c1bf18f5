/** Without a kind it is a bank account. */
export type Recipient =
  | { readonly kind: 'bank'; readonly account_number: string; readonly bank_code: string }
  | { readonly kind: 'mobile'; readonly shortcode: string; readonly mobile_network: string }
  | { readonly kind: 'paybill'; readonly shortcode: string; readonly account_number: string }
  | { readonly kind: 'till'; readonly shortcode: string };

/** A paybill's name is the business's, whatever the account. */
export type NamedRecipient =
  Exclude<Recipient, { readonly kind: 'paybill' }> | { readonly kind: 'paybill'; readonly shortcode: string };

/** `rule` completes "<field> must be …". */
export interface BrokenRule {
  readonly field: string;
  readonly rule: string;
}

const FIELDS = {
  account_number: { pattern: /^[A-Za-z0-9-]{1,34}$/, rule: '1 to 34 letters, digits or dashes' },
  bank_code: { pattern: /^[A-Za-z0-9._-]{1,64}$/, rule: '1 to 64 letters, digits, dots or dashes' },
  phone: { pattern: /^\d{5,15}$/, rule: '5 to 15 digits' },
  mobile_network: {
    pattern: /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,49}$/,
    rule: '1 to 50 letters, digits, spaces, dots or dashes',
  },
  business_number: { pattern: /^\d{5,7}$/, rule: '5 to 7 digits' },
  // Businesses decide what this holds.
  reference: { pattern: /^[^\p{Cc}]{1,64}$/u, rule: '1 to 64 printable characters' },
} as const;
type FieldRule = keyof typeof FIELDS;

type Kinds = Readonly<Record<Recipient['kind'], Readonly<Record<string, FieldRule>>>>;

const KINDS: Kinds = {
  bank: { account_number: 'account_number', bank_code: 'bank_code' },
  mobile: { shortcode: 'phone', mobile_network: 'mobile_network' },
  paybill: { shortcode: 'business_number', account_number: 'reference' },
  till: { shortcode: 'business_number' },
};
const NAMED_KINDS: Kinds = { ...KINDS, paybill: { shortcode: 'business_number' } };

export function parseRecipient(value: unknown): Recipient | BrokenRule {
  return parseFields(value, KINDS) as Recipient | BrokenRule;
}

/** Ignores fields that do not belong to the recipient. */
export function parseNamedRecipient(value: unknown): NamedRecipient | BrokenRule {
  return parseFields(value, NAMED_KINDS) as NamedRecipient | BrokenRule;
}

function parseFields(value: unknown, kinds: Kinds): object {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { field: 'recipient', rule: 'an object' };
  const given = value as Readonly<Record<string, unknown>>;
  const kind = given['kind'] ?? 'bank';
  if (typeof kind !== 'string' || !Object.hasOwn(kinds, kind))
    return { field: 'kind', rule: Object.keys(kinds).join(', ') };
  const fields: Record<string, string> = { kind };
  for (const [field, name] of Object.entries(kinds[kind as Recipient['kind']])) {
    const text = given[field];
    const { pattern, rule } = FIELDS[name];
    if (typeof text !== 'string' || !pattern.test(text)) return { field, rule };
    fields[field] = text;
  }
  return fields;
}

export function recipientView({ kind, ...fields }: Recipient): object {
  return kind === 'bank' ? fields : { kind, ...fields };
}

/** The number that decides the behaviour: the account, else the shortcode. */
export function numberOf(recipient: NamedRecipient): string {
  return 'account_number' in recipient ? recipient.account_number : recipient.shortcode;
}

/** Equal for equal recipients. */
export function recipientKey(recipient: Recipient): string {
  return JSON.stringify([
    recipient.kind,
    ...Object.keys(KINDS[recipient.kind]).map((field) => (recipient as unknown as Record<string, string>)[field]),
  ]);
}
