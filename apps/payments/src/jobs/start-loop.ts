import { Inject, Injectable } from '@nestjs/common';
import { type Clock, type Logger, runLoop, type RunningLoop } from '@vuka/runtime';
import { CLOCK, LOGGER } from '@vuka/service-host';

import { GATHER_MS, PayoutWake } from '../due-work/index.js';
import { StartPayout } from '../payouts/index.js';
import { type TransactionSnapshot, TransactionStore } from '../transactions/index.js';
import { giveWay, IDLE_MS } from './loop-times.js';

/** A start is one commit. */
const STARTS_PER_ROUND = 200;
/** After an error that is not its own. */
const REST_AFTER_ERROR_MS = 10_000;

@Injectable()
export class StartLoop {
  private loop: RunningLoop | undefined;

  constructor(
    private readonly transactions: TransactionStore,
    private readonly starter: StartPayout,
    private readonly wake: PayoutWake,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  start(): void {
    this.loop = runLoop({
      name: 'payments.start-payouts',
      tick: () => this.startDue(),
      signal: this.wake.starts,
      idleMs: IDLE_MS,
      gatherMs: GATHER_MS,
      log: this.log,
    });
  }

  async stop(): Promise<void> {
    await this.loop?.stop();
  }

  /** True if there may be more. Nothing is claimed, so rounds do not overlap. */
  private async startDue(): Promise<boolean> {
    await giveWay(this.wake);
    const due = await this.transactions.dueForStart(this.clock.now(), STARTS_PER_ROUND);
    await Promise.all(due.map((snapshot) => this.startOne(snapshot)));
    return due.length === STARTS_PER_ROUND;
  }

  private async startOne(snapshot: TransactionSnapshot): Promise<void> {
    try {
      await this.starter.run(snapshot);
    } catch (error) {
      this.log.error(
        { code: 'start_failed', transaction_id: snapshot.details.id, err: error },
        'a payout could not be started; it will be tried again',
      );
      await this.transactions.postpone(snapshot, new Date(this.clock.now().getTime() + REST_AFTER_ERROR_MS));
    }
  }
}
