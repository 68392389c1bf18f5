import { Inject, Injectable } from '@nestjs/common';
import type { Clock, Logger } from '@vuka/runtime';
import { CLOCK, LOGGER } from '@vuka/service-host';

import {
  deliveryQueueKey,
  type DeliveryQueueOutcome,
  DeliveryQueueStore,
  RANDOM,
  type Random,
} from '../deliveries/index.js';
import type { FinishedAttempt } from './attempt-delivery.js';

/** For holding back unreachable receivers. */
@Injectable()
export class CountDeliveryQueueOutcomes {
  constructor(
    private readonly deliveryQueues: DeliveryQueueStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
    @Inject(RANDOM) private readonly random: Random,
  ) {}

  /** Queries only if a receiver failed or answers again. Lost counts are counted again. */
  async run(batch: readonly FinishedAttempt[]): Promise<void> {
    const outcomes = deliveryQueueOutcomesOf(batch);
    if (outcomes.length === 0) return;
    try {
      const changes = await this.deliveryQueues.recordOutcomes(outcomes, this.clock.now(), this.random);
      for (const { partnerId, host, heldUntil, failures } of changes) {
        if (heldUntil === null) this.log.info({ partner_id: partnerId, host }, 'a receiver answers again');
        else
          this.log.warn(
            { partner_id: partnerId, host, failures, held_until: heldUntil.toISOString() },
            'a receiver cannot be reached: its deliveries are held back',
          );
      }
    } catch (error) {
      this.log.warn({ err: error }, 'the outcomes of receivers were not counted');
    }
  }
}

/** In order of their end: an answer resets the count. */
function deliveryQueueOutcomesOf(batch: readonly FinishedAttempt[]): DeliveryQueueOutcome[] {
  const byDeliveryQueue = new Map<string, DeliveryQueueOutcome>();
  for (const {
    record: { delivery },
    isReached,
  } of batch) {
    if (isReached === null) continue;
    const { partnerId, host } = delivery;
    const before = byDeliveryQueue.get(deliveryQueueKey(delivery));
    if (!isReached)
      byDeliveryQueue.set(deliveryQueueKey(delivery), {
        partnerId,
        host,
        isAnswered: before?.isAnswered ?? false,
        failures: (before?.failures ?? 0) + 1,
      });
    else if (delivery.isTroubled || before !== undefined)
      byDeliveryQueue.set(deliveryQueueKey(delivery), { partnerId, host, isAnswered: true, failures: 0 });
  }
  return [...byDeliveryQueue.values()];
}
