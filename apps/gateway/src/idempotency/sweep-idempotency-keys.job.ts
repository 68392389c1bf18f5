import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { JobClock } from '@vuka/jobs';
import { type Logger, runLoop, type RunningLoop, WakeSignal } from '@vuka/runtime';
import { CLOCK_AGREES, type ClockAgrees, LOGGER } from '@vuka/service-host';

import { IdempotencyStore } from './idempotency.store.js';

const BATCH = 500;
/** Should the job clock be down, keys are still swept now and then. */
const SAFETY_POLL_MS = 3_600_000;

/**
 * Removes idempotency keys older than their 24 hours, 500 at a time. `clockAgrees` is asked before each: what a clock that was set
 * ahead takes for old are everybody's keys, and without its key a repeat pays twice. Keys that stay longer harm nobody.
 */
@Injectable()
export class SweepIdempotencyKeys implements OnModuleInit, OnApplicationBootstrap, OnApplicationShutdown {
  private readonly signal = new WakeSignal();
  private loop: RunningLoop | undefined;

  constructor(
    @Inject(IdempotencyStore) private readonly store: Pick<IdempotencyStore, 'sweep'>,
    @Inject(JobClock) private readonly jobs: Pick<JobClock, 'every'>,
    @Inject(CLOCK_AGREES) private readonly clockAgrees: ClockAgrees,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** Before the job clock starts. */
  onModuleInit(): void {
    this.jobs.every('gateway.sweep-idempotency-keys', () => {
      this.signal.notify();
    });
  }

  onApplicationBootstrap(): void {
    this.loop = runLoop({
      name: 'gateway.sweep-idempotency-keys',
      tick: async () => (await this.clockAgrees()) && (await this.store.sweep(BATCH)) === BATCH,
      signal: this.signal,
      idleMs: SAFETY_POLL_MS,
      log: this.log,
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.loop?.stop();
  }
}
