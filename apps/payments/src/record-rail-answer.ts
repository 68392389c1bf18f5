import { decideAttempt, type AttemptEventType, type AttemptState, type TransactionEvent } from '@vuka/domain';
import { routesFor, type PayoutProvider, type RailAnswer } from '@vuka/payouts';
import type { Clock } from '@vuka/platform';

import type { PayoutWake } from './jobs/payout-wake.js';
import { parked, type ParkPolicy } from './start-payout.js';
import { storable } from './storable-answer.js';
import type { AttemptPatch } from './store/move.js';
import type { ClaimedAttempt, TransactionSnapshot, TransactionStore } from './store/transaction.store.js';
import type { Happening, TransactionMachine } from './transaction-machine.js';

type Event = Exclude<RailAnswer, { outcome: 'query_failed' }>;

/** Attempts in these states are asked about. */
const POLLED: ReadonlySet<AttemptState> = new Set<AttemptState>(['PENDING', 'UNKNOWN']);

/**
 * Feeds a rail's answer about an attempt back into its transaction. A failed query is no event: the rail is asked
 * again later. So is an answer that changes nothing.
 */
export class RecordRailAnswer {
  constructor(
    private readonly machine: TransactionMachine,
    private readonly store: TransactionStore,
    private readonly providers: readonly PayoutProvider[],
    private readonly policy: ParkPolicy,
    private readonly clock: Clock,
    private readonly wake: PayoutWake,
  ) {}

  async run(attempt: ClaimedAttempt, provider: PayoutProvider, told: RailAnswer): Promise<void> {
    const answer = storable(told);
    const nextAt = this.nextPollAt(attempt, provider);
    if (answer.outcome === 'query_failed') return this.askAgain(attempt, nextAt);
    const decision = await this.machine.apply(attempt.transaction, (snapshot) =>
      this.happening(snapshot, attempt, provider, answer, nextAt),
    );
    if (decision.kind === 'ignore' || decision.kind === 'refuse') return this.askAgain(attempt, nextAt);
    this.wake.pollAt(nextAt);
    // A payment that came back to the queue may have another route to take at once.
    if (answer.outcome === 'not_paid') this.wake.starts.notify();
  }

  private async askAgain(attempt: ClaimedAttempt, nextAt: Date): Promise<void> {
    await this.store.lookAgain(attempt, nextAt);
    this.wake.pollAt(nextAt);
  }

  private nextPollAt(attempt: ClaimedAttempt, provider: PayoutProvider): Date {
    const schedule = provider.capabilities.pollScheduleMs;
    const waitMs = schedule[Math.min(attempt.polls, schedule.length - 1)] ?? 1_000;
    return new Date(this.clock.now().getTime() + waitMs);
  }

  private happening(
    snapshot: TransactionSnapshot, attempt: ClaimedAttempt, provider: PayoutProvider, answer: Event, nextAt: Date,
  ): Happening {
    const event = this.toEvent(snapshot, answer);
    const was = attempt.was === 'INTENT' ? 'SENDING' : attempt.was;
    const state = attemptAfter(was, event.type as AttemptEventType, provider);
    const patch: AttemptPatch = {
      attemptNo: attempt.attemptNo,
      fence: attempt.fence,
      state,
      nextAt: POLLED.has(state) && answer.outcome !== 'mismatch' ? nextAt : null,
      receiptNumber: 'receipt' in answer ? answer.receipt : null,
      railDetail: 'detail' in answer ? answer.detail : '',
    };
    return {
      event,
      attempt: { isCurrent: attempt.attemptNo === snapshot.life.attemptNo, state: was },
      change: {
        attemptNo: attempt.attemptNo,
        detail: detailOf(answer),
        rail: attempt.rail,
        attemptPatch: patch,
        ...(answer.outcome === 'succeeded' ? { receiptNumber: answer.receipt, publicName: answer.publicName } : {}),
        ...(answer.outcome === 'reversed' ? { receiptNumber: answer.receipt } : {}),
        ...(answer.outcome === 'not_paid' ? { failureCode: answer.code, dueAt: this.clock.now() } : {}),
        ...(answer.outcome === 'deferred' ? parked(snapshot, this.policy, this.clock.now()) : {}),
      },
    };
  }

  private toEvent(snapshot: TransactionSnapshot, answer: Event): TransactionEvent {
    switch (answer.outcome) {
      case 'succeeded':
        return { type: 'succeeded', sameReceipt: snapshot.life.receiptNumber === answer.receipt };
      case 'not_paid':
        return { type: answer.routeLeft && this.hasAnotherRoute(snapshot) ? 'not_paid_route_left' : 'not_paid_last' };
      case 'deferred':
        return { type: 'deferred', provenNotTaken: true };
      default:
        return { type: answer.outcome };
    }
  }

  private hasAnotherRoute(snapshot: TransactionSnapshot): boolean {
    const { destination, terms } = snapshot;
    const routes = routesFor(destination, terms.currency, terms.amountMinor - terms.feeMinor, this.providers);
    return snapshot.life.attemptNo < routes.length;
  }
}

/** What the attempt becomes by the event; where the machine says nothing new, it stays what it was. */
function attemptAfter(was: AttemptState, event: AttemptEventType, provider: PayoutProvider): AttemptState {
  const decision = decideAttempt(was, event, provider.capabilities);
  if (decision.kind === 'move') return decision.to;
  return decision.kind === 'conflict' ? (decision.to ?? was) : was;
}

function detailOf(answer: Event): string {
  if (answer.outcome === 'not_paid') return `${answer.code}: ${answer.detail}`;
  if (answer.outcome === 'deferred') return `${answer.reason}: ${answer.detail}`;
  return 'detail' in answer ? answer.detail : '';
}
