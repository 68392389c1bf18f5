import type { TransactionEvent } from './events.js';
import { ACCOUNT, balance, currentOf, spokenOf, type World } from './world.spec-support.js';

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
