import {
  compare,
  FAILURE_CODES,
  postingLegs,
  publicStatusOf,
  type Decision,
  subtract,
  sum,
  zero,
  type FailureCode,
  type Money,
  type PostingFacts,
  type PostingName,
  type TransactionState,
} from '@vuka/domain';
import { uuidv7 } from '@vuka/runtime';

import {
  type PaymentCommit,
  type NewAttempt,
  type Posting,
  providerFeePosting,
  referenceOf,
  type TransactionLife,
  type Transition,
} from '../commit/index.js';
import { givenOf, type TransactionSnapshot } from '../transactions/index.js';
import {
  depositFactsOf,
  depositPartOf,
  depositReference,
  fundingOf,
  groundOfPay,
  heldEvent,
  heldTold,
  isIncomingTransfer,
  isReversal,
  refundOfPay,
  revertedFactsOf,
  takenBackTold,
  withdrawnEvents,
  withdrawnPart,
} from '../value/index.js';
import type { Change } from './change.js';
import { changeTold, toldBeside, toldEvent, type Told } from './public-events.js';

export type Carried = Extract<Decision, { kind: 'move' | 'record' | 'conflict' }>;

const MESSAGES: Readonly<Record<Exclude<TransactionState, 'FAILED'>, string>> = {
  ACCEPTED: 'Accepted and being processed',
  AWAITING_FUNDS: 'Waiting for the deposit',
  CONFIRMING: 'The deposit was seen and is being confirmed',
  QUEUED: 'Waiting for a payment rail',
  SUBMITTING: 'The payment is being sent',
  SUBMITTED: 'The payment rail is working on the payment',
  IN_DOUBT: 'The payment rail has not said what became of the payment; it is being asked',
  REVIEW: 'The payment is being reviewed',
  COMPLETE: 'The payment was delivered',
  REVERSED: 'The payment came back after it was delivered; the money is in the wallet again',
};

const PASSED_OVER: Readonly<Record<string, string>> = {
  expired: 'The quote had expired',
  used: 'The quote had been used',
  unknown: 'The quote was not known',
};

const HOLD_AFTER: Readonly<Partial<Record<PostingName, 'posted' | 'voided'>>> = {
  payout_settled: 'posted',
  payout_released: 'voided',
  refund_held: 'voided',
  deposit_vanished_unpaid: 'voided',
};

/** refund_held closed the hold for ever: restored value leaves in the same commit. */
function holdAfter(names: readonly PostingName[]): 'posted' | 'voided' | undefined {
  return names.includes('refund_hold_withdrawn')
    ? undefined
    : names.map((name) => HOLD_AFTER[name]).find((state) => state !== undefined);
}

/** The provider's money moved to a recipient. */
const PAYS: ReadonlySet<PostingName> = new Set<PostingName>([
  'payout_settled',
  'duplicate_payment',
  'duplicate_payment_ours',
]);

const WAITING: ReadonlySet<TransactionState> = new Set<TransactionState>(['ACCEPTED', 'QUEUED', 'SUBMITTING']);

/** A transaction that is paid already completes and starts no attempt. */
function startsAttempt(change: Change, state: TransactionState): change is Change & { newAttempt: NewAttempt } {
  return change.newAttempt !== undefined && state === 'SUBMITTING';
}

export function buildCommit(snapshot: TransactionSnapshot, decision: Carried, change: Change): PaymentCommit {
  const steps = decision.kind === 'move' ? decision.steps : [{ to: snapshot.life.state, post: decision.post }];
  const transitions: Transition[] = [];
  const postings: Posting[] = [];
  const told: Told[] = [];
  let from = snapshot.life.state;
  for (const step of steps) {
    transitions.push({ from, to: step.to, event: change.event, attemptNo: change.attemptNo, detail: change.detail });
    for (const name of step.post) postings.push(...toPosting(name, snapshot, change, heldFor(step.post, snapshot)));
    if (step.post.includes('payout_settled')) postings.push(...differenceOf(snapshot, change));
    if (step.post.some((name) => PAYS.has(name))) postings.push(...providerFeeOf(snapshot, change));
    if (publicStatusOf(step.to) !== publicStatusOf(from)) told.push(changeTold(publicStatusOf(step.to)));
    from = step.to;
  }
  told.push(...toldBeside(snapshot, from, postings, change));
  const pays = postings.some(({ kind }) => kind === 'payout_settled');
  const life = nextLife(snapshot, { state: from, steps: transitions.length, told: told.length, pays }, change);
  const names = steps.flatMap(({ post }) => post);
  const hold = holdAfter(names);
  const incident = decision.effects.includes('open_incident');
  const withdrawn = names.includes('refund_hold_withdrawn') ? withdrawnPart(snapshot, change.at) : null;
  const refund = names.includes('refund_held') ? refundOfPay(snapshot, change.refundId) : null;
  const { postings: beside, ...ofDeposits } = depositPartOf(snapshot, names, decision.kind === 'move', change.verdict);
  const trace = { at: change.at, requestId: snapshot.details.requestId, traceparent: snapshot.details.traceparent };
  return {
    commitId: uuidv7(),
    transactionId: snapshot.details.id,
    expectedSequence: snapshot.life.sequence,
    life,
    transitions,
    postings: [...postings, ...beside],
    outbox: [
      ...told.map((one, index) =>
        toldEvent(snapshot, life, one, messageTold(life, one), snapshot.life.publicSequence + 1 + index, change.at),
      ),
      ...(withdrawn?.events ?? []),
      ...(refund
        ? [heldEvent(refund, change.at, snapshot.details), ...heldTold(refund, groundOfPay(snapshot), trace)]
        : []),
      ...withdrawnEvents(ofDeposits.refundPatches, snapshot.details.partnerId, trace),
      ...takenBackTold(change.verdict?.reverted?.heldRefund, ofDeposits.refundPatches, trace),
    ],
    ...(refund ? { refunds: [refund] } : {}),
    ...(withdrawn ? { refundPatches: [withdrawn.patch] } : {}),
    ...(hold === undefined ? {} : { hold }),
    ...ofDeposits,
    ...(decision.effects.includes('release_claim') ? { releasesClaim: true } : {}),
    ...(change.verdict === undefined ? {} : { mark: change.verdict.mark }),
    ...(startsAttempt(change, from) ? { newAttempt: change.newAttempt } : {}),
    ...(change.attemptPatches === undefined ? {} : { attemptPatches: change.attemptPatches }),
    ...(change.settlement === undefined ? {} : { settlement: change.settlement }),
    ...(change.act === undefined ? {} : { act: change.act }),
    ...duplicatePaymentOf(postings, snapshot, change),
    ...(incident
      ? {
          incident: {
            state: snapshot.life.state,
            event: change.event,
            attemptNo: change.attemptNo,
            detail: change.detail,
          },
        }
      : {}),
  };
}

interface Walked {
  readonly state: TransactionState;
  readonly steps: number;
  readonly told: number;
  readonly pays: boolean;
}

function nextLife(
  { life, deposit }: TransactionSnapshot,
  { state, steps, told, pays }: Walked,
  change: Change,
): TransactionLife {
  const moved = state !== life.state;
  const failureCode = failureCodeOf(life, state, change);
  const quoteNotApplied = (change.verdict?.deposit ?? deposit)?.quoteNotApplied ?? null;
  return {
    state,
    sequence: life.sequence + steps,
    publicSequence: life.publicSequence + told,
    attemptNo: startsAttempt(change, state) ? change.newAttempt.attemptNo : life.attemptNo,
    paidAttemptNo: pays ? change.attemptNo : life.paidAttemptNo,
    message: moved ? messageOf(state, failureCode, quoteNotApplied) : life.message,
    failureCode,
    receiptNumber: change.receiptNumber ?? life.receiptNumber,
    publicName: change.publicName ?? life.publicName,
    dueAt: state === 'QUEUED' ? (change.dueAt ?? life.dueAt ?? change.at) : moved ? null : life.dueAt,
    // Waiting ends when a provider takes the payment; the first deadline stays.
    parkDeadline: WAITING.has(state)
      ? change.parkDeadline === undefined
        ? life.parkDeadline
        : change.parkDeadline
      : null,
  };
}

function failureCodeOf(
  life: TransactionLife,
  state: TransactionState,
  { failureCode, failsAfterwards }: Change,
): string | null {
  if (state === 'FAILED')
    return life.state === 'FAILED' ? life.failureCode : (failureCode ?? life.failureCode ?? 'rail_rejected');
  return state === 'QUEUED' ? (failsAfterwards ?? life.failureCode) : null;
}

function messageOf(state: TransactionState, failureCode: string | null, quoteNotApplied: string | null): string {
  if (state === 'FAILED') return FAILURE_CODES[failureCode as FailureCode];
  const isOpen = publicStatusOf(state) === 'PROCESSING';
  return quoteNotApplied !== null && isOpen
    ? `${MESSAGES[state]}. ${PASSED_OVER[quoteNotApplied] ?? 'The quote was not used'}: the current rate is used`
    : MESSAGES[state];
}

/** The open hold, or what refund_hold_withdrawn restores. */
function heldFor(post: readonly PostingName[], { details, deposit, held }: TransactionSnapshot): Money {
  return deposit && post.includes('refund_hold_withdrawn') ? fundingOf(deposit, details.amount.currency) : held;
}

function toPosting(name: PostingName, snapshot: TransactionSnapshot, change: Change, held: Money): Posting[] {
  const { details } = snapshot;
  const { currency } = details.amount;
  const deposit = change.verdict?.deposit ?? snapshot.deposit;
  const reverted = change.verdict?.reverted;
  const facts: PostingFacts = {
    partner: details.partnerId,
    amount: details.amount,
    markup: details.fee,
    serviceFee: details.serviceFee,
    held,
    shortfall: zero(currency),
    ...(deposit ? depositFactsOf(deposit, currency) : {}),
    due: change.history.due ?? zero(currency),
    duplicatePayment: sum(
      currency,
      change.history.duplicatePayment.filter(({ unwound, owed }) => !unwound && !owed).map(({ amount }) => amount),
    ),
    ...(change.provider === undefined ? {} : { provider: change.provider }),
    ...(change.wallet === undefined ? {} : { wallet: change.wallet }),
    ...(reverted ? revertedFactsOf(reverted, currency) : {}),
  };
  const legs = postingLegs(name, facts);
  // Only a short deposit has legs here.
  if (name === 'shortfall_covered' && legs.length === 0) return [];
  return [{ reference: referenceFor(name, snapshot, change), kind: name, legs }];
}

/** With several deposits, each reference has the deposit's id, so each comes and goes once. */
function referenceFor(name: PostingName, { details, deposit: judged }: TransactionSnapshot, change: Change): string {
  const deposit = change.verdict?.deposit ?? judged;
  if (deposit && isIncomingTransfer(name)) return depositReference(deposit);
  const reverted = change.verdict?.reverted;
  if (reverted && isReversal(name)) return referenceOf(name, reverted.depositId);
  return referenceOf(name, details.id, ordinalOf(name, change));
}

/** Duplicate payments and their returns are numbered from 1. */
function ordinalOf(name: PostingName, { history: { duplicatePayment } }: Change): number | undefined {
  if (name === 'duplicate_payment' || name === 'duplicate_payment_ours') return duplicatePayment.length + 1;
  if (name !== 'duplicate_payment_returned' && name !== 'duplicate_payment_ours_returned') return undefined;
  return duplicatePayment.filter(({ unwound }) => unwound).length + 1;
}

function duplicatePaymentOf(
  postings: readonly Posting[],
  snapshot: TransactionSnapshot,
  change: Change,
): Pick<PaymentCommit, 'duplicatePayment' | 'duplicatePaymentPatch'> {
  const has = (...names: readonly PostingName[]): boolean =>
    postings.some(({ kind }) => (names as readonly string[]).includes(kind));
  const { receipt, provider, wallet } = change;
  if (has('duplicate_payment', 'duplicate_payment_ours')) {
    if (receipt === undefined || provider === undefined || wallet === undefined)
      throw new Error('a payment made again has a receipt, a provider and a wallet');
    const amount = givenOf(snapshot.details);
    return {
      duplicatePayment: {
        attemptNo: change.attemptNo,
        receiptNumber: receipt,
        provider,
        wallet,
        amount,
        owed: has('duplicate_payment'),
      },
    };
  }
  const unwound = has('duplicate_payment_returned', 'duplicate_payment_ours_returned') ? (receipt ?? null) : null;
  const owed = has('duplicate_payment_owed');
  return unwound === null && !owed ? {} : { duplicatePaymentPatch: { attemptNo: change.attemptNo, unwound, owed } };
}

function providerFeeOf(
  { details }: TransactionSnapshot,
  { attemptNo, provider, wallet, providerFee }: Change,
): Posting[] {
  if (providerFee === undefined || provider === undefined || wallet === undefined) return [];
  return [providerFeePosting({ transactionId: details.id, attemptNo, provider, wallet }, providerFee)];
}

/** The provider paid more or less than ordered, until resolved with it. */
function differenceOf({ details }: TransactionSnapshot, { reallyPaid, provider, wallet }: Change): Posting[] {
  const given = givenOf(details);
  const paid = reallyPaid ?? given;
  const paidMore = compare(paid, given);
  if (paidMore === 0 || provider === undefined || wallet === undefined) return [];
  const name = paidMore > 0 ? 'provider_difference' : 'provider_difference_resolved';
  const amount = paidMore > 0 ? subtract(paid, given) : subtract(given, paid);
  return [
    {
      reference: referenceOf(name, details.id),
      kind: name,
      legs: postingLegs(name, { provider, wallet, amount }),
    },
  ];
}

/** With two changes in one commit, the first is to COMPLETE. */
function messageTold(life: TransactionLife, { status }: Told): string {
  return status === publicStatusOf(life.state) ? life.message : MESSAGES.COMPLETE;
}
