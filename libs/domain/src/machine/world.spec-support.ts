import { accountName, parseAccountName, signRuleOf } from '../ledger/accounts.js';
import type { PostingFacts } from '../ledger/facts.js';
import { postingLegs, type PostingName } from '../ledger/postings.js';
import { add, compare, money, subtract, type Money } from '../money/money.js';
import { convertFloor, type Rate } from '../money/rate.js';
import type { Decision } from './decide.js';
import type { ValueLocation } from './events.js';
import {
  type AttemptState,
  type FundedBy,
  INITIAL_STATE,
  isTerminal,
  type PublicStatus,
  publicStatusOf,
  type TransactionState,
} from './states.js';

export const kes = (minor: bigint): Money => money(minor, 'KES');
export const usdc = (minor: bigint): Money => money(minor, 'USDC@BNB');
export const rateOf = (toMinor: bigint, fromMinor: bigint): Rate => ({ to: kes(toMinor), from: usdc(fromMinor) });

export interface Amounts {
  readonly amount: Money;
  readonly markup: Money;
  readonly serviceFee: Money;
  readonly received: Money;
  readonly rate: Rate;
  /** Judged by the old rule: all of the shortfall was ours. */
  readonly oldShortfall?: true;
}

export interface Attempt {
  readonly state: AttemptState;
  /** Receipts of payout_settled or duplicate_payment; `again`: the duplicates and who bears them. */
  readonly receipts: readonly string[];
  readonly again: readonly { readonly receipt: string; readonly owed: boolean }[];
}

/** Plain data, so that it can be a key. */
export interface World {
  readonly fundedBy: FundedBy;
  readonly refundAddress: boolean;
  readonly state: TransactionState;
  readonly statuses: readonly PublicStatus[];
  readonly attempts: readonly Attempt[];
  readonly inLedger: boolean;
  readonly reverted: boolean;
  readonly appearances: number;
  readonly valueAt: ValueLocation;
  readonly refundCameFrom: 'refund_held' | 'unapplied_refund_held' | null;
  readonly refundGranted: boolean;
  /** payout_settled, although FAILED. */
  readonly paymentStands: boolean;
  readonly posted: readonly PostingName[];
  readonly balances: Readonly<Record<string, bigint>>;
  readonly last: Decision | null;
}

const NAMES = { partner: 7, provider: 'sandbox', wallet: 'main', chain: 'BNB' } as const;
export const ACCOUNT = {
  wallet: accountName.wallet(7, 'KES'),
  held: accountName.held(7, 'KES'),
  receivable: accountName.receivable(7, 'KES'),
  unapplied: accountName.unapplied(7, 'USDC@BNB'),
  refunding: accountName.refunding(7, 'USDC@BNB'),
  provider: accountName.rail('sandbox', 'main', 'KES'),
  fees: accountName.fees('KES'),
  suspense: accountName.suspense('KES'),
  fxFiat: accountName.fx('KES'),
  fxToken: accountName.fx('USDC@BNB'),
  chain: accountName.chain('BNB', 'USDC@BNB'),
} as const;

export const balance = (world: World, account: string): bigint => world.balances[account] ?? 0n;

/** shortfall_covered: missing within tolerance, beyond the markup. */
export function shortfallOf(world: Pick<World, 'fundedBy'>, amounts: Amounts): Money {
  if (world.fundedBy === 'wallet') return kes(0n);
  const worth = convertFloor(amounts.received, amounts.rate);
  const covered = amounts.oldShortfall ? worth : add(worth, amounts.markup);
  return compare(covered, amounts.amount) < 0 ? subtract(amounts.amount, covered) : kes(0n);
}

function factsOf(world: World, amounts: Amounts): PostingFacts {
  return {
    ...NAMES,
    ...amounts,
    held: kes(balance(world, ACCOUNT.held)),
    shortfall: shortfallOf(world, amounts),
    due: kes(-balance(world, ACCOUNT.receivable)),
    duplicatePayment: kes(BigInt(oursOf(world)) * subtract(amounts.amount, amounts.markup).minor),
    available: kes(balance(world, ACCOUNT.wallet)),
  };
}

export const oursOf = (world: World): number =>
  world.attempts.flatMap((one) => one.again).filter(({ owed }) => !owed).length;

const fundingOf = (world: World, amounts: Amounts): Money =>
  add(convertFloor(amounts.received, amounts.rate), shortfallOf(world, amounts));

export function post(world: World, name: PostingName, amounts: Amounts): World {
  const balances: Record<string, bigint> = { ...world.balances };
  const facts = factsOf(world, amounts);
  for (const { from, to, amount } of postingLegs(
    name,
    name === 'refund_hold_withdrawn' ? { ...facts, held: fundingOf(world, amounts) } : facts,
  )) {
    balances[from] = (balances[from] ?? 0n) - amount.minor;
    balances[to] = (balances[to] ?? 0n) + amount.minor;
  }
  const posted = world.posted.includes(name) ? world.posted : [...world.posted, name].sort();
  return { ...world, balances, posted };
}

/** The provider and the chain also hold other partners' money. */
export function start(fundedBy: FundedBy, refundAddress: boolean, amounts: Amounts): World {
  const empty: World = {
    fundedBy,
    refundAddress,
    state: INITIAL_STATE[fundedBy],
    statuses: [publicStatusOf(INITIAL_STATE[fundedBy])],
    attempts: [],
    inLedger: false,
    reverted: false,
    appearances: 0,
    valueAt: 'nowhere',
    refundCameFrom: null,
    refundGranted: false,
    paymentStands: false,
    posted: [],
    balances: { [ACCOUNT.provider]: -(10n ** 30n), 'bank:KES': 10n ** 30n },
    last: null,
  };
  if (fundedBy === 'deposit') return empty;
  const opened = post(empty, 'sandbox_opened', { ...amounts, amount: add(amounts.amount, amounts.serviceFee) });
  return post(opened, 'payout_held', amounts);
}

export const currentOf = (world: World): Attempt | undefined => world.attempts.at(-1);
export const spokenOf = (world: World, of: 'current' | 'older'): Attempt | undefined =>
  of === 'current' ? currentOf(world) : world.attempts.at(-2);

/** The first broken rule that must always hold, or null. */
export function brokenRule(world: World): string | null {
  const sums = new Map<string, bigint>();
  for (const [account, amount] of Object.entries(world.balances)) {
    const { asset } = parseAccountName(account);
    sums.set(asset, (sums.get(asset) ?? 0n) + amount);
    const sign = signRuleOf(account);
    if (sign === 'liability' && amount < 0n) return `${account} is below 0`;
    if (sign === 'receivable' && amount > 0n) return `${account} is above 0`;
  }
  for (const [asset, sum] of sums) if (sum !== 0n) return `${asset} does not sum to 0`;
  if (isTerminal(world.state) && balance(world, ACCOUNT.held) !== 0n) return `${world.state} holds money`;
  const wasSentBack = world.refundCameFrom === 'refund_held' && world.valueAt === 'refunded';
  if (wasSentBack && world.paymentStands) return 'a value was paid out and sent back, and nobody owes it';
  if (world.statuses.length !== new Set(world.statuses).size) return 'the public status went back';
  return null;
}
