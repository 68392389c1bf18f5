import { setTimeout as pause } from 'node:timers/promises';

import { currencyDecimals, formatDecimal } from '@vuka/domain';
import { AdminRefusedError } from '@vuka/http';
import type { LedgerView } from '@vuka/payments';
import { DeadlineExceededError, ServiceUnavailableError } from '@vuka/runtime';

import type { ServiceCalls } from '../service-calls.js';
import { compareDeposits } from './compare-deposits.js';
import { freezeUnbacked, type Frozen } from './freeze-unbacked.js';
import { judgeChains, unreadAccounts, type JudgedHolding } from './judge-chains.js';
import { judgeProviders, type JudgedProvider } from './judge-providers.js';

type Check = LedgerView['checks'][number];

/** Not compared with the ledger; never counts as sound. */
export interface NotRead {
  readonly what: string;
  readonly why: string;
  /** An outage or a read limit. false: stopped, not configured here, or in review. */
  readonly is_away: boolean;
}

export interface StandingView {
  readonly checks: readonly Check[];
  readonly not_read: readonly NotRead[];
  /** Known to only one service yet. */
  readonly deposits_under_way: number;
}

export interface StandingParts {
  readonly services: Pick<ServiceCalls, 'offramp' | 'payments'>;
  readonly isRunning: boolean;
  /** In whose name a partner is frozen, if one has to be. */
  readonly by: string;
  readonly now?: () => Date;
  readonly pause?: (ms: number) => Promise<unknown>;
}

export const DEPOSITS_RULE = 'offramp and payments have the same deposits, by id, amount, asset and state';
export const CHAINS_RULE =
  'each chain balance equals the ledger, plus unrecorded transfers in, minus transfers out that are not final';
export const PROVIDERS_RULE = 'each provider balance equals the ledger, minus payouts on their way';

/** A difference must last through all. A late payment is polled every 20 s; Solana takes 13 s to finalise. */
const COMPARE_AGAIN_AFTER_MS = [2_000, 4_000, 8_000, 16_000];
const STOPPED = 'the services are stopped';

export async function standingChecks({
  services,
  isRunning,
  by,
  now = () => new Date(),
  pause: wait = pause,
}: StandingParts): Promise<StandingView> {
  const [deposits, chains, providers] = await Promise.all([
    readOr(DEPOSITS_RULE, async () => {
      const { differences, underWay, more, compared } = await compareDeposits({
        offramp: services.offramp,
        payments: services.payments,
        isRunning,
        now,
        pause: wait,
      });
      // Stopped, nothing is paid out, and a folder may be older than what it is compared with.
      const frozen: Frozen = isRunning ? await freezeUnbacked(services.payments, differences, by) : new Map();
      const broken = [
        ...differences.map(({ deposit_id, what, unbackedOf: partner }) => ({
          deposit_id,
          what,
          ...(partner !== undefined && frozen.has(partner) && { partner, payouts: frozen.get(partner) }),
        })),
        ...(more ? [{ what: `more differences than these, in ${String(compared)} deposits` }] : []),
      ];
      return { checks: [{ rule: DEPOSITS_RULE, broken }], not_read: [], deposits_under_way: underWay };
    }),
    isRunning
      ? readOr(CHAINS_RULE, () => standing(() => compareChains(services), wait))
      : unread(CHAINS_RULE, STOPPED, false),
    isRunning
      ? readOr(PROVIDERS_RULE, () => standing(() => compareProviders(services), wait))
      : unread(PROVIDERS_RULE, STOPPED, false),
  ]);
  const all = [deposits, chains, providers];
  return {
    checks: all.flatMap(({ checks }) => checks),
    not_read: all.flatMap(({ not_read }) => not_read),
    deposits_under_way: deposits.deposits_under_way,
  };
}

/** A restarted node has no state of earlier blocks, so reading fails until the transfer scan is past them. */
async function standing(
  compare: () => Promise<StandingView>,
  wait: (ms: number) => Promise<unknown>,
): Promise<StandingView> {
  let seen = await compare();
  for (const ms of COMPARE_AGAIN_AFTER_MS) {
    const isRead = !seen.not_read.some(({ is_away }) => is_away);
    if (isRead && seen.checks.every(({ broken }) => broken.length === 0)) break;
    await wait(ms);
    seen = await compare();
  }
  return seen;
}

async function compareChains({ offramp, payments }: StandingParts['services']): Promise<StandingView> {
  const holdings = await offramp.chainHoldings();
  const ids = (movements: readonly { readonly id: number }[]): number[] => [...new Set(movements.map(({ id }) => id))];
  const ledger = await payments.chainAccounts({ deposits: ids(holdings.deposits), refunds: ids(holdings.refunds) });
  const broken = judgeChains(holdings, ledger)
    .filter(({ difference_minor }) => difference_minor !== 0n)
    .map(chainLine);
  const not_read = [...holdings.not_read, ...unreadAccounts(holdings, ledger)].map(({ chain, why, is_away }) => ({
    what: `the addresses on ${chain}`,
    why,
    is_away,
  }));
  const check = { rule: CHAINS_RULE, broken };
  return { checks: holdings.holdings.length === 0 ? [] : [check], not_read, deposits_under_way: 0 };
}

async function compareProviders({ payments }: StandingParts['services']): Promise<StandingView> {
  const { balances, not_read } = await payments.providerBalances();
  const judged = judgeProviders(balances);
  const withPeople = judged.filter(({ verdict }) => verdict === 'with_people');
  const open = withPeople.map((one) => ({
    what: `${one.currency} in the wallet ${one.wallet} of provider ${one.provider}`,
    why: `${String(one.in_review)} payments wait for a person to say whether it paid them; its balance differs by ${String(providerLine(one)['difference'])}`,
    is_away: false,
  }));
  const check = {
    rule: PROVIDERS_RULE,
    broken: judged.filter(({ verdict }) => verdict === 'differs').map(providerLine),
  };
  return {
    checks: judged.length === withPeople.length ? [] : [check],
    not_read: [
      ...not_read.map(({ provider, why, is_away }) => ({ what: `provider ${provider}`, why, is_away })),
      ...open,
    ],
    deposits_under_way: 0,
  };
}

function chainLine({
  chain,
  asset,
  decimals,
  height,
  difference_minor,
  held_minor,
  ledger_minor,
  unrecorded_minor,
  under_way_minor,
  given_minor,
}: JudgedHolding): Readonly<Record<string, unknown>> {
  const text = (minor: bigint): string => formatDecimal(minor, decimals);
  return {
    chain,
    asset,
    height,
    difference: text(difference_minor),
    on_chain: text(held_minor),
    ledger: text(ledger_minor),
    not_in_ledger: text(unrecorded_minor),
    under_way: text(under_way_minor),
    given: text(given_minor),
  };
}

function providerLine({
  provider,
  wallet,
  currency,
  difference_minor,
  told_minor,
  least_minor,
  most_minor,
  told_at,
  under_way_minor,
}: JudgedProvider): Readonly<Record<string, unknown>> {
  const text = (minor: bigint): string => formatDecimal(minor, currencyDecimals(currency));
  return {
    provider,
    wallet,
    currency,
    difference: text(difference_minor),
    told: text(told_minor),
    told_at,
    least: text(least_minor),
    most: text(most_minor),
    under_way: text(under_way_minor),
  };
}

/** An older release may not know the operation. */
async function readOr(what: string, read: () => Promise<StandingView>): Promise<StandingView> {
  try {
    return await read();
  } catch (error) {
    if (
      error instanceof ServiceUnavailableError ||
      error instanceof DeadlineExceededError ||
      error instanceof AdminRefusedError
    )
      return unread(what, error.message, true);
    throw error;
  }
}

function unread(what: string, why: string, is_away: boolean): StandingView {
  return { checks: [], not_read: [{ what, why, is_away }], deposits_under_way: 0 };
}
