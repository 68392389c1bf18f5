import { Inject, Injectable } from '@nestjs/common';
import { type Clock, crashPoint, type WakeSignal } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

import { type ClaimedDelivery, DELIVERY_SIGNAL, DeliveryPlaces, DeliveryStore } from '../deliveries/index.js';
import { AttemptDelivery, type FinishedAttempt } from './attempt-delivery.js';
import { RecordAttempts } from './record-attempts.js';

/**
 * At least once: claims under a lease and fence, posts outside transactions, records under the claim. After a crash
 * the claim lapses and the webhook is sent again with the same webhook-id. Claims are posted at once, so `inFlight`
 * bounds memory. In a database outage posting stops when all places wait for recording. Queues are served in turn
 * (DELIVERY_LIMITS).
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

  /** True if another round may find more. */
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

  /** Waits at most 3 s for POSTs and records them. No tick may run. */
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

  /** What cannot be recorded stays, and so do its places. */
  private async recordFinished(): Promise<void> {
    const batch = [...this.finished];
    if (batch.length === 0) return;
    await this.record.run(batch);
    this.finished = this.finished.slice(batch.length);
    for (const { record } of batch) this.places.giveBack(record.delivery);
    await this.record.follow(batch);
  }
}
