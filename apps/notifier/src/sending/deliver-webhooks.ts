import { Inject, Injectable } from '@nestjs/common';
import { type Clock, crashPoint, type WakeSignal } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

import { type ClaimedDelivery, DELIVERY_SIGNAL, DeliveryPlaces, DeliveryStore } from '../deliveries/index.js';
import { AttemptDelivery, type FinishedAttempt } from './attempt-delivery.js';
import { RecordAttempts } from './record-attempts.js';

/**
 * Delivers what is due, at least once. A delivery is claimed under a lease and a fence, posted outside any transaction,
 * and its outcome recorded under that claim; a process that dies in between leaves a claim that lapses, and the webhook goes
 * out again under the same webhook-id. Each claim is posted at once: nothing queues in memory, so memory is bounded by
 * `inFlight` whatever is due, and an outage of the database stops the posting when every slot waits for its recording.
 * Which are claimed: by delivery queues in turn (DELIVERY_LIMITS says what bounds what).
 */
@Injectable()
export class DeliverWebhooks {
  private readonly inFlight = new Set<Promise<void>>();
  private finished: FinishedAttempt[] = [];

  constructor(
    private readonly deliveries: DeliveryStore,
    private readonly places: DeliveryPlaces,
    private readonly attempt: AttemptDelivery,
    private readonly record: RecordAttempts,
    @Inject(DELIVERY_SIGNAL) private readonly signal: WakeSignal,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** One round: record what ended, claim what is due, post it. True where another round may find more at once. */
  public async tick(): Promise<boolean> {
    await this.recordFinished();
    if (this.places.free <= 0) return false;
    const now = this.clock.now();
    const { deliveryQueues: wanted, leaseMs } = this.places.limits;
    const { deliveries, deliveryQueues } = await this.deliveries.claim({
      now,
      leaseUntil: new Date(now.getTime() + leaseMs),
      deliveryQueues: wanted,
      ...this.places.offer(),
    });
    if (deliveries.length > 0) crashPoint('notifier.after-claim');
    for (const delivery of deliveries) this.begin(delivery);
    return deliveries.length > 0 || deliveryQueues >= wanted;
  }

  /** Waits for the POSTs under way (3 s at most) and records them. No tick may be running. */
  public async drain(): Promise<void> {
    await Promise.all(this.inFlight);
    await this.recordFinished();
  }

  private begin(delivery: ClaimedDelivery): void {
    this.places.take(delivery);
    const attempt = this.attempt.run(delivery).then((finished) => {
      const { isReached, record } = finished;
      if (isReached !== null) this.places.learn(delivery, isReached, record.durationMs);
      this.finished.push(finished);
      this.inFlight.delete(attempt);
      this.signal.notify();
    });
    this.inFlight.add(attempt);
  }

  /** What could not be recorded stays here, and its slots stay taken, until it can. */
  private async recordFinished(): Promise<void> {
    const batch = [...this.finished];
    if (batch.length === 0) return;
    await this.record.run(batch);
    this.finished = this.finished.slice(batch.length);
    for (const { record } of batch) this.places.giveBack(record.delivery);
    await this.record.follow(batch);
  }
}
