import { uuidv7, type Clock, type WakeSignal } from '@vuka/platform';
import { routesFor, type PayoutProvider } from '@vuka/payouts';

import type { TransactionSnapshot } from './store/transaction.store.js';
import type { Happening, TransactionMachine } from './transaction-machine.js';

export interface ParkPolicy {
  /** How long a transaction may wait for a rail before it fails with rail_unavailable (docs/money.md section 1). */
  readonly parkForMs: number;
  /** How long until a parked transaction is tried again. */
  readonly retryAfterMs: number;
}

/**
 * Starts the next attempt of a transaction that is due: the attempt's id and SUBMITTING are committed here, before
 * anybody calls the rail. Without a rail the transaction is parked, and fails when its deadline has passed.
 */
export class StartPayout {
  constructor(
    private readonly machine: TransactionMachine,
    private readonly providers: readonly PayoutProvider[],
    private readonly policy: ParkPolicy,
    private readonly clock: Clock,
    /** Wakes whoever submits attempts. */
    private readonly started: WakeSignal,
  ) {}

  async run(due: TransactionSnapshot): Promise<void> {
    const decision = await this.machine.apply(due, (snapshot) => this.next(snapshot));
    if (decision.kind === 'move') this.started.notify();
  }

  /** null: somebody else has started it, or ended it, since it was read as due. */
  private next(snapshot: TransactionSnapshot): Happening | null {
    const { terms, life, destination } = snapshot;
    const now = this.clock.now();
    if (!life.dueAt || life.dueAt > now) return null;
    if (life.parkDeadline && life.parkDeadline <= now) {
      return {
        event: { type: 'overdue' },
        change: { attemptNo: life.attemptNo, detail: 'park deadline passed', failureCode: 'rail_unavailable' },
      };
    }
    const routes = routesFor(destination, terms.currency, terms.amountMinor - terms.feeMinor, this.providers);
    const route = routes[life.attemptNo % Math.max(routes.length, 1)];
    if (!route) {
      return {
        event: { type: 'deferred', provenNotTaken: true },
        change: { attemptNo: life.attemptNo, detail: 'no rail for this destination', ...parked(snapshot, this.policy, now) },
      };
    }
    const attemptNo = life.attemptNo + 1;
    return {
      event: { type: 'attempt.started' },
      change: {
        attemptNo,
        detail: route.id,
        newAttempt: {
          attemptNo, railReference: uuidv7(), rail: route.id, state: 'INTENT', amountMinor: terms.amountMinor - terms.feeMinor, nextAt: now,
        },
      },
    };
  }
}

/** When a parked transaction is due again, and until when it may wait: the first deadline stands. */
export function parked(snapshot: TransactionSnapshot, policy: ParkPolicy, now: Date): { dueAt: Date; parkDeadline: Date } {
  const parkDeadline = snapshot.life.parkDeadline ?? new Date(now.getTime() + policy.parkForMs);
  const retryAt = new Date(now.getTime() + policy.retryAfterMs);
  return { dueAt: retryAt < parkDeadline ? retryAt : parkDeadline, parkDeadline };
}
