import { setTimeout as pause } from 'node:timers/promises';

import { hasStatement, type PayoutProvider, type StatementProvider } from '@vuka/payouts';
import { type Clock, type Logger, type MonotonicClock, runLoop, type RunningLoop } from '@vuka/runtime';

import { ClaimLoop, GATHER_MS, leaseFor, type PayoutWake } from '../due-work/index.js';
import { type CallRail, ReadStatement, type StartPayout } from '../payouts/index.js';
import type { ExecuteSettlement } from '../settlements/index.js';
import type {
  AttemptStore,
  ClaimedAttempt,
  ClaimPurpose,
  TransactionSnapshot,
  TransactionStore,
} from '../transactions/index.js';
import type { CollectReceivables } from '../wallets/index.js';

/** Transactions started in one round; a start is one move. */
const STARTS_PER_ROUND = 200;
/** What looks at ended attempts may take of a rail's room: they can wait. */
const WATCH_SHARE = 4;
/** Calls one claim may make at most: a query, the same id again, and a query of what that was told of. */
const CALLS_PER_CLAIM = 3;
const LEASE_MARGIN_MS = 1_000;
/** How long a transaction rests whose start failed for a reason that is not its own. */
const REST_AFTER_ERROR_MS = 10_000;
const IDLE_MS = 5_000;
/** What due work waits between two rounds while partners crowd in: it goes on, but they come first. */
const GIVE_WAY_MS = 250;

export interface PayoutStores {
  readonly transactions: TransactionStore;
  readonly attempts: AttemptStore;
}

export interface PayoutSurroundings {
  readonly providers: readonly PayoutProvider[];
  readonly wake: PayoutWake;
  readonly clock: Clock & MonotonicClock;
  readonly log: Logger;
}

/**
 * The due work of payouts: start, and for each rail submit, poll, watch and read the statement, so that a rail that is slow
 * or away holds up no other. All of it is rows with their time; wakes only say that it is worth a look.
 */
export class PayoutJobs {
  private readonly calls: ClaimLoop<ClaimedAttempt>[] = [];
  private readonly loops: RunningLoop[] = [];

  constructor(
    private readonly stores: PayoutStores,
    private readonly starter: StartPayout,
    private readonly caller: CallRail,
    private readonly collector: CollectReceivables,
    private readonly settlements: Pick<ExecuteSettlement, 'runDue'>,
    private readonly around: PayoutSurroundings,
  ) {}

  start(): void {
    this.around.wake.register();
    this.loops.push(
      runLoop({
        name: 'payments.start-payouts',
        tick: () => this.startDue(),
        signal: this.around.wake.starts,
        idleMs: IDLE_MS,
        gatherMs: GATHER_MS,
        log: this.around.log,
      }),
    );
    this.loops.push(
      runLoop({
        name: 'payments.collect-receivables',
        tick: async () => (await this.collector.run()) > 0,
        signal: this.around.wake.debts,
        idleMs: IDLE_MS,
        log: this.around.log,
      }),
    );
    this.loops.push(
      runLoop({
        name: 'payments.execute-settlements',
        tick: () => this.settlements.runDue(),
        signal: this.around.wake.settlements,
        idleMs: IDLE_MS,
        log: this.around.log,
      }),
    );
    for (const provider of this.around.providers) {
      this.calls.push(...(['submit', 'poll', 'watch'] as const).map((purpose) => this.callLoop(provider, purpose)));
      if (hasStatement(provider)) this.loops.push(this.statementLoop(provider));
    }
    for (const loop of this.calls) loop.start();
    this.warnOfOtherRails().catch((error: unknown) => {
      this.around.log.error({ err: error }, 'could not look for attempts of other rails');
    });
  }

  async stop(): Promise<void> {
    await Promise.all(this.loops.map((loop) => loop.stop()));
    await Promise.all(this.calls.map((loop) => loop.stop()));
  }

  /** One round of starts; true when there may be more. A round ends before the next is read, for nothing is claimed. */
  private async startDue(): Promise<boolean> {
    await this.giveWay();
    const due = await this.stores.transactions.dueForStart(this.around.clock.now(), STARTS_PER_ROUND);
    await Promise.all(due.map((snapshot) => this.startOne(snapshot)));
    return due.length === STARTS_PER_ROUND;
  }

  private async startOne(snapshot: TransactionSnapshot): Promise<void> {
    const { clock, log } = this.around;
    try {
      await this.starter.run(snapshot);
    } catch (error) {
      log.error(
        { code: 'start_failed', transaction_id: snapshot.details.id, err: error },
        'a payout could not be started; it will be tried again',
      );
      await this.stores.transactions.postpone(snapshot, new Date(clock.now().getTime() + REST_AFTER_ERROR_MS));
    }
  }

  private async giveWay(): Promise<void> {
    if (this.around.wake.crowded) await pause(GIVE_WAY_MS);
  }

  private callLoop({ id, capabilities }: PayoutProvider, purpose: ClaimPurpose): ClaimLoop<ClaimedAttempt> {
    const { clock, log } = this.around;
    // A lease that runs out should mean that its holder is gone; one that is not makes no call that pays any more (CallRail).
    const leaseMs = CALLS_PER_CLAIM * capabilities.callTimeoutMs + LEASE_MARGIN_MS;
    return new ClaimLoop({
      name: `payments.${purpose}-payouts ${id}`,
      claim: (limit) => this.stores.transactions.claim(purpose, id, leaseFor(leaseMs, clock), limit),
      handle: (attempt) => this.caller.run(purpose, attempt),
      limit: purpose === 'watch' ? Math.ceil(capabilities.callsAtOnce / WATCH_SHARE) : capabilities.callsAtOnce,
      giveWay: () => this.giveWay(),
      signal: { submit: this.around.wake.submits, poll: this.around.wake.polls, watch: this.around.wake.watches }[
        purpose
      ].join(id),
      log,
    });
  }

  private statementLoop(provider: StatementProvider): RunningLoop {
    const { clock, log } = this.around;
    const reader = new ReadStatement(provider, this.stores.attempts, clock, log, this.around.wake.watches);
    return runLoop({
      name: `payments.read-statements ${provider.id}`,
      tick: () => reader.run(),
      signal: this.around.wake.statements.join(provider.id),
      idleMs: IDLE_MS,
      gatherMs: GATHER_MS,
      log,
    });
  }

  /** Nobody calls for them here: somebody must configure the rail, or settle them. */
  private async warnOfOtherRails(): Promise<void> {
    for (const { rail, attempts } of await this.stores.transactions.waitingForOtherRails(
      this.around.providers.map(({ id }) => id),
    )) {
      this.around.log.error(
        { code: 'rail_not_configured', rail, attempts },
        'attempts wait for a rail that is not configured',
      );
    }
  }
}
