import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { JobClock } from '@vuka/jobs';
import { type Logger, runLoop, type RunningLoop, type WakeSignal } from '@vuka/runtime';
import { LOGGER } from '@vuka/service-host';

import { DELIVERY_SIGNAL } from '../deliveries/index.js';
import { DeliverWebhooks } from './deliver-webhooks.js';

/** Longest sleep without a wake. */
const IDLE_MS = 5_000;
/** A claim is a commit, so gather due deliveries. */
const GATHER_MS = 10;

/** Records the last outcomes before connections close. */
@Injectable()
export class DeliveryLoop implements BeforeApplicationShutdown {
  private loop: RunningLoop | undefined;

  constructor(
    private readonly deliverer: DeliverWebhooks,
    private readonly jobs: JobClock,
    @Inject(DELIVERY_SIGNAL) private readonly signal: WakeSignal,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  start(): void {
    const { deliverer, signal, log } = this;
    this.jobs.every('notifier.deliver-webhooks', () => signal.notify());
    const tick = (): Promise<boolean> => deliverer.tick();
    this.loop = runLoop({ name: 'deliver-webhooks', tick, signal, idleMs: IDLE_MS, gatherMs: GATHER_MS, log });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.loop?.stop();
    // Unrecorded ones are sent again after their lease.
    await this.deliverer
      .drain()
      .catch((error: unknown) => this.log.warn({ err: error }, 'the last outcomes were not recorded'));
  }
}
