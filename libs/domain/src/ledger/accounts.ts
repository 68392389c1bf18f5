import type { Asset } from '../money/money.js';

type AccountPart = 'partner' | 'provider' | 'wallet' | 'chain' | 'asset';

/** money.md section 4. */
export type SignRule = 'liability' | 'receivable' | 'outside' | 'any';

/**
 * liability: ≥ 0; receivable: ≤ 0; outside: ≤ 0, the negative of the balance at the provider, bank or chain.
 * Only liabilities and receivables have a balance row: the others are in every posting, so a row would
 * serialise them.
 */
export const ACCOUNT_KINDS = {
  wallet: { sign: 'liability', parts: ['partner', 'asset'] },
  held: { sign: 'liability', parts: ['partner', 'asset'] },
  unapplied: { sign: 'liability', parts: ['partner', 'asset'] },
  refunding: { sign: 'liability', parts: ['partner', 'asset'] },
  receivable: { sign: 'receivable', parts: ['partner', 'asset'] },
  rail: { sign: 'outside', parts: ['provider', 'wallet', 'asset'] },
  bank: { sign: 'outside', parts: ['asset'] },
  chain: { sign: 'outside', parts: ['chain', 'asset'] },
  fx: { sign: 'any', parts: ['asset'] },
  fees: { sign: 'any', parts: ['asset'] },
  rail_cost: { sign: 'any', parts: ['asset'] },
  suspense: { sign: 'any', parts: ['asset'] },
  treasury: { sign: 'any', parts: ['asset'] },
  sandbox_funding: { sign: 'any', parts: ['asset'] },
} as const satisfies Record<string, { sign: SignRule; parts: readonly AccountPart[] }>;

export type AccountKind = keyof typeof ACCOUNT_KINDS;

export interface AccountParts {
  readonly kind: AccountKind;
  readonly partner?: number;
  readonly provider?: string;
  /** The provider's wallet that pays: a float. */
  readonly wallet?: string;
  readonly chain?: string;
  readonly asset: Asset;
}

const PART = {
  partner: /^[1-9]\d{0,15}$/,
  provider: /^[a-z][a-z0-9_]{0,39}$/,
  wallet: /^[a-z](?:[a-z0-9]|-(?=[a-z0-9])){0,39}$/,
  chain: /^[A-Z0-9_-]{1,40}$/,
  asset: /^[A-Za-z0-9.]{1,20}(@[A-Z0-9_-]{1,40})?$/,
} as const;

function build(kind: AccountKind, values: Readonly<Record<string, string | number>>): string {
  const parts = ACCOUNT_KINDS[kind].parts.map((part) => {
    const text = String(values[part]);
    if (!PART[part].test(text)) throw new RangeError(`account ${kind}: not a ${part}`);
    return text;
  });
  return [kind, ...parts].join(':');
}

const ofPartner =
  (kind: AccountKind) =>
  (partner: number, asset: Asset): string =>
    build(kind, { partner, asset });
const ofAsset =
  (kind: AccountKind) =>
  (asset: Asset): string =>
    build(kind, { asset });

/** `accountName.wallet(1, 'USD')` = `wallet:1:USD`. */
export const accountName = {
  wallet: ofPartner('wallet'),
  held: ofPartner('held'),
  unapplied: ofPartner('unapplied'),
  refunding: ofPartner('refunding'),
  receivable: ofPartner('receivable'),
  rail: (provider: string, wallet: string, asset: Asset): string => build('rail', { provider, wallet, asset }),
  bank: ofAsset('bank'),
  chain: (chain: string, asset: Asset): string => build('chain', { chain, asset }),
  fx: ofAsset('fx'),
  fees: ofAsset('fees'),
  rail_cost: ofAsset('rail_cost'),
  suspense: ofAsset('suspense'),
  treasury: ofAsset('treasury'),
  sandbox_funding: ofAsset('sandbox_funding'),
} as const satisfies Record<AccountKind, unknown>;

/** Throws on other names: they come from our own rows. */
export function parseAccountName(name: string): AccountParts {
  const [kind, ...values] = name.split(':');
  if (kind === undefined || !Object.hasOwn(ACCOUNT_KINDS, kind)) throw new RangeError('not an account kind');
  const known = kind as AccountKind;
  const { parts } = ACCOUNT_KINDS[known];
  if (parts.length !== values.length) throw new RangeError(`account ${kind}: takes ${String(parts.length)} parts`);
  const found: { [key in AccountPart]?: string } = {};
  parts.forEach((part, index) => {
    const value = values[index] ?? '';
    if (!PART[part].test(value)) throw new RangeError(`account ${kind}: not a ${part}`);
    found[part] = value;
  });
  return {
    kind: known,
    asset: found.asset ?? '',
    ...(found.partner === undefined ? {} : { partner: Number(found.partner) }),
    ...(found.provider === undefined ? {} : { provider: found.provider }),
    ...(found.wallet === undefined ? {} : { wallet: found.wallet }),
    ...(found.chain === undefined ? {} : { chain: found.chain }),
  };
}

export function signRuleOf(name: string): SignRule {
  return ACCOUNT_KINDS[parseAccountName(name).kind].sign;
}
