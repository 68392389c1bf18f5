import { Inject, Injectable } from '@nestjs/common';
import {
  decideAttempt,
  isFinalAttempt,
  isTerminal,
  type AttemptDecision,
  type AttemptEventType,
  type AttemptState,
  type TransactionEvent,
} from '@vuka/domain';
import type { PayoutProvider, ProviderAnswer } from '@vuka/payouts';
import { type Clock, crashPoint } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

import type { AttemptEnd, AttemptPatch } from '../commit/index.js';
import { READ_AGAIN_AFTER_MS } from '../controls/index.js';
import { type TransactionTrigger, TransactionMachine } from '../machine/index.js';
import {
  AttemptStore,
  type ClaimedAttempt,
  givenUp,
  type History,
  isPaidAlready,
  NO_HISTORY,
  type TransactionSnapshot,
  unsentCurrent,
} from '../transactions/index.js';
import { hasUntriedRoute, Routes, routesLeft } from './choose-route.js';
import { Parking } from './parking.js';
import { NEVER_TAKEN, updateOf, type PaymentUpdate, type ProviderEvent } from './payment-updates.js';
import { StatusPolls, was } from './status-polls.js';
import { storable } from './storable-answer.js';

/** A contradiction that people have resolved, repeated by the provider. */
const RESOLVED = 'resolved';
const STOPPED_BEFORE = 'its partner is stopped, its deposit has vanished, or a payment stands already';
/** The statement has listed the id since the call, so "not found" proves nothing. */
const LISTED: ProviderEvent = { outcome: 'unknown', detail: 'the provider has listed our id, and does not know it' };

const ENDS: Readonly<Partial<Record<ProviderEvent['outcome'], AttemptEnd>>> = {
  succeeded: 'succeeded',
  reversed: 'reversed',
  not_paid: 'not_paid',
  deferred: 'deferred',
};

/**
 * Applies a provider's answer. A failed query and an answer with nothing new are no events: the provider is polled
 * again.
 */
@Injectable()
export class RecordProviderAnswer {
  constructor(
    private readonly machine: TransactionMachine,
    private readonly attempts: AttemptStore,
    private readonly routes: Routes,
    private readonly parking: Parking,
    private readonly polls: StatusPolls,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async run(attempt: ClaimedAttempt, provider: PayoutProvider, told: ProviderAnswer): Promise<void> {
    const answer = storable(told);
    // A failed query says nothing, even about an ended attempt.
    if (answer.outcome === 'query_failed') return this.polls.askAgain(attempt, provider);
    let happened = null as TransactionTrigger | typeof RESOLVED | null;
    const decision = await this.machine.apply(attempt.transaction, async (snapshot) => {
      happened = await this.trigger(snapshot, attempt, provider, answer);
      return happened === RESOLVED ? null : happened;
    });
    if (happened === RESOLVED) return this.noteResolved(attempt, provider, answer);
    if (decision.kind === 'ignore' || decision.kind === 'refuse') {
      // Whoever has the attempt now must know this before another call.
      if (tellsOfOurId(attempt, answer)) await this.polls.noteLapsed(attempt);
      return this.polls.checkAgain(attempt, provider);
    }
    crashPoint('payments.after-record');
    this.polls.recorded(attempt, happened, answer);
  }

  /**
   * Gives up a claimed attempt that was never sent. The transaction waits in QUEUED (stopped partner) or fails
   * (vanished deposit). A cached list of stopped partners may be older than this claim.
   */
  async giveUp(attempt: ClaimedAttempt): Promise<void> {
    const { attemptNo, provider } = attempt;
    await this.machine.apply(attempt.transaction, async ({ details, life }): Promise<TransactionTrigger | null> => {
      if (life.state !== 'SUBMITTING' || life.attemptNo !== attemptNo) return null;
      return {
        event: { type: 'deferred', provenNotTaken: true },
        attempt: { isCurrent: true, state: 'INTENT' },
        history: await this.attempts.historyOf(details.id),
        change: {
          attemptNo,
          provider,
          detail: STOPPED_BEFORE,
          attemptPatches: [givenUp(attempt, STOPPED_BEFORE)],
          dueAt: new Date(this.clock.now().getTime() + READ_AGAIN_AFTER_MS),
        },
      };
    });
  }

  /** Repeats are only counted. While the provider works on it, it may still pay. */
  private async noteResolved(attempt: ClaimedAttempt, provider: PayoutProvider, answer: ProviderEvent): Promise<void> {
    const now = this.clock.now();
    const lateUntil =
      answer.outcome === 'submitted' ? new Date(now.getTime() + provider.capabilities.lateWindowMs) : null;
    const nextAt = this.polls.next(attempt, was(attempt), provider, answer);
    await this.attempts.noteResolved(attempt, { event: answer.outcome, nextAt, lateUntil }, now);
  }

  private async trigger(
    snapshot: TransactionSnapshot,
    attempt: ClaimedAttempt,
    provider: PayoutProvider,
    heard: ProviderEvent,
  ): Promise<TransactionTrigger | typeof RESOLVED | null> {
    const history = isPlain(snapshot, attempt, heard) ? NO_HISTORY : await this.attempts.historyOf(snapshot.details.id);
    const answer = isListed(attempt, heard, history) ? LISTED : heard;
    const update = updateOf(answer, attempt.attemptNo, snapshot.life, history, snapshot.paymentStands);
    if (!update || saysNothingNew(attempt, answer, history)) return null;
    const event = this.toEvent(snapshot, attempt, update.answer, history);
    const attemptDecision = decideAttempt(was(attempt), event.type as AttemptEventType, {
      provenNotTaken: event.type === 'deferred' && event.provenNotTaken,
    });
    if (attemptDecision.kind === 'ignore' && isFinalAttempt(was(attempt)) && update.receipt === null) return null;
    if (attemptDecision.kind === 'conflict' && isResolved(attempt, answer, history)) return RESOLVED;
    const stopCurrent =
      attempt.attemptNo === snapshot.life.attemptNo
        ? undefined
        : unsentCurrent(snapshot.life, history, 'an older attempt has paid');
    return {
      event,
      attempt: { isCurrent: speaksForTheTransaction(attempt, snapshot), state: was(attempt) },
      history,
      ...(update.receipt === null ? {} : { receipt: update.receipt }),
      ...(stopCurrent === undefined ? {} : { stopCurrent }),
      change: {
        attemptNo: attempt.attemptNo,
        detail: detailOf(update.answer),
        provider: attempt.provider,
        attemptPatches: [
          snapshot.life.state === 'REVIEW' && !isFinalAttempt(was(attempt))
            ? untouched(attempt, update)
            : this.patchOf(attempt, provider, update, attemptDecision),
        ],
        ...this.termsOf(snapshot, attempt, update.answer, history),
      },
    };
  }

  private termsOf(
    snapshot: TransactionSnapshot,
    attempt: ClaimedAttempt,
    answer: ProviderEvent,
    history: History,
  ): Partial<TransactionTrigger['change']> {
    switch (answer.outcome) {
      case 'succeeded':
        return { receiptNumber: answer.receipt, publicName: answer.publicName };
      case 'reversed':
        return { receiptNumber: answer.receipt, publicName: answer.publicName ?? null };
      case 'not_paid':
        return {
          failureCode: answer.code,
          dueAt: this.clock.now(),
          ...(this.hasRouteLeft(snapshot, attempt, answer, history) ? {} : { failsAfterwards: answer.code }),
        };
      case 'deferred': {
        const park = this.parking.untilProvider(snapshot, this.clock.now());
        return hasUntriedRoute(this.routes.of(snapshot), history, attempt)
          ? { ...park, dueAt: this.clock.now() }
          : park;
      }
      default:
        return {};
    }
  }

  private patchOf(
    attempt: ClaimedAttempt,
    provider: PayoutProvider,
    { answer, receipt, more }: PaymentUpdate,
    decision: AttemptDecision,
  ): AttemptPatch {
    const state = stateAfter(was(attempt), decision);
    const ends = isFinalAttempt(state) && state !== attempt.was;
    const now = this.clock.now();
    return {
      attemptNo: attempt.attemptNo,
      fence: attempt.fence,
      state,
      nextAt: more ? now : answer.outcome === 'mismatch' ? null : this.polls.next(attempt, state, provider, answer),
      receiptNumber: receipt,
      providerDetail: 'detail' in answer ? answer.detail : '',
      // A provider that works again on a refused payment may be late again.
      lateUntil:
        ends || (isFinalAttempt(state) && answer.outcome === 'submitted')
          ? new Date(now.getTime() + provider.capabilities.lateWindowMs)
          : null,
      endedBy: ends ? (ENDS[answer.outcome] ?? null) : null,
    };
  }

  private toEvent(
    snapshot: TransactionSnapshot,
    attempt: ClaimedAttempt,
    answer: ProviderEvent,
    history: History,
  ): TransactionEvent {
    switch (answer.outcome) {
      case 'succeeded':
        return { type: 'succeeded', sameReceipt: false };
      case 'not_paid':
        return { type: this.mayGoOn(snapshot, attempt, answer, history) ? 'not_paid_route_left' : 'not_paid_last' };
      case 'deferred':
        return { type: 'deferred', provenNotTaken: isFirstCall(attempt) };
      default:
        return { type: answer.outcome };
    }
  }

  /**
   * Back to the queue: for another provider, for the payment that exists already, or for people because an older
   * attempt may still pay.
   */
  private mayGoOn(
    snapshot: TransactionSnapshot,
    attempt: ClaimedAttempt,
    answer: { routeLeft: boolean },
    history: History,
  ): boolean {
    if ((isPaidAlready(history) || history.isContradicted) && !isTerminal(snapshot.life.state)) return true;
    return this.hasRouteLeft(snapshot, attempt, answer, history);
  }

  private hasRouteLeft(
    snapshot: TransactionSnapshot,
    attempt: ClaimedAttempt,
    { routeLeft }: { routeLeft: boolean },
    history: History,
  ): boolean {
    return routeLeft && routesLeft(this.routes.of(snapshot), history).some(({ id }) => id !== attempt.provider);
  }
}

function isPlain(snapshot: TransactionSnapshot, attempt: ClaimedAttempt, answer: ProviderEvent): boolean {
  return (
    attempt.attemptNo === 1 &&
    snapshot.life.attemptNo === 1 &&
    !isFinalAttempt(attempt.was) &&
    answer.outcome !== 'reversed' &&
    answer.outcome !== 'deferred' &&
    !isNeverTaken(answer)
  );
}

function speaksForTheTransaction({ attemptNo }: ClaimedAttempt, { life }: TransactionSnapshot): boolean {
  return attemptNo === life.attemptNo || attemptNo === life.paidAttemptNo;
}

/**
 * Only the answer to the single submit proves that nothing was taken. `deferred` from a repeat or a query proves
 * nothing.
 */
function isFirstCall({ was: before }: ClaimedAttempt): boolean {
  return before === 'INTENT';
}

/** True if it is new that the provider has, or had, our id. */
function tellsOfOurId(attempt: ClaimedAttempt, { outcome }: ProviderEvent): boolean {
  if (isFinalAttempt(attempt.was) || (attempt.was === 'PENDING' && outcome === 'submitted')) return false;
  if (outcome === 'not_paid') return !isFirstCall(attempt);
  return outcome !== 'unknown' && outcome !== 'deferred';
}

function isNeverTaken(answer: ProviderEvent): boolean {
  return answer.outcome === 'not_paid' && answer.detail === NEVER_TAKEN.detail;
}

/** The attempt was claimed before the statement listed it. */
function isListed({ attemptNo }: ClaimedAttempt, answer: ProviderEvent, { attempts }: History): boolean {
  return isNeverTaken(answer) && attempts.some((one) => one.attemptNo === attemptNo && one.isAcknowledged);
}

function isResolved({ attemptNo }: ClaimedAttempt, { outcome }: ProviderEvent, { resolved }: History): boolean {
  return resolved.some((one) => one.attemptNo === attemptNo && one.event === outcome);
}

function saysNothingNew(attempt: ClaimedAttempt, answer: ProviderEvent, { attempts }: History): boolean {
  const { endedBy = null } = attempts.find(({ attemptNo }) => attemptNo === attempt.attemptNo) ?? {};
  switch (answer.outcome) {
    case 'mismatch':
      // Settled from REVIEW (no late window): people decided on this contradiction.
      return endedBy === 'settled' && attempt.lateUntil === null;
    case 'unknown':
      // Expected: a provider does not know an id that it did not take, or that people settled.
      return (
        isFinalAttempt(attempt.was) &&
        (endedBy === 'deferred' || endedBy === 'settled' || attempt.providerDetail === NEVER_TAKEN.detail)
      );
    case 'deferred':
      // From a query it proves nothing: recorded once while the attempt is open, ignored after its end.
      return !isFirstCall(attempt) && (isFinalAttempt(attempt.was) || attempt.providerDetail === answer.detail);
    default:
      return false;
  }
}

function untouched(attempt: ClaimedAttempt, { answer }: PaymentUpdate): AttemptPatch {
  return {
    attemptNo: attempt.attemptNo,
    fence: attempt.fence,
    state: was(attempt),
    nextAt: null,
    receiptNumber: null,
    providerDetail: 'detail' in answer ? answer.detail : '',
    lateUntil: null,
    endedBy: null,
  };
}

function stateAfter(state: AttemptState, decision: AttemptDecision): AttemptState {
  if (decision.kind === 'move') return decision.to;
  return decision.kind === 'conflict' ? (decision.to ?? state) : state;
}

function detailOf(answer: ProviderEvent): string {
  if (answer.outcome === 'not_paid') return `${answer.code}: ${answer.detail}`;
  if (answer.outcome === 'deferred') return `${answer.reason}: ${answer.detail}`;
  if (answer.outcome === 'succeeded') return `receipt ${answer.receipt}`;
  if (answer.outcome === 'reversed') return `receipt ${answer.receipt} came back`;
  return 'detail' in answer ? answer.detail : '';
}
