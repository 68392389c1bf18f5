import type { AttemptState, TransactionEvent } from '@vuka/domain';
import { routesFor, type PayoutProvider, type RailAnswer } from '@vuka/payouts';
import type { Clock } from '@vuka/platform';

import type { PayoutWake } from './jobs/payout-wake.js';
import { parked, type ParkPolicy } from './start-payout.js';
import type { AttemptPatch } from './store/move.js';
import type { ClaimedAttempt, TransactionSnapshot, TransactionStore } from './store/transaction.store.js';
import type { Happening, TransactionMachine } from './transaction-machine.js';

type Event = Exclude<RailAnswer, { outcome: 'query_failed' }>;

/** What an attempt becomes by an answer, and whether its rail is asked again. */
const ATTEMPT_AFTER: Readonly<Record<Event['outcome'], { readonly state: AttemptState; readonly poll: boolean }>> = {
  submitted: { state: 'PENDING', poll: true },
  unknown: { state: 'UNKNOWN', poll: true },
  succeeded: { state: 'PAID', poll: false },
  reversed: { state: 'PAID', poll: false },
  not_paid: { state: 'NOT_PAID', poll: false },
  deferred: { state: 'NOT_PAID', poll: false },
  mismatch: { state: 'UNKNOWN', poll: false },
};

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

  async run(attempt: ClaimedAttempt, provider: PayoutProvider, answer: RailAnswer): Promise<void> {
    const nextAt = this.nextPollAt(attempt, provider);
    if (answer.outcome === 'query_failed') return this.askAgain(attempt, nextAt);
    const decision = await this.machine.apply(attempt.transaction, (snapshot) => this.happening(snapshot, attempt, answer, nextAt));
    if (decision.kind === 'ignore' || decision.kind === 'refuse') return this.askAgain(attempt, nextAt);
    if (ATTEMPT_AFTER[answer.outcome].poll) this.wake.pollAt(nextAt);
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

  private happening(snapshot: TransactionSnapshot, attempt: ClaimedAttempt, answer: Event, nextAt: Date): Happening {
    const after = ATTEMPT_AFTER[answer.outcome];
    const patch: AttemptPatch = {
      attemptNo: attempt.attemptNo,
      state: after.state,
      nextAt: after.poll ? nextAt : null,
      receiptNumber: 'receipt' in answer ? answer.receipt : null,
      railDetail: 'detail' in answer ? answer.detail : '',
    };
    return {
      event: this.toEvent(snapshot, answer),
      attempt: { isCurrent: attempt.attemptNo === snapshot.life.attemptNo, state: attempt.was === 'INTENT' ? 'SENDING' : attempt.was },
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
    const routes = routesFor(snapshot.destination, snapshot.terms.currency, this.providers);
    return snapshot.life.attemptNo < routes.length;
  }
}

function detailOf(answer: Event): string {
  if (answer.outcome === 'not_paid') return `${answer.code}: ${answer.detail}`;
  if (answer.outcome === 'deferred') return `${answer.reason}: ${answer.detail}`;
  return 'detail' in answer ? answer.detail : '';
}
