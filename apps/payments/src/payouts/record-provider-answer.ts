import { Injectable } from '@nestjs/common';
import {
  decideAttempt,
  isFinalAttempt,
  isTerminal,
  type AttemptDecision,
  type AttemptEventType,
  type AttemptState,
  type Decision,
  type Money,
  type TransactionEvent,
} from '@vuka/domain';
import type { PayoutProvider, ProviderAnswer } from '@vuka/payouts';
import { crashPoint } from '@vuka/runtime';

import type { AttemptEnd, AttemptPatch } from '../commit/index.js';
import { READ_AGAIN_AFTER_MS } from '../controls/index.js';
import { feeWithPayment, ProviderFees } from '../floats/index.js';
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
import {
  asUnpaid,
  detailOf,
  isAcknowledged,
  isFirstCall,
  isListed,
  isNeverTaken,
  isNewId,
  isOurFault,
  isResolved,
  saysNothingNew,
  tellsOfOurId,
} from './calls/answer-facts.js';
import { ANOTHER_ID, heldAgainst, ownIdOf } from './calls/own-id.js';
import { hasUntriedRoute, Routes, routesLeft, waitingSince } from './choose-route.js';
import { Parking } from './parking.js';
import { updateOf, type PaymentUpdate, type ProviderEvent } from './payment-updates.js';
import { reopens, StatusPolls, was } from './status-polls.js';
import { storable } from './calls/storable-answer.js';

/** A contradiction that people have resolved, repeated by the provider. */
const RESOLVED = 'resolved';
const STOPPED_BEFORE =
  'its partner is stopped, its corridor is switched off, its deposit has vanished, or it is already paid';
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
    private readonly fees: ProviderFees,
  ) {}

  async run(attempt: ClaimedAttempt, provider: PayoutProvider, told: ProviderAnswer): Promise<void> {
    const heard = storable(told);
    this.polls.heard(attempt, heard);
    // A failed query says nothing, even about an ended attempt.
    if (heard.outcome === 'query_failed') return this.polls.askAgain(attempt, provider);
    if (heard.outcome === 'asked') return this.polls.checkAgain(attempt, provider);
    const answer = heldAgainst(attempt.providerPaymentId, heard);
    let happened = null as TransactionTrigger | typeof RESOLVED | null;
    const decision = await this.machine.apply(attempt.transaction, async (snapshot) => {
      happened = await this.trigger(snapshot, attempt, provider, answer);
      return happened === RESOLVED ? null : happened;
    });
    if (answer.outcome === 'succeeded') await this.noteFee(attempt, answer, decision);
    if (happened === RESOLVED) return this.noteResolved(attempt, provider, answer);
    if (decision.kind === 'ignore' || decision.kind === 'refuse') {
      // Whoever has the attempt now must know this before another call.
      if (isNewId(attempt, answer) || tellsOfOurId(attempt, answer)) {
        const kept = await this.polls.noteLapsed(attempt, answer);
        if (heldAgainst(kept, answer) !== answer) await this.reportAnotherId(attempt);
      }
      return this.polls.checkAgain(attempt, provider, answer);
    }
    crashPoint('payments.after-record');
    this.polls.recorded(attempt, happened, answer);
  }

  /**
   * Gives up a claimed attempt that was never sent. The transaction waits in QUEUED (stopped partner or corridor), fails (vanished
   * deposit) or settles (already paid by an earlier attempt). A cached list of stopped partners may be older than this
   * claim.
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
          dueAt: new Date(this.polls.now().getTime() + READ_AGAIN_AFTER_MS),
        },
      };
    });
  }

  /** Unless it is in the commit of the payment. */
  private async noteFee(attempt: ClaimedAttempt, { fee }: { readonly fee?: Money }, decision: Decision): Promise<void> {
    if (fee === undefined) return;
    const { transaction, attemptNo, provider, wallet } = attempt;
    const isPosted = decision.kind === 'move' && decision.steps.some(({ post }) => post.includes('payout_settled'));
    if (isPosted && feeOf(attempt, fee) !== undefined) return;
    await this.fees.told({ transactionId: transaction.details.id, attemptNo, provider, wallet }, fee);
  }

  /** Two claims have heard two ids. What this one heard is no answer any more, so that the attempt stays as it is. */
  private async reportAnotherId(attempt: ClaimedAttempt): Promise<void> {
    await this.machine.apply(attempt.transaction, async (snapshot): Promise<TransactionTrigger> => ({
      event: { type: 'mismatch' },
      attempt: { isCurrent: speaksForTheTransaction(attempt, snapshot), state: was(attempt) },
      history: await this.attempts.historyOf(snapshot.details.id),
      change: { attemptNo: attempt.attemptNo, detail: ANOTHER_ID, provider: attempt.provider },
    }));
  }

  /** Repeats are only counted. While the provider works on it, it may still pay. */
  private async noteResolved(attempt: ClaimedAttempt, provider: PayoutProvider, answer: ProviderEvent): Promise<void> {
    const now = this.polls.now();
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
    const answer = isListed(attempt, heard, history) ? LISTED : asUnpaid(heard, attempt, history);
    const update = updateOf(answer, attempt.attemptNo, snapshot.life, history, {
      paymentStands: snapshot.paymentStands,
      onePayment: provider.capabilities.onePaymentPerId === true,
    });
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
        wallet: attempt.wallet,
        attemptPatches: [
          snapshot.life.state === 'REVIEW' && !isFinalAttempt(was(attempt))
            ? untouched(attempt, update)
            : this.patchOf(attempt, provider, update, attemptDecision),
        ],
        ...(await this.termsOf(snapshot, attempt, update.answer, history)),
      },
    };
  }

  private async termsOf(
    snapshot: TransactionSnapshot,
    attempt: ClaimedAttempt,
    answer: ProviderEvent,
    history: History,
  ): Promise<Partial<TransactionTrigger['change']>> {
    switch (answer.outcome) {
      case 'succeeded':
        return {
          receiptNumber: answer.receipt,
          publicName: this.attempts.keptName(snapshot.details.id, answer.publicName),
          ...withFee(feeOf(attempt, answer.fee)),
        };
      case 'reversed':
        return {
          receiptNumber: answer.receipt,
          publicName: this.attempts.keptName(snapshot.details.id, answer.publicName ?? null),
        };
      case 'not_paid':
        if (answer.ourFault !== undefined) return this.waitFor(snapshot, attempt, history, waitingSince(history));
        return {
          failureCode: answer.code,
          dueAt: this.polls.now(),
          ...(this.hasRouteLeft(snapshot, attempt, answer, history) ? {} : { failsAfterwards: answer.code }),
        };
      case 'deferred':
        return this.waitFor(snapshot, attempt, history, null);
      default:
        return {};
    }
  }

  /** Until a provider takes it. One that has not put it off as often is tried at once. */
  private async waitFor(
    snapshot: TransactionSnapshot,
    attempt: ClaimedAttempt,
    history: History,
    since: Date | null,
  ): Promise<Partial<TransactionTrigger['change']>> {
    const now = this.polls.now();
    const park = this.parking.untilProvider(snapshot, now, since ?? now);
    // An ill one is tried by few: the next try decides.
    const well = await this.routes.well(snapshot);
    return hasUntriedRoute(well, history, attempt) ? { ...park, dueAt: now } : park;
  }

  private patchOf(
    attempt: ClaimedAttempt,
    provider: PayoutProvider,
    { answer, receipt, more }: PaymentUpdate,
    decision: AttemptDecision,
  ): AttemptPatch {
    const state = stateAfter(was(attempt), decision);
    const ends = isFinalAttempt(state) && state !== attempt.was;
    const now = this.polls.now();
    return {
      attemptNo: attempt.attemptNo,
      fence: attempt.fence,
      ...namedBy(answer),
      state,
      nextAt: more ? now : answer.outcome === 'mismatch' ? null : this.polls.next(attempt, state, provider, answer),
      receiptNumber: receipt,
      providerDetail: 'detail' in answer ? answer.detail : '',
      lateUntil:
        ends || (isFinalAttempt(state) && reopens(answer))
          ? new Date(now.getTime() + provider.capabilities.lateWindowMs)
          : null,
      endedBy: ends ? endOf(attempt, answer) : null,
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
        if (answer.ourFault !== undefined) return { type: 'not_paid_route_left', ourFault: true };
        return { type: this.mayGoOn(snapshot, attempt, answer, history) ? 'not_paid_route_left' : 'not_paid_last' };
      case 'deferred':
        // The provider may have named the id meanwhile.
        return { type: 'deferred', provenNotTaken: isFirstCall(attempt) && !isAcknowledged(attempt, history) };
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

/** Of its first payment: a PAID attempt may have its fee in the ledger. */
function feeOf(attempt: ClaimedAttempt, fee: Money | undefined): Money | undefined {
  return was(attempt) === 'PAID' ? undefined : feeWithPayment(fee, attempt.amount.currency);
}

function withFee(providerFee: Money | undefined): Pick<TransactionTrigger['change'], 'providerFee'> {
  return providerFee === undefined ? {} : { providerFee };
}

function isPlain(snapshot: TransactionSnapshot, attempt: ClaimedAttempt, answer: ProviderEvent): boolean {
  return (
    attempt.attemptNo === 1 &&
    snapshot.life.attemptNo === 1 &&
    !isFinalAttempt(attempt.was) &&
    answer.outcome !== 'reversed' &&
    answer.outcome !== 'deferred' &&
    !isOurFault(answer) &&
    !isNeverTaken(answer)
  );
}

function speaksForTheTransaction({ attemptNo }: ClaimedAttempt, { life }: TransactionSnapshot): boolean {
  return attemptNo === life.attemptNo || attemptNo === life.paidAttemptNo;
}

function namedBy(answer: ProviderEvent): Pick<AttemptPatch, 'providerPaymentId'> {
  const told = ownIdOf(answer);
  return told === undefined ? {} : { providerPaymentId: told };
}

function endOf(attempt: ClaimedAttempt, answer: ProviderEvent): AttemptEnd | null {
  if (isOurFault(answer)) return 'our_fault';
  return answer.outcome === 'not_paid' && isFirstCall(attempt) ? 'refused' : (ENDS[answer.outcome] ?? null);
}

function untouched(attempt: ClaimedAttempt, { answer }: PaymentUpdate): AttemptPatch {
  return {
    attemptNo: attempt.attemptNo,
    fence: attempt.fence,
    ...namedBy(answer),
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
