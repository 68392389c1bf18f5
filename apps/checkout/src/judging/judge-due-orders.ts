import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { JobClock } from '@vuka/jobs';
import { type Clock, type Logger, runLoop, type RunningLoop, WakeSignal } from '@vuka/runtime';
import { CLOCK, LOGGER } from '@vuka/service-host';

import { OrderStore } from '../orders/index.js';
import { JudgeOrders } from './judge-orders.js';

const DUE_AT_ONCE = 50;
/** Longest delay of a due order. */
const IDLE_MS = 1_000;

@Injectable()
export class JudgeDueOrders implements BeforeApplicationShutdown {
  private readonly signal = new WakeSignal();
  private loop: RunningLoop | undefined;

  constructor(
    private readonly orders: OrderStore,
    private readonly judge: JudgeOrders,
    private readonly jobs: JobClock,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  start(): void {
    const { signal, log } = this;
    this.jobs.every('checkout.judge-due', () => signal.notify());
    this.loop = runLoop({ name: 'judge-due-orders', tick: () => this.tick(), signal, idleMs: IDLE_MS, log });
  }

  /** True: there may be more. */
  private async tick(): Promise<boolean> {
    const now = this.clock.now();
    const due = await this.orders.due(now, DUE_AT_ONCE);
    const failures: unknown[] = [];
    for (const orderNumber of due) {
      // A failure must not delay the others.
      await this.judge.judgeDue(orderNumber, now).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
    return due.length === DUE_AT_ONCE;
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.loop?.stop();
  }
}
