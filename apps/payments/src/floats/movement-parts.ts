import {
  accountName,
  chainNamed,
  currencyDecimals,
  fail,
  formatDecimal,
  money,
  ok,
  parseAccountName,
  parseDecimal,
  signRuleOf,
  type Asset,
  type Money,
  type Problem,
  type Result,
} from '@vuka/domain';
import type { PayoutProvider } from '@vuka/payouts';
import type { Queryable } from '@vuka/persistence';

import type { Posting } from '../commit/index.js';
import { type FloatMovement, MOVEMENT_KINDS, type MovementProposal } from './float-movement.js';

type Parts = Pick<FloatMovement, 'provider' | 'wallet' | 'tokens'>;
type Asks = Pick<Queryable, 'query'>;
export type ProviderFloats = Pick<PayoutProvider, 'id' | 'floats'>;

const MOST_TOKENS = 10n ** 12n;

/** What a proposal names beside its amount. Errors: not_found (no such wallet), invalid_request, amount_out_of_range. */
export async function partsOf(
  db: Asks,
  providers: readonly ProviderFloats[],
  { kind, currency, provider, wallet, asset, tokens }: MovementProposal,
): Promise<Result<Parts, Problem>> {
  const names = MOVEMENT_KINDS[kind];
  if (names !== 'float' && (provider !== null || wallet !== null)) return invalid(`${kind} names no provider`);
  if (names !== 'trade' && (asset !== null || tokens !== null)) return invalid(`${kind} names no token`);
  switch (names) {
    case 'bank':
      return ok({ provider: null, wallet: null, tokens: null });
    case 'trade': {
      if (asset === null || tokens === null) return invalid(`${kind} names a token, and how many`);
      const sold = tokensOf(asset, tokens);
      return sold.ok ? ok({ provider: null, wallet: null, tokens: sold.value }) : sold;
    }
    case 'float': {
      if (provider === null || wallet === null) return invalid(`${kind} names a provider and its wallet`);
      const unknown = await unknownFloat(db, providers, { provider, wallet, currency });
      return unknown === null ? ok({ provider, wallet, tokens: null }) : fail({ code: 'not_found', message: unknown });
    }
  }
}

/** null: known. What stands in the ledger is, also of a provider that is configured no more. */
async function unknownFloat(
  db: Asks,
  providers: readonly ProviderFloats[],
  { provider, wallet, currency }: { readonly provider: string; readonly wallet: string; readonly currency: string },
): Promise<string | null> {
  const floats = providers.flatMap((one) => one.floats.map((float) => ({ provider: one.id, ...float })));
  const known = floats.filter((float) => float.currency === currency);
  if (known.some((float) => float.provider === provider && float.wallet === wallet)) return null;
  const account = railAccount(provider, wallet, currency);
  if (account !== null && (await db.query('select from accounts where name = $1', [account])).length > 0) return null;
  const there = known.map((float) => `${float.provider} ${float.wallet}`).join(', ');
  return `No provider has such a wallet of ${currency}. Known here: ${there === '' ? 'none' : there}`;
}

function railAccount(provider: string, wallet: string, currency: string): string | null {
  try {
    return accountName.rail(provider, wallet, currency);
  } catch {
    return null;
  }
}

function tokensOf(asset: string, text: string): Result<Money, Problem> {
  const decimals = tokenDecimals(asset);
  if (decimals === undefined) return invalid('the token is none of ours: it is written as USDC@CELO');
  const minor = parseDecimal(text, decimals);
  if (!minor.ok) return invalid(`tokens ${minor.error}`);
  if (minor.value > 0n && minor.value <= MOST_TOKENS * 10n ** BigInt(decimals)) return ok(money(minor.value, asset));
  return fail({ code: 'amount_out_of_range', message: `tokens must be above 0 and at most ${MOST_TOKENS}` });
}

function tokenDecimals(asset: string): number | undefined {
  const [symbol, chain, ...more] = asset.split('@');
  if (chain === undefined || more.length > 0) return undefined;
  return chainNamed(chain)?.tokens.find((token) => token.symbol === symbol)?.decimals;
}

/**
 * null: the bank, provider or chain that would lose holds enough by the ledger. Such accounts keep no balance: their
 * rows are locked against another movement, and their entries summed.
 */
export async function tooLittleFor(tx: Asks, { legs }: Pick<Posting, 'legs'>): Promise<string | null> {
  const losing = legs.filter(({ to }) => signRuleOf(to) === 'outside');
  const names = losing.map(({ to }) => to);
  await tx.query('select from accounts where name = any ($1) order by id for no key update', [names]);
  const rows = await tx.query<{ name: string; held: string }>(
    `select a.name, (coalesce((select sum(amount_minor) from entries where from_account = a.id), 0)
                     - coalesce((select sum(amount_minor) from entries where to_account = a.id), 0))::text as held
       from accounts a where a.name = any ($1)`,
    [names],
  );
  const held = new Map(rows.map((row) => [row.name, BigInt(row.held)]));
  const short = losing.find(({ to, amount }) => (held.get(to) ?? 0n) < amount.minor);
  return short === undefined ? null : `The ledger has ${textOf(held.get(short.to) ?? 0n, short.to)} on ${short.to}`;
}

function textOf(minor: bigint, account: string): string {
  const asset: Asset = parseAccountName(account).asset;
  const decimals = asset.includes('@') ? (tokenDecimals(asset) ?? 0) : currencyDecimals(asset);
  return `${formatDecimal(minor, decimals)} ${asset}`;
}

function invalid(message: string): { ok: false; error: Problem } {
  return fail({ code: 'invalid_request', message });
}
