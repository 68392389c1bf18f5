import type { PostingName } from '../ledger/postings.js';
import { type AttemptEventType, decideAttempt } from './attempt.js';
import { decide, type Decision } from './decide.js';
import type { Subject, TransactionEvent } from './events.js';
import type { TransactionTrigger } from './triggers.spec-support.js';
import { isTerminal, publicStatusOf } from './states.js';
import { type Amounts, type Attempt, currentOf, oursOf, post, spokenOf, type World } from './world.spec-support.js';

function refundOf({ refundCameFrom, valueAt, refundGranted }: World): Pick<Subject, 'refund'> {
  const lives = refundCameFrom === 'refund_held' && (valueAt === 'refunding' || valueAt === 'refunded');
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
    ...(again === undefined ? {} : { duplicatePayment: again.owed ? 'owed' : 'ours' }),
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

function applyPosting(
  before: World,
  name: PostingName,
  of: 'current' | 'older',
  receipt: string,
  amounts: Amounts,
): World {
  const world = post(before, name, amounts);
  switch (name) {
    case 'deposit_received':
    case 'deposit_unapplied':
      return {
        ...world,
        inLedger: true,
        reverted: false,
        appearances: world.appearances + 1,
        valueAt: name === 'deposit_unapplied' ? 'unapplied' : world.valueAt,
      };
    case 'payout_settled':
      return updateAttempt(world, of, (one) => ({
        ...one,
        receipts: one.receipts.includes(receipt) ? one.receipts : [...one.receipts, receipt],
      }));
    case 'payout_released':
      return { ...world, valueAt: world.fundedBy === 'deposit' ? 'wallet' : 'nowhere' };
    case 'refund_held':
      return { ...world, valueAt: 'refunding', refundCameFrom: 'refund_held', refundGranted: false };
    case 'refund_hold_withdrawn':
      return { ...world, valueAt: 'nowhere', refundCameFrom: null, paymentStands: true };
    case 'payout_reversed':
      return world.paymentStands ? { ...world, valueAt: 'wallet', paymentStands: false } : world;
    case 'duplicate_payment':
    case 'duplicate_payment_ours':
      return updateAttempt(world, of, (one) => ({
        ...one,
        receipts: [...one.receipts, receipt],
        again: [...one.again, { receipt, owed: name === 'duplicate_payment' }],
      }));
    case 'duplicate_payment_returned':
    case 'duplicate_payment_ours_returned':
      return updateAttempt(world, (spokenOf(world, of)?.again.length ?? 0) > 0 ? of : 'older', (one) => ({
        ...one,
        receipts: one.receipts.filter((known) => known !== one.again.at(-1)?.receipt),
        again: one.again.slice(0, -1),
      }));
    case 'duplicate_payment_owed':
      return {
        ...world,
        attempts: world.attempts.map((one) => ({
          ...one,
          again: one.again.map(({ receipt: known }) => ({ receipt: known, owed: true })),
        })),
      };
    case 'deposit_vanished_unpaid':
    case 'deposit_vanished_paid':
    case 'unapplied_deposit_vanished':
    case 'refunding_deposit_vanished':
      return {
        ...world,
        inLedger: false,
        reverted: true,
        valueAt: name === 'deposit_vanished_paid' ? world.valueAt : 'nowhere',
      };
    default:
      return world;
  }
}

function applyOwn(world: World, posting: PostingName, amounts: Amounts): World {
  const after = post(world, posting, amounts);
  switch (posting) {
    case 'unapplied_refund_held':
      return { ...after, valueAt: 'refunding', refundCameFrom: 'unapplied_refund_held', refundGranted: false };
    case 'refund_settled':
      return { ...after, valueAt: 'refunded' };
    case 'refund_failed_to_unapplied':
      return { ...after, valueAt: 'unapplied' };
    case 'refund_failed_to_wallet':
    case 'unapplied_credited':
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

function moveAttempt(world: World, trigger: TransactionTrigger & { kind: 'event' }, decision: Decision): World {
  const { type } = trigger.event;
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
  // In REVIEW, a recorded event leaves the attempt open.
  if (!ATTEMPT_EVENTS.has(type) || (world.state === 'REVIEW' && decision.kind === 'record')) return stopped;
  return updateAttempt(trigger.of === 'older' ? stopped : sent(world), trigger.of, (attempt) => {
    const provenNotTaken = trigger.event.type === 'deferred' && trigger.event.provenNotTaken;
    const answer = decideAttempt(attempt.state, type as AttemptEventType, { provenNotTaken });
    const to = answer.kind === 'move' || answer.kind === 'conflict' ? answer.to : null;
    return to === null ? attempt : { ...attempt, state: to };
  });
}

/** A provider's answer implies that the attempt was sent. */
function sent(world: World): World {
  return updateAttempt(world, 'current', (attempt) =>
    attempt.state === 'INTENT' ? { ...attempt, state: 'SENDING' } : attempt,
  );
}

/** Facts that the world knows replace those of the trigger. */
function withFacts(
  world: World,
  trigger: TransactionTrigger & { kind: 'event' },
): { event: TransactionEvent; receipt: string } {
  const index = trigger.of === 'current' ? world.attempts.length : world.attempts.length - 1;
  const receipt = `R${String(index)}${trigger.otherReceipt === true ? 'x' : ''}`;
  const { event } = trigger;
  if (event.type === 'succeeded') {
    const sameReceipt = spokenOf(world, trigger.of)?.receipts.includes(receipt) ?? false;
    return { event: { ...event, sameReceipt }, receipt };
  }
  if (event.type === 'deposit.verified' || event.type === 'deposit.unapplied') {
    return { event: { ...event, deposit: world.inLedger ? 'same' : 'new' }, receipt };
  }
  return { event, receipt };
}

export function happen(world: World, trigger: TransactionTrigger, amounts: Amounts): World {
  if (trigger.kind === 'grant') return { ...world, refundGranted: true };
  if (trigger.kind === 'send') return sent(world);
  if (trigger.kind === 'own') return applyOwn(world, trigger.posting, amounts);
  const { event, receipt } = withFacts(world, trigger);
  const decision = decide(subjectOf(world, trigger.of, event), event);
  let after = moveAttempt(world, trigger, decision);
  const postAll = (names: readonly PostingName[]): void => {
    for (const name of names) after = applyPosting(after, name, trigger.of, receipt, amounts);
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
