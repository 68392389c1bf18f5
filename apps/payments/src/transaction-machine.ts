import { decide, type Decision, type Subject, type TransactionEvent } from '@vuka/domain';
import type { Clock, Logger } from '@vuka/platform';

import { buildMove, type Change } from './build-move.js';
import type { Move } from './store/move.js';
import type { MoveWriter } from './store/move-writer.js';
import type { TransactionSnapshot, TransactionStore } from './store/transaction.store.js';

/** An event for a transaction, with what goes to the record beside it. */
export interface Happening {
  readonly event: TransactionEvent;
  /** The attempt the event speaks of, where it speaks of one. */
  readonly attempt?: Subject['attempt'];
  readonly change: Omit<Change, 'at' | 'event'>;
}

const MAX_TRIES = 3;
const NOTHING: Decision = { kind: 'ignore', effects: [] };

/**
 * Applies events to transactions: decides on what was read, commits by compare-and-set, and where somebody was
 * faster reads again and decides again, three times.
 */
export class TransactionMachine {
  constructor(
    private readonly store: TransactionStore,
    private readonly writer: MoveWriter,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  /**
   * Resolves with the decision that was carried out (or that there was nothing to carry out). `happened` is asked
   * anew for each snapshot; null: by this snapshot nothing happened. Throws when the transaction stays contended or an account would break its sign: bugs.
   */
  async apply(first: TransactionSnapshot, happened: (snapshot: TransactionSnapshot) => Happening | null): Promise<Decision> {
    let snapshot = first;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const happening = happened(snapshot);
      if (!happening) return NOTHING;
      const { event, attempt, change } = happening;
      const decision = decide(subjectOf(snapshot, attempt), event);
      const move = this.toMove(snapshot, decision, event.type, change);
      if (!move) return decision;
      const { outcome } = await this.writer.commit(move, 'background');
      if (outcome === 'ok') {
        this.raiseAlarms(snapshot, decision, event.type);
        return decision;
      }
      if (outcome === 'superseded') return NOTHING;
      if (outcome !== 'stale') {
        throw new Error(`transaction ${snapshot.terms.id}: ${event.type} in ${snapshot.life.state} was answered ${outcome}`);
      }
      snapshot = await this.reload(snapshot.terms.id);
    }
    throw new Error(`transaction ${first.terms.id} was changed by others ${MAX_TRIES} times in a row`);
  }

  private toMove(snapshot: TransactionSnapshot, decision: Decision, event: string, change: Happening['change']): Move | undefined {
    const at = this.clock.now();
    switch (decision.kind) {
      case 'refuse':
        return undefined;
      case 'ignore':
        // Nothing happened to the transaction, but its time may be a new one.
        return change.dueAt && decision.effects.includes('new_due')
          ? buildMove(snapshot, { kind: 'move', steps: [], effects: [] }, { ...change, at, event })
          : undefined;
      case 'move':
        return buildMove(snapshot, decision, { ...change, at, event });
      default:
        return buildMove(snapshot, decision, { ...noted(change), at, event });
    }
  }

  private raiseAlarms(snapshot: TransactionSnapshot, decision: Decision, event: string): void {
    if (decision.kind !== 'move' && decision.kind !== 'conflict' && decision.kind !== 'record') return;
    if (decision.effects.length === 0) return;
    this.log.error(
      { code: 'transaction_alarm', transaction_id: snapshot.terms.id, state: snapshot.life.state, event, effects: decision.effects },
      'a transaction needs somebody to look at it',
    );
  }

  private async reload(id: number): Promise<TransactionSnapshot> {
    const snapshot = await this.store.byId(id);
    if (!snapshot) throw new Error(`transaction ${id} is gone`);
    return snapshot;
  }
}

/** What of a change goes to the record when the transaction itself stays as it is: no new attempt, no new terms. */
function noted({ attemptNo, detail, rail, attemptPatch }: Happening['change']): Happening['change'] {
  return {
    attemptNo,
    detail,
    ...(rail === undefined ? {} : { rail }),
    ...(attemptPatch === undefined ? {} : { attemptPatch }),
  };
}

function subjectOf(snapshot: TransactionSnapshot, attempt: Subject['attempt']): Subject {
  return {
    state: snapshot.life.state,
    fundedBy: 'wallet',
    refundAddress: false,
    attemptSent: snapshot.life.attemptNo > 0,
    ...(attempt === undefined ? {} : { attempt }),
  };
}
