import type { TransactionEvent } from './events.js';
import { ACCOUNT, balance, currentOf, spokenOf, type World } from './world.spec-support.js';

/** An event about attempt `of`, or a step of the ledger. */
export type TransactionTrigger =
  | {
      readonly kind: 'event';
      readonly event: TransactionEvent;
      readonly of: 'current' | 'older';
      readonly otherReceipt?: boolean;
    }
  | {
      readonly kind: 'own';
      readonly posting:
        | 'receivable_collected'
        | 'unapplied_refund_held'
        | 'refund_settled'
        | 'refund_failed_to_unapplied'
        | 'refund_failed_to_wallet'
        | 'unapplied_credited';
    }
  | { readonly kind: 'grant' }
  /** From now on the provider may have the current attempt. */
  | { readonly kind: 'send' };

const two = { approvedBy: ['a', 'b'], document: 'case 1' };

const EVENTS: readonly TransactionTrigger[] = (
  [
    { type: 'submitted' },
    { type: 'unknown' },
    { type: 'succeeded', sameReceipt: false },
    { type: 'succeeded', sameReceipt: false, evidence: two },
    { type: 'not_paid_route_left' },
    { type: 'not_paid_route_left', evidence: two },
    { type: 'not_paid_route_left', ourFault: true },
    { type: 'not_paid_last' },
    { type: 'not_paid_last', evidence: two },
    { type: 'deferred', provenNotTaken: true },
    { type: 'deferred', provenNotTaken: false },
    { type: 'reversed' },
    { type: 'mismatch' },
  ] satisfies TransactionEvent[]
).flatMap((event): TransactionTrigger[] => [
  { kind: 'event', event, of: 'current' },
  { kind: 'event', event, of: 'older' },
]);

const REST: readonly TransactionTrigger[] = (
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
).map((event): TransactionTrigger => ({ kind: 'event', event, of: 'current' }));

const MAX_ATTEMPTS = 2;
const MAX_APPEARANCES = 2;

/** Any event at any time, sensible or not, and the ledger's steps. */
export function triggers(world: World): readonly TransactionTrigger[] {
  const spoken = EVENTS.filter((one) => one.kind === 'event' && spokenOf(world, one.of) !== undefined);
  const other: TransactionTrigger[] =
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
  const own: TransactionTrigger[] = [];
  if (balance(world, ACCOUNT.receivable) < 0n && balance(world, ACCOUNT.wallet) > 0n)
    own.push({ kind: 'own', posting: 'receivable_collected' });
  if (world.valueAt === 'unapplied')
    own.push({ kind: 'own', posting: 'unapplied_refund_held' }, { kind: 'own', posting: 'unapplied_credited' });
  if (world.valueAt === 'refunding') {
    own.push(world.refundGranted ? { kind: 'own', posting: 'refund_settled' } : { kind: 'grant' }, {
      kind: 'own',
      posting: world.refundCameFrom === 'refund_held' ? 'refund_failed_to_wallet' : 'refund_failed_to_unapplied',
    });
  }
  const send: TransactionTrigger[] = currentOf(world)?.state === 'INTENT' ? [{ kind: 'send' }] : [];
  return [...spoken, ...other, ...rest, ...own, ...send];
}
