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
/** In case the job clock is down. */
const SAFETY_POLL_MS = 3_600_000;

/**
 * Removes keys after 24 hours, 500 at a time. Asks `clockAgrees` before each batch: a fast clock would remove keys
 * too early, and then a repeat pays twice. Late removal is harmless.
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
