import { accountName, parseAccountName, signRuleOf } from '../ledger/accounts.js';
import type { PostingFacts } from '../ledger/facts.js';
import { postingLegs, type PostingName } from '../ledger/postings.js';
import { convertFloor } from '../money/money.js';
import { decideAttempt, type AttemptEventType } from './attempt.js';
import { decide, type Decision } from './decide.js';
import type { Subject, TransactionEvent, ValueLocation } from './events.js';
import {
  INITIAL_STATE,
  isTerminal,
  publicStatusOf,
  type AttemptState,
  type FundedBy,
  type PublicStatus,
  type TransactionState,
} from './states.js';

/** Amounts of one transaction, in minor units; `received` and `rate` only where a deposit pays. */
export interface Amounts {
  readonly amount: bigint;
  readonly markup: bigint;
  readonly serviceFee: bigint;
  readonly received: bigint;
  readonly rate: { readonly toMinor: bigint; readonly fromMinor: bigint };
  /** Of a deposit that was judged while all that was missing was ours. */
  readonly oldShortfall?: true;
}

/** What may happen next: an event for decide(), spoken of attempt `of`, or a step of the ledger's own. */
export type Happening =
  | {
      readonly kind: 'event';
      readonly event: TransactionEvent;
      readonly of: 'current' | 'older';
      readonly otherReceipt?: boolean;
    }
  | { readonly kind: 'own'; readonly posting: 'P9c' | 'P11' | 'P12' | 'P12_unapplied' | 'P12_wallet' | 'P14' }
  | { readonly kind: 'grant' }
  /** The claim of the current attempt: from here on its rail may have it. */
  | { readonly kind: 'send' };

interface Attempt {
  readonly state: AttemptState;
  /** Receipts that P5 or P9 stands for; P9's in `again`, with who bears it. */
  readonly receipts: readonly string[];
  readonly again: readonly { readonly receipt: string; readonly owed: boolean }[];
}

/** One transaction with its attempts, its deposit and the whole ledger; plain data, so that it can be a key. */
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
  readonly refundCameFrom: 'P7' | 'P11' | null;
  readonly refundGranted: boolean;
  /** P5 stands though the state is FAILED. */
  readonly paymentStands: boolean;
  readonly posted: readonly PostingName[];
  readonly balances: Readonly<Record<string, bigint>>;
  readonly last: Decision | null;
}

export const NAMES = { partner: 7, currency: 'KES', token: 'USDC@BNB', rail: 'sandbox', chain: 'BNB' } as const;
export const ACCOUNT = {
  wallet: accountName.wallet(7, 'KES'),
  held: accountName.held(7, 'KES'),
  receivable: accountName.receivable(7, 'KES'),
  unapplied: accountName.unapplied(7, 'USDC@BNB'),
  refunding: accountName.refunding(7, 'USDC@BNB'),
  rail: accountName.rail('sandbox', 'KES'),
  fees: accountName.fees('KES'),
  suspense: accountName.suspense('KES'),
  fxFiat: accountName.fx('KES'),
  fxToken: accountName.fx('USDC@BNB'),
  chain: accountName.chain('BNB', 'USDC@BNB'),
} as const;

export const balance = (world: World, account: string): bigint => world.balances[account] ?? 0n;

/** What P5u adds: what the deposit lacks, where it is within tolerance, beyond the markup. */
export function shortfallOf(world: Pick<World, 'fundedBy'>, amounts: Amounts): bigint {
  if (world.fundedBy === 'wallet') return 0n;
  const covered = convertFloor(amounts.received, amounts.rate) + (amounts.oldShortfall ? 0n : amounts.markup);
  return covered < amounts.amount ? amounts.amount - covered : 0n;
}

export function factsOf(world: World, amounts: Amounts): PostingFacts {
  return {
    ...NAMES,
    ...amounts,
    held: balance(world, ACCOUNT.held),
    shortfall: shortfallOf(world, amounts),
    due: -balance(world, ACCOUNT.receivable),
    paidAgain: BigInt(oursOf(world)) * (amounts.amount - amounts.markup),
    available: balance(world, ACCOUNT.wallet),
  };
}

const oursOf = (world: World): number => world.attempts.flatMap((one) => one.again).filter(({ owed }) => !owed).length;

/** What P4 and P5u open a hold with. */
const fundingOf = (world: World, amounts: Amounts): bigint =>
  convertFloor(amounts.received, amounts.rate) + shortfallOf(world, amounts);

function post(world: World, name: PostingName, amounts: Amounts): World {
  const balances: Record<string, bigint> = { ...world.balances };
  const facts = factsOf(world, amounts);
  for (const { from, to, amount } of postingLegs(
    name,
    name === 'P7_unwind' ? { ...facts, held: fundingOf(world, amounts) } : facts,
  )) {
    balances[from] = (balances[from] ?? 0n) - amount;
    balances[to] = (balances[to] ?? 0n) + amount;
  }
  const posted = world.posted.includes(name) ? world.posted : [...world.posted, name].sort();
  return { ...world, balances, posted };
}

/** A partner with just enough in the wallet, a rail and a chain with other people's money in them. */
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
    balances: { [ACCOUNT.rail]: -(10n ** 30n), 'bank:KES': 10n ** 30n },
    last: null,
  };
  if (fundedBy === 'deposit') return empty;
  const opened = post(empty, 'P0', { ...amounts, amount: amounts.amount + amounts.serviceFee });
  return post(opened, 'P1', amounts);
}

const currentOf = (world: World): Attempt | undefined => world.attempts.at(-1);
const spokenOf = (world: World, of: 'current' | 'older'): Attempt | undefined =>
  of === 'current' ? currentOf(world) : world.attempts.at(-2);

function refundOf({ refundCameFrom, valueAt, refundGranted }: World): Pick<Subject, 'refund'> {
  const lives = refundCameFrom === 'P7' && (valueAt === 'refunding' || valueAt === 'refunded');
  return lives ? { refund: refundGranted ? 'granted' : 'ungranted' } : {};
}

function subjectOf(world: World, of: 'current' | 'older', event: TransactionEvent): Subject {
  const attempt = spokenOf(world, of);
  const again = (
    event.type === 'attempt.started' ? world.attempts.flatMap((one) => one.again) : (attempt?.again ?? [])
  ).at(-1);
  return {
    state: world.state,
    fundedBy: world.fundedBy,
    refundAddress: world.refundAddress,
    ...(attempt === undefined ? {} : { attempt: { isCurrent: of === 'current', state: attempt.state } }),
    attemptSent: world.attempts.some((one) => one.state !== 'INTENT'),
    ...(again === undefined ? {} : { paidAgain: again.owed ? 'owed' : 'ours' }),
    oursStands: oursOf(world) > 0,
    currentUnsent: currentOf(world)?.state === 'INTENT',
    depositReverted: world.reverted,
    valueAt: world.valueAt,
    ...refundOf(world),
    paymentStands: world.paymentStands,
  };
}

function updateAttempt(world: World, of: 'current' | 'older', change: (attempt: Attempt) => Attempt): World {
  const index = of === 'current' ? world.attempts.length - 1 : world.attempts.length - 2;
  return { ...world, attempts: world.attempts.map((one, at) => (at === index ? change(one) : one)) };
}

/** Postings of a decision, in order, with what each means for attempts and deposit. */
function applyPosting(
  before: World,
  name: PostingName,
  of: 'current' | 'older',
  receipt: string,
  amounts: Amounts,
): World {
  const world = post(before, name, amounts);
  switch (name) {
    case 'P2':
    case 'P3':
      return {
        ...world,
        inLedger: true,
        reverted: false,
        appearances: world.appearances + 1,
        valueAt: name === 'P3' ? 'unapplied' : world.valueAt,
      };
    case 'P5':
      return updateAttempt(world, of, (one) => ({
        ...one,
        receipts: one.receipts.includes(receipt) ? one.receipts : [...one.receipts, receipt],
      }));
    case 'P6':
      return { ...world, valueAt: world.fundedBy === 'deposit' ? 'wallet' : 'nowhere' };
    case 'P7':
      return { ...world, valueAt: 'refunding', refundCameFrom: 'P7', refundGranted: false };
    case 'P7_unwind':
      return { ...world, valueAt: 'nowhere', refundCameFrom: null, paymentStands: true };
    case 'P8':
      return world.paymentStands ? { ...world, valueAt: 'wallet', paymentStands: false } : world;
    case 'P9':
    case 'P9_ours':
      return updateAttempt(world, of, (one) => ({
        ...one,
        receipts: [...one.receipts, receipt],
        again: [...one.again, { receipt, owed: name === 'P9' }],
      }));
    case 'P9_unwind':
    case 'P9_ours_unwind':
      return updateAttempt(world, (spokenOf(world, of)?.again.length ?? 0) > 0 ? of : 'older', (one) => ({
        ...one,
        receipts: one.receipts.filter((known) => known !== one.again.at(-1)?.receipt),
        again: one.again.slice(0, -1),
      }));
    case 'P9_owed':
      return {
        ...world,
        attempts: world.attempts.map((one) => ({
          ...one,
          again: one.again.map(({ receipt: known }) => ({ receipt: known, owed: true })),
        })),
      };
    case 'P10a':
    case 'P10b':
    case 'P10b_unapplied':
    case 'P10b_refunding':
      return { ...world, inLedger: false, reverted: true, valueAt: name === 'P10b' ? world.valueAt : 'nowhere' };
    default:
      return world;
  }
}

function applyOwn(world: World, posting: PostingName, amounts: Amounts): World {
  const after = post(world, posting, amounts);
  switch (posting) {
    case 'P11':
      return { ...after, valueAt: 'refunding', refundCameFrom: 'P11', refundGranted: false };
    case 'P12':
      return { ...after, valueAt: 'refunded' };
    case 'P12_unapplied':
      return { ...after, valueAt: 'unapplied' };
    case 'P12_wallet':
    case 'P14':
      return { ...after, valueAt: 'wallet' };
    default:
      return after;
  }
}

const ATTEMPT_EVENTS: ReadonlySet<string> = new Set([
  'submitted',
  'unknown',
  'succeeded',
  'not_paid_route_left',
  'not_paid_last',
  'deferred',
  'reversed',
  'mismatch',
]);

function moveAttempt(world: World, happening: Happening & { kind: 'event' }, decision: Decision): World {
  const { type } = happening.event;
  if (type === 'attempt.started' && decision.kind === 'move') {
    if (decision.steps[0]?.to !== 'SUBMITTING') return world;
    return { ...world, attempts: [...world.attempts, { state: 'INTENT', receipts: [], again: [] }] };
  }
  const ends = decision.kind === 'move' && decision.steps.some(({ to }) => isTerminal(to));
  const stopped = ends
    ? updateAttempt(world, 'current', (attempt) =>
        attempt.state === 'INTENT' ? { ...attempt, state: 'NOT_PAID' } : attempt,
      )
    : world;
  // A REVIEW that only records leaves the attempt as open as it was.
  if (!ATTEMPT_EVENTS.has(type) || (world.state === 'REVIEW' && decision.kind === 'record')) return stopped;
  return updateAttempt(happening.of === 'older' ? stopped : sent(world), happening.of, (attempt) => {
    const provenNotTaken = happening.event.type === 'deferred' && happening.event.provenNotTaken;
    const answer = decideAttempt(attempt.state, type as AttemptEventType, { provenNotTaken });
    const to = answer.kind === 'move' || answer.kind === 'conflict' ? answer.to : null;
    return to === null ? attempt : { ...attempt, state: to };
  });
}

/** What a rail says of the current attempt, it says of one that was sent. */
function sent(world: World): World {
  return updateAttempt(world, 'current', (attempt) =>
    attempt.state === 'INTENT' ? { ...attempt, state: 'SENDING' } : attempt,
  );
}

/** The event with the facts that the world knows better than the one who made the event up. */
function withFacts(
  world: World,
  happening: Happening & { kind: 'event' },
): { event: TransactionEvent; receipt: string } {
  const index = happening.of === 'current' ? world.attempts.length : world.attempts.length - 1;
  const receipt = `R${String(index)}${happening.otherReceipt === true ? 'x' : ''}`;
  const { event } = happening;
  if (event.type === 'succeeded') {
    const sameReceipt = spokenOf(world, happening.of)?.receipts.includes(receipt) ?? false;
    return { event: { ...event, sameReceipt }, receipt };
  }
  if (event.type === 'deposit.verified' || event.type === 'deposit.unapplied') {
    return { event: { ...event, deposit: world.inLedger ? 'same' : 'new' }, receipt };
  }
  return { event, receipt };
}

/** One happening: decide() and the postings it asks for, in one go. */
export function happen(world: World, happening: Happening, amounts: Amounts): World {
  if (happening.kind === 'grant') return { ...world, refundGranted: true };
  if (happening.kind === 'send') return sent(world);
  if (happening.kind === 'own') return applyOwn(world, happening.posting, amounts);
  const { event, receipt } = withFacts(world, happening);
  const decision = decide(subjectOf(world, happening.of, event), event);
  let after = moveAttempt(world, happening, decision);
  const postAll = (names: readonly PostingName[]): void => {
    for (const name of names) after = applyPosting(after, name, happening.of, receipt, amounts);
  };
  if (decision.kind === 'move') {
    for (const { to, post: names } of decision.steps) {
      postAll(names);
      const status = publicStatusOf(to);
      after = {
        ...after,
        state: to,
        statuses: status === after.statuses.at(-1) ? after.statuses : [...after.statuses, status],
      };
    }
  } else if (decision.kind === 'record' || decision.kind === 'conflict') {
    postAll(decision.post);
  }
  return { ...after, last: decision };
}

const two = { approvedBy: ['a', 'b'], document: 'case 1' };

const EVENTS: readonly Happening[] = (
  [
    { type: 'submitted' },
    { type: 'unknown' },
    { type: 'succeeded', sameReceipt: false },
    { type: 'succeeded', sameReceipt: false, evidence: two },
    { type: 'not_paid_route_left' },
    { type: 'not_paid_route_left', evidence: two },
    { type: 'not_paid_last' },
    { type: 'not_paid_last', evidence: two },
    { type: 'deferred', provenNotTaken: true },
    { type: 'deferred', provenNotTaken: false },
    { type: 'reversed' },
    { type: 'mismatch' },
  ] satisfies TransactionEvent[]
).flatMap((event): Happening[] => [
  { kind: 'event', event, of: 'current' },
  { kind: 'event', event, of: 'older' },
]);

const REST: readonly Happening[] = (
  [
    { type: 'attempt.started' },
    { type: 'overdue' },
    { type: 'cancelled' },
    { type: 'deposit.seen' },
    { type: 'deposit.verified', deposit: 'new', screeningHit: false },
    { type: 'deposit.verified', deposit: 'new', screeningHit: true },
    { type: 'deposit.unusable', releasesClaim: true },
    { type: 'deposit.unapplied', deposit: 'new' },
    { type: 'deposit.reverted' },
    { type: 'screening.cleared' },
  ] satisfies TransactionEvent[]
).map((event): Happening => ({ kind: 'event', event, of: 'current' }));

const MAX_ATTEMPTS = 2;
const MAX_APPEARANCES = 2;

/** Everything that may happen in this world: any event at any time, sensible or not, and the ledger's own steps. */
export function happenings(world: World): readonly Happening[] {
  const spoken = EVENTS.filter((one) => one.kind === 'event' && spokenOf(world, one.of) !== undefined);
  const other: Happening[] =
    currentOf(world) === undefined
      ? []
      : [{ kind: 'event', event: { type: 'succeeded', sameReceipt: false }, of: 'current', otherReceipt: true }];
  const rest = REST.filter((one) => {
    if (one.kind !== 'event') return true;
    if (one.event.type === 'attempt.started') return world.attempts.length < MAX_ATTEMPTS;
    const arrives = one.event.type === 'deposit.verified' || one.event.type === 'deposit.unapplied';
    if (arrives && !world.inLedger && world.appearances >= MAX_APPEARANCES) return false;
    return world.fundedBy === 'deposit' || !one.event.type.startsWith('deposit.');
  });
  const own: Happening[] = [];
  if (balance(world, ACCOUNT.receivable) < 0n && balance(world, ACCOUNT.wallet) > 0n)
    own.push({ kind: 'own', posting: 'P9c' });
  if (world.valueAt === 'unapplied') own.push({ kind: 'own', posting: 'P11' }, { kind: 'own', posting: 'P14' });
  if (world.valueAt === 'refunding') {
    own.push(world.refundGranted ? { kind: 'own', posting: 'P12' } : { kind: 'grant' }, {
      kind: 'own',
      posting: world.refundCameFrom === 'P7' ? 'P12_wallet' : 'P12_unapplied',
    });
  }
  const send: Happening[] = currentOf(world)?.state === 'INTENT' ? [{ kind: 'send' }] : [];
  return [...spoken, ...other, ...rest, ...own, ...send];
}

/** Every rule that must hold at every instant; the text of the first one broken, or null. */
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
  const wasSentBack = world.refundCameFrom === 'P7' && world.valueAt === 'refunded';
  if (wasSentBack && world.paymentStands) return 'a value was paid out and sent back, and nobody owes it';
  if (world.statuses.length !== new Set(world.statuses).size) return 'the public status went back';
  return null;
}
