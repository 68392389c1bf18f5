import { isFailureCode } from '@vuka/domain';
import { routesFor, type PayoutProvider } from '@vuka/payouts';
import { type Clock, crashPoint } from '@vuka/runtime';

import type { Freeze, WakeStopped } from '../controls/index.js';
import type { RecordReversal } from '../deposits/index.js';
import type { Happening, TransactionMachine } from '../machine/index.js';
import {
  type AttemptStore,
  type DestinationVault,
  type History,
  NO_HISTORY,
  type TransactionSnapshot,
  type WhyFrozen,
} from '../transactions/index.js';
import { routesLeft } from './choose-route.js';

export interface ParkPolicy {
  /** How long a transaction may wait for a rail before it fails with rail_unavailable (docs/engineers/money.md, "Waiting for a provider"). */
  readonly parkForMs: number;
  /** How long until a parked transaction is first tried again; the longer it has waited, the longer the next wait. */
  readonly retryAfterMs: number;
}

export interface StartPayoutOptions {
  readonly machine: TransactionMachine;
  readonly attempts: Pick<AttemptStore, 'historyOf'>;
  readonly vault: Pick<DestinationVault, 'railReference'>;
  readonly providers: readonly PayoutProvider[];
  readonly policy: ParkPolicy;
  /** Whose payouts wait until people have looked. */
  readonly frozen: Freeze;
  /** Has what waits by a freeze tried at once. */
  readonly stopped: Pick<WakeStopped, 'run' | 'one'>;
  /** Takes back what has vanished, where that was told and not carried out yet. */
  readonly reversals: Pick<RecordReversal, 'takeBackAmong'>;
  readonly clock: Clock;
  /** Wakes whoever submits attempts to that rail. */
  readonly started: { notify(rail: string): void };
}

/**
 * Starts the next attempt of a transaction that is due. The attempt's id and SUBMITTING are committed here, before anybody calls the rail.
 * Without a rail the transaction is parked, and fails when its deadline has passed. It waits without a deadline while its partner is frozen,
 * and while a provider contradicts that an earlier attempt was not paid; until that is resolved it does not fail either. What its own deposit no longer pays for fails. Nothing starts on a
 * deposit that is known to be gone, whether or not the ledger has taken it back yet.
 */
export class StartPayout {
  constructor(private readonly options: StartPayoutOptions) {}

  async run(due: TransactionSnapshot): Promise<void> {
    let happened: Happening | null = null;
    let vanished: number[] = [];
    const decision = await this.options.machine.apply(due, async (snapshot) => {
      vanished = vanishedOf(snapshot);
      return (happened = vanished.length > 0 ? null : await this.next(snapshot));
    });
    // Its value came into the ledger after the word that it is gone, and nobody has carried that out yet.
    if (vanished.length > 0) return this.options.reversals.takeBackAmong(vanished);
    await this.wakeIfLetGo(due, happened);
    if (decision.kind !== 'move') return;
    crashPoint('payments.after-start');
    const rail = railOf(happened);
    if (rail !== undefined) this.options.started.notify(rail);
  }

  /** null: somebody else has started it, or ended it, since it was read as due. */
  private async next(snapshot: TransactionSnapshot): Promise<Happening | null> {
    const { life } = snapshot;
    const { attempts, clock, policy, providers, vault } = this.options;
    const now = clock.now();
    if (!life.dueAt || life.dueAt > now) return null;
    const history = life.attemptNo === 0 ? NO_HISTORY : await attempts.historyOf(snapshot.details.id);
    const paid = history.paidAgain.find(({ unwound }) => !unwound);
    // Checked before all that ends it: FAILED would give back what may be paid.
    if (!paid && history.isContradicted) {
      return {
        event: { type: 'deferred', provenNotTaken: true },
        history,
        change: { attemptNo: life.attemptNo, detail: CONTRADICTED, ...untilPeople(policy, now) },
      };
    }
    if (!paid && snapshot.deposit?.state === 'reverted') {
      return {
        event: { type: 'overdue' },
        history,
        change: { attemptNo: life.attemptNo, detail: 'its deposit vanished', failureCode: 'deposit_reverted' },
      };
    }
    // It waited for people alone: its last attempt had failed, and no rail was left.
    if (!paid && life.failureCode !== null && isFailureCode(life.failureCode)) {
      return {
        event: { type: 'overdue' },
        history,
        change: { attemptNo: life.attemptNo, detail: 'no rail is left', failureCode: life.failureCode },
      };
    }
    const stopped = paid ? null : await this.stopped(snapshot.details.partnerId);
    if (stopped) {
      return {
        event: { type: 'deferred', provenNotTaken: true },
        history,
        change: { attemptNo: life.attemptNo, detail: STOPPED[stopped], ...untilPeople(policy, now) },
      };
    }
    if (!paid && life.parkDeadline && life.parkDeadline <= now) {
      return {
        event: { type: 'overdue' },
        history,
        change: { attemptNo: life.attemptNo, detail: 'park deadline passed', failureCode: 'rail_unavailable' },
      };
    }
    const [route] = routesLeft(
      routesFor(snapshot.destination, snapshot.details.currency, givenOf(snapshot), providers),
      history,
    );
    if (!paid && !route) {
      return {
        event: { type: 'deferred', provenNotTaken: true },
        history,
        change: { attemptNo: life.attemptNo, detail: 'no rail for this destination', ...parked(snapshot, policy, now) },
      };
    }
    return paid ? settledBy(paid, history) : startOn(route as PayoutProvider, snapshot, history, { now, vault });
  }

  /** What is remembered lets most go on without a question; whoever would have to wait may have been let go this very moment, and would not be woken again. */
  private async stopped(partnerId: number): Promise<WhyFrozen | null> {
    const { frozen } = this.options;
    return (await frozen.why(partnerId)) === null ? null : frozen.whyNow(partnerId);
  }

  /** Who let the partner go, or resolved the contradiction, after it was asked for, and before it was put to wait, did not find it among what waits. Who does so from here on finds it. */
  private async wakeIfLetGo({ details }: TransactionSnapshot, happened: Happening | null): Promise<void> {
    if (happened?.change.parkDeadline !== null) return;
    const { attempts, frozen, stopped } = this.options;
    if (happened.change.detail !== CONTRADICTED) {
      if ((await frozen.whyNow(details.partnerId)) === null) await stopped.run(details.partnerId);
    } else if (!(await attempts.historyOf(details.id)).isContradicted) await stopped.one(details.id);
  }
}

/** Its deposit where that has vanished and is in the ledger as if it had not. */
function vanishedOf({ deposit }: TransactionSnapshot): number[] {
  return deposit?.vanished && deposit.state !== 'reverted' ? [deposit.depositId] : [];
}

function railOf(happened: Happening | null): string | undefined {
  return happened?.change.newAttempt?.rail;
}

function givenOf({ details }: TransactionSnapshot): bigint {
  return details.amountMinor - details.feeMinor;
}

function startOn(
  route: PayoutProvider,
  snapshot: TransactionSnapshot,
  history: History,
  { now, vault }: { now: Date; vault: Pick<DestinationVault, 'railReference'> },
): Happening {
  const attemptNo = snapshot.life.attemptNo + 1;
  const railReference = vault.railReference(snapshot.details, snapshot.destination, attemptNo);
  return {
    event: { type: 'attempt.started' },
    history,
    change: {
      attemptNo,
      detail: route.id,
      newAttempt: {
        attemptNo,
        railReference,
        rail: route.id,
        state: 'INTENT',
        amountMinor: givenOf(snapshot),
        nextAt: now,
      },
    },
  };
}

/** What has been paid is not paid again: it becomes this transaction's payment. */
function settledBy(paid: History['paidAgain'][number], history: History): Happening {
  return {
    event: { type: 'attempt.started' },
    history,
    receipt: paid.receiptNumber,
    change: {
      attemptNo: paid.attemptNo,
      detail: 'paid by an earlier attempt',
      rail: paid.rail,
      receiptNumber: paid.receiptNumber,
    },
  };
}

/** What a transaction that waits by it is said to wait for. */
const STOPPED: Readonly<Record<WhyFrozen, string>> = {
  suspended: 'the partner is suspended',
  frozen: 'the partner is frozen by people',
  vanished: 'the partner is frozen',
  sent_back: 'the partner is frozen',
};

const CONTRADICTED = 'a provider contradicts that an earlier attempt was not paid: people look';

/** How much longer than for a rail: people are slower. */
const PEOPLE_WAIT_TIMES = 10;

/** While it waits for people it has no deadline, so that none runs out by that alone: the wait for a rail begins with the first try afterwards. */
function untilPeople(policy: ParkPolicy, now: Date): { dueAt: Date; parkDeadline: null } {
  return { dueAt: new Date(now.getTime() + PEOPLE_WAIT_TIMES * policy.retryAfterMs), parkDeadline: null };
}

/** A try after one more tenth of the wait so far: what is away for a minute is found in seconds, what is away for hours is not asked a thousand times. */
const WAIT_GROWS_BY = 10;

/** When a parked transaction is due again, and until when it may wait: the first deadline stands. */
export function parked(
  snapshot: TransactionSnapshot,
  policy: ParkPolicy,
  now: Date,
): { dueAt: Date; parkDeadline: Date } {
  const parkDeadline = snapshot.life.parkDeadline ?? new Date(now.getTime() + policy.parkForMs);
  const waited = now.getTime() - (parkDeadline.getTime() - policy.parkForMs);
  const retryAt = new Date(now.getTime() + Math.max(policy.retryAfterMs, Math.floor(waited / WAIT_GROWS_BY)));
  return { dueAt: retryAt < parkDeadline ? retryAt : parkDeadline, parkDeadline };
}
