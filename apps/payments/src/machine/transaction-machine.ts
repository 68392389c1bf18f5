import { Inject, Injectable } from '@nestjs/common';
import {
  decide,
  isTerminal,
  type Decision,
  type Subject,
  type TransactionEvent,
  type ValueLocation,
} from '@vuka/domain';
import type { Clock, Logger } from '@vuka/runtime';
import { CLOCK, LOGGER } from '@vuka/service-host';

import {
  type AttemptPatch,
  type DepositState,
  type PaymentCommit,
  CommitWriter,
  TransactionIds,
} from '../commit/index.js';
import {
  ChainExitBlocks,
  type History,
  NO_HISTORY,
  type TransactionSnapshot,
  TransactionStore,
} from '../transactions/index.js';
import { isTooLittle } from '../value/index.js';
import { buildCommit } from './build-commit.js';
import type { Change } from './change.js';
import { withBeyondQuote } from './refund-beyond-quote.js';

export interface TransactionTrigger {
  readonly event: TransactionEvent;
  readonly attempt?: Subject['attempt'];
  readonly receipt?: string;
  /** Read with the snapshot if there is more than a first attempt under way. */
  readonly history?: History;
  /** Gives up the current, unsent attempt in the same commit, if the transaction ends. */
  readonly stopCurrent?: AttemptPatch;
  readonly change: Omit<Change, 'at' | 'event' | 'history' | 'receipt' | 'refundId'>;
}

const MAX_TRIES = 3;
const NOTHING: Decision = { kind: 'ignore', effects: [] };

/** Commits by compare-and-set. If somebody else was faster, it reads and decides again, three times. */
@Injectable()
export class TransactionMachine {
  constructor(
    private readonly store: TransactionStore,
    private readonly writer: CommitWriter,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
    /** Refund ids come from the ids of transactions. */
    private readonly ids: TransactionIds,
    private readonly chainExitBlock: ChainExitBlocks,
  ) {}

  /**
   * Resolves with the decision carried out. `happened` is asked for each snapshot; null: no event. Throws if
   * others are faster each time, or an account would break its sign (a bug).
   */
  async apply(
    first: TransactionSnapshot,
    happened: (snapshot: TransactionSnapshot) => TransactionTrigger | null | Promise<TransactionTrigger | null>,
  ): Promise<Decision> {
    let snapshot = first;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const trigger = await happened(snapshot);
      if (!trigger) return NOTHING;
      const decision = await this.decided(snapshot, trigger);
      const move = this.toCommit(snapshot, decision, trigger, sendsBack(decision) ? await this.ids.take() : undefined);
      if (!move) return decision;
      const whole = await withBeyondQuote(move, snapshot, { store: this.store, ids: this.ids, at: this.clock.now() });
      const { outcome } = await this.writer.commit(whole, 'background');
      if (outcome === 'ok') {
        this.raiseAlarms(snapshot, decision, trigger.event.type);
        return decision;
      }
      if (outcome === 'seen') return NOTHING;
      // The attempt to give up was claimed meanwhile: decide again.
      if (outcome === 'superseded' && trigger.stopCurrent === undefined) return NOTHING;
      // The partner's debt may have been collected since the read, so a posting may take too much.
      const isLate =
        outcome === 'stale' ||
        outcome === 'superseded' ||
        (outcome === 'insufficient' && trigger.history !== undefined);
      if (!isLate)
        throw new Error(
          `transaction ${snapshot.details.id}: ${trigger.event.type} in ${snapshot.life.state} was answered ${outcome}`,
        );
      snapshot = await this.reload(snapshot.details.id);
    }
    throw new Error(`transaction ${first.details.id} was changed by others ${MAX_TRIES} times in a row`);
  }

  /** Asked only when value is about to leave on chain, and as late as possible. */
  private async decided(snapshot: TransactionSnapshot, trigger: TransactionTrigger): Promise<Decision> {
    const subject = subjectOf(snapshot, trigger);
    const decision = decide(subject, trigger.event);
    if (!sendsBack(decision) || (await this.chainExitBlock.why(snapshot.details.partnerId)) === null) return decision;
    return decide({ ...subject, chainExitBlock: true }, trigger.event);
  }

  private toCommit(
    snapshot: TransactionSnapshot,
    decision: Decision,
    trigger: TransactionTrigger,
    refundId: number | undefined,
  ): PaymentCommit | undefined {
    const change: Change = {
      ...trigger.change,
      at: this.clock.now(),
      event: trigger.event.type,
      history: trigger.history ?? NO_HISTORY,
      ...(trigger.receipt === undefined ? {} : { receipt: trigger.receipt }),
      ...(refundId === undefined ? {} : { refundId }),
    };
    switch (decision.kind) {
      case 'refuse':
        return undefined;
      case 'ignore':
        // No state change, but maybe a new due time.
        return change.dueAt && decision.effects.includes('new_due')
          ? buildCommit(snapshot, { kind: 'move', steps: [], effects: [] }, change)
          : undefined;
      case 'move':
        return buildCommit(snapshot, decision, withStopped(change, decision, trigger.stopCurrent));
      default:
        return buildCommit(snapshot, decision, noted(change));
    }
  }

  private raiseAlarms(snapshot: TransactionSnapshot, decision: Decision, event: string): void {
    if (decision.kind !== 'move' && decision.kind !== 'conflict' && decision.kind !== 'record') return;
    if (decision.effects.every((effect) => effect === 'release_claim')) return;
    this.log.error(
      {
        code: 'transaction_alarm',
        transaction_id: snapshot.details.id,
        state: snapshot.life.state,
        event,
        effects: decision.effects,
      },
      'a transaction needs a person: see its incident',
    );
  }

  private async reload(id: number): Promise<TransactionSnapshot> {
    const snapshot = await this.store.byId(id);
    if (!snapshot) throw new Error(`transaction ${id} is gone`);
    return snapshot;
  }
}

function sendsBack(decision: Decision): boolean {
  return decision.kind === 'move' && decision.steps.some(({ post }) => post.includes('refund_held'));
}

function withStopped(
  change: Change,
  decision: Extract<Decision, { kind: 'move' }>,
  stopped: AttemptPatch | undefined,
): Change {
  if (!stopped || !decision.steps.some(({ to }) => isTerminal(to))) return change;
  return { ...change, attemptPatches: [...(change.attemptPatches ?? []), stopped] };
}

/** The transaction keeps its state, attempt and terms. */
function noted({
  newAttempt: _,
  receiptNumber: _receipt,
  publicName: _name,
  failureCode: _code,
  failsAfterwards: _after,
  dueAt: _due,
  parkDeadline: _park,
  ...change
}: Change): Change {
  return change;
}

const VALUE_AT: Readonly<Record<DepositState, ValueLocation>> = {
  funding: 'nowhere',
  ordered: 'unapplied',
  unapplied: 'unapplied',
  credited: 'wallet',
  refunding: 'refunding',
  refunded: 'refunded',
  reverted: 'nowhere',
};

/** The open refund of refund_held. A refund without a row yet is not granted either. */
function refundOf({ life, deposit, liveRefund }: TransactionSnapshot): Pick<Subject, 'refund'> {
  if (life.state !== 'FAILED') return {};
  if (liveRefund !== null) return { refund: liveRefund.state === 'HELD' ? 'ungranted' : 'granted' };
  return deposit?.state === 'refunding' ? { refund: 'ungranted' } : {};
}

function subjectOf(
  snapshot: TransactionSnapshot,
  { event, attempt, receipt, history = NO_HISTORY, stopCurrent, change }: TransactionTrigger,
): Subject {
  // The vanished deposit, if any; else the main one.
  const deposit = change.verdict?.reverted ?? snapshot.deposit;
  const standing = history.duplicatePayment.filter(({ unwound }) => !unwound);
  const ofAttempt = standing.filter((payment) => payment.attemptNo === change.attemptNo);
  const spokenOf =
    event.type === 'attempt.started'
      ? standing[0]
      : receipt === undefined
        ? ofAttempt[0]
        : ofAttempt.find(({ receiptNumber }) => receiptNumber === receipt);
  return {
    state: snapshot.life.state,
    ...refundOf(snapshot),
    paymentStands: snapshot.paymentStands,
    fundedBy: snapshot.pay ? 'deposit' : 'wallet',
    refundAddress: snapshot.pay !== null && snapshot.pay.refundAddress !== null,
    tooLittleToSend: snapshot.deposit !== null && isTooLittle(snapshot.deposit),
    ...(deposit ? { valueAt: VALUE_AT[deposit.state], depositReverted: deposit.state === 'reverted' } : {}),
    attemptSent: snapshot.life.attemptNo > 0,
    oursStands: standing.some(({ owed }) => !owed),
    currentUnsent: stopCurrent !== undefined,
    ...(attempt === undefined ? {} : { attempt }),
    ...(spokenOf === undefined ? {} : { duplicatePayment: spokenOf.owed ? 'owed' : 'ours' }),
  };
}
