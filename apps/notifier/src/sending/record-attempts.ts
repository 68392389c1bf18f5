import { Inject, Injectable } from '@nestjs/common';
import { JobClock } from '@vuka/jobs';
import { type Clock, crashPoint, type Logger, type WakeSignal } from '@vuka/runtime';
import { CLOCK, LOGGER, OUTBOX_SIGNAL } from '@vuka/service-host';

import { DeliveryStore } from '../deliveries/index.js';
import type { FinishedAttempt } from './attempt-delivery.js';
import { CountDeliveryQueueOutcomes } from './count-delivery-queue-outcomes.js';

@Injectable()
export class RecordAttempts {
  constructor(
    private readonly deliveries: DeliveryStore,
    private readonly countDeliveryQueues: CountDeliveryQueueOutcomes,
    private readonly jobs: JobClock,
    @Inject(OUTBOX_SIGNAL) private readonly outboxSignal: WakeSignal,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** On a throw nothing was recorded: pass the batch again. */
  async run(batch: readonly FinishedAttempt[]): Promise<void> {
    const isTold = await this.deliveries.recordAttempts(
      batch.map(({ record }) => record),
      this.clock.now(),
    );
    crashPoint('notifier.after-record');
    if (isTold) this.outboxSignal.notify();
  }

  /** Holds back unreachable receivers and wakes for the first retry. Never throws. */
  async follow(batch: readonly FinishedAttempt[]): Promise<void> {
    await this.countDeliveryQueues.run(batch);
    const retries = batch.flatMap(({ record: { verdict } }) =>
      verdict.state === 'pending' ? [verdict.nextAttemptAt.getTime()] : [],
    );
    if (retries.length > 0) await this.wakeAt(new Date(Math.min(...retries)));
  }

  /** If lost, the queue's interval finds the retry. */
  private async wakeAt(time: Date): Promise<void> {
    try {
      await this.jobs.wakeAt('notifier.deliver-webhooks', time);
    } catch (error) {
      this.log.warn({ err: error }, 'the wake for the next retry could not be set');
    }
  }
}
