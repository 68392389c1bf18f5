import { setTimeout as pause } from 'node:timers/promises';

import { runLoop, type Clock, type Logger, type RunningLoop } from '@vuka/platform';

import type { CallRail } from '../call-rail.js';
import type { StartPayout } from '../start-payout.js';
import type { ClaimedAttempt, ClaimPurpose, TransactionSnapshot, TransactionStore } from '../store/transaction.store.js';
import { ClaimLoop, GATHER_MS } from './claim-loop.js';
import type { PayoutWake } from './payout-wake.js';

/** Transactions started in one round; a start is one move. */
const STARTS_PER_ROUND = 200;
/** Calls under way at one time, of each purpose. */
const CALLS_IN_HAND = 64;
/** Calls one claim may make at most: a query, the same id again, and a query of what that was told of. */
const CALLS_PER_CLAIM = 3;
const LEASE_MARGIN_MS = 1_000;
/** How long a transaction rests whose start failed for a reason that is not its own. */
const REST_AFTER_ERROR_MS = 10_000;
const IDLE_MS = 5_000;
/** What due work waits between two rounds while partners crowd in: it goes on, but they come first. */
const GIVE_WAY_MS = 250;

/** The due work of payouts: start, submit, poll. All of it is rows with their time; wakes only say that it is worth a look. */
export class PayoutJobs {
  private readonly calls: readonly ClaimLoop<ClaimedAttempt>[];
  private readonly leaseMs: number;
  private starts: RunningLoop | undefined;

  constructor(
    private readonly store: TransactionStore,
    private readonly starter: StartPayout,
    private readonly caller: CallRail,
    private readonly wake: PayoutWake,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {
    // A lease that runs out should mean that its holder is gone.
    this.leaseMs = CALLS_PER_CLAIM * caller.longestCallMs + LEASE_MARGIN_MS;
    this.calls = [this.callLoop('submit'), this.callLoop('poll')];
  }

  start(): void {
    this.wake.register();
    this.starts = runLoop({
      name: 'payments.start-payouts', tick: () => this.startDue(), signal: this.wake.starts, idleMs: IDLE_MS, gatherMs: GATHER_MS, log: this.log,
    });
    for (const loop of this.calls) loop.start();
  }

  async stop(): Promise<void> {
    await this.starts?.stop();
    await Promise.all(this.calls.map((loop) => loop.stop()));
  }

  /** One round of starts; true when there may be more. A round ends before the next is read, for nothing is claimed. */
  private async startDue(): Promise<boolean> {
    await this.giveWay();
    const due = await this.store.dueForStart(this.clock.now(), STARTS_PER_ROUND);
    await Promise.all(due.map((snapshot) => this.startOne(snapshot)));
    return due.length === STARTS_PER_ROUND;
  }

  private async startOne(snapshot: TransactionSnapshot): Promise<void> {
    try {
      await this.starter.run(snapshot);
    } catch (error) {
      this.log.error({ code: 'start_failed', transaction_id: snapshot.terms.id, err: error }, 'a payout could not be started; it will be tried again');
      await this.store.postpone(snapshot, new Date(this.clock.now().getTime() + REST_AFTER_ERROR_MS));
    }
  }

  private async giveWay(): Promise<void> {
    if (this.wake.crowded) await pause(GIVE_WAY_MS);
  }

  private callLoop(purpose: ClaimPurpose): ClaimLoop<ClaimedAttempt> {
    return new ClaimLoop({
      name: `payments.${purpose}-payouts`,
      claim: (limit) => {
        const now = this.clock.now();
        return this.store.claim(purpose, now, new Date(now.getTime() + this.leaseMs), limit);
      },
      handle: (attempt) => this.caller.run(purpose, attempt),
      limit: CALLS_IN_HAND,
      giveWay: () => this.giveWay(),
      signal: purpose === 'submit' ? this.wake.submits : this.wake.polls,
      log: this.log,
    });
  }
}
