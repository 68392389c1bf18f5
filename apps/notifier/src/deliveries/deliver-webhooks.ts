import type { JobClock } from '@vuka/jobs';
import { type Clock, crashPoint, type Logger, type WakeSignal } from '@vuka/runtime';

import { type EnsureWebhookSecret, signWebhook } from '../secrets/index.js';
import { DELIVERY_LIMITS, DeliveryPlaces, laneKey, type DeliveryLimits } from './delivery-places.js';
import type { AttemptRecord, ClaimedDelivery, DeliveryStore } from './delivery.store.js';
import type { LaneOutcome } from './lane-circuit.js';
import type { LaneStore } from './lane.store.js';
import type { NotifierMetrics } from './notifier-metrics.js';
import type { PostWebhook } from './post-webhook.js';
import { judgeAttempt, retryDelaysOf, wasReached, type AttemptOutcome } from './retry-schedule.js';

const USER_AGENT = 'Vuka-Webhooks/1.0';

export interface DeliverWebhooksParts {
  readonly deliveries: DeliveryStore;
  readonly lanes: Pick<LaneStore, 'recordOutcomes'>;
  readonly secrets: EnsureWebhookSecret;
  readonly post: PostWebhook;
  /** Notified when deliveries are new or due, and here when an attempt has ended. */
  readonly signal: WakeSignal;
  /** Told after a commit that wrote to the outbox: the relay's signal. */
  readonly outboxSignal?: WakeSignal;
  readonly metrics?: Pick<NotifierMetrics, 'attempted'>;
  readonly jobs: Pick<JobClock, 'wakeAt'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** In [0, 1), for jitter. */
  readonly random: () => number;
  readonly limits?: DeliveryLimits;
}

interface Finished {
  readonly record: AttemptRecord;
  readonly isReached: boolean | null;
}

/**
 * Delivers what is due, at least once. A delivery is claimed under a lease and a fence, posted outside any transaction,
 * and its outcome recorded under that claim; a process that dies in between leaves a claim that lapses, and the webhook goes
 * out again under the same webhook-id. Each claim is posted at once: nothing queues in memory, so memory is bounded by
 * `inFlight` whatever is due, and an outage of the database stops the posting when every slot waits for its recording.
 * Which are claimed: by lanes in turn (DELIVERY_LIMITS says what bounds what).
 */
export class DeliverWebhooks {
  private readonly limits: DeliveryLimits;
  private readonly places: DeliveryPlaces;
  private readonly inFlight = new Set<Promise<void>>();
  private finished: Finished[] = [];

  public constructor(private readonly parts: DeliverWebhooksParts) {
    this.limits = parts.limits ?? DELIVERY_LIMITS;
    this.places = new DeliveryPlaces(this.limits);
  }

  /** One round: record what ended, claim what is due, post it. True where another round may find more at once. */
  public async tick(): Promise<boolean> {
    await this.recordFinished();
    if (this.places.free <= 0) return false;
    const now = this.parts.clock.now();
    const { lanes: wanted, leaseMs } = this.limits;
    const { deliveries, lanes } = await this.parts.deliveries.claim({
      now,
      leaseUntil: new Date(now.getTime() + leaseMs),
      lanes: wanted,
      ...this.places.offer(),
    });
    if (deliveries.length > 0) crashPoint('notifier.after-claim');
    for (const delivery of deliveries) this.begin(delivery);
    return deliveries.length > 0 || lanes >= wanted;
  }

  /** Waits for the POSTs under way (3 s at most) and records them. No tick may be running. */
  public async drain(): Promise<void> {
    await Promise.all(this.inFlight);
    await this.recordFinished();
  }

  private begin(delivery: ClaimedDelivery): void {
    this.places.take(delivery);
    const attempt = this.attempt(delivery).then((finished) => {
      this.finished.push(finished);
      this.inFlight.delete(attempt);
      this.parts.signal.notify();
    });
    this.inFlight.add(attempt);
  }

  private async attempt(delivery: ClaimedDelivery): Promise<Finished> {
    const startedAt = this.parts.clock.now();
    const started = performance.now();
    const outcome = await this.send(delivery, startedAt);
    crashPoint('notifier.after-post');
    const durationMs = Math.round(performance.now() - started);
    const isReached = wasReached(outcome);
    if (isReached !== null) this.places.learn(delivery, isReached, durationMs);
    const attempt = delivery.attempts + 1;
    const record: AttemptRecord = {
      delivery,
      startedAt,
      durationMs,
      status: outcome.kind === 'answered' ? outcome.status : null,
      error: outcome.kind === 'failed' ? outcome.error : null,
      verdict: judgeAttempt(
        outcome,
        attempt - delivery.attemptsBefore,
        this.parts.clock.now(),
        this.parts.random(),
        retryDelaysOf(delivery.eventType),
      ),
    };
    this.tell(record, attempt);
    return { record, isReached };
  }

  private async send(delivery: ClaimedDelivery, attemptedAt: Date): Promise<AttemptOutcome> {
    try {
      const secrets = await this.parts.secrets.forSigning(delivery);
      const webhookId = `${delivery.transactionId}_${delivery.sequence}`;
      crashPoint('notifier.before-post');
      return await this.parts.post({
        url: delivery.callbackUrl,
        body: delivery.body,
        headers: {
          'content-type': 'application/json',
          'user-agent': USER_AGENT,
          ...signWebhook(secrets, webhookId, attemptedAt, delivery.body),
          ...(delivery.traceparent !== '' && { traceparent: delivery.traceparent }),
          'x-vuka-event': delivery.eventType,
          'x-vuka-sequence': String(delivery.sequence),
        },
      });
    } catch (error) {
      // Ours, not the receiver's: a secret that does not open, a database that is away. The schedule gives it time.
      this.parts.log.error(
        {
          code: 'webhook_not_prepared',
          err: error,
          partner_id: delivery.partnerId,
          transaction_id: delivery.transactionId,
        },
        'webhook could not be prepared',
      );
      return { kind: 'failed', error: 'internal' };
    }
  }

  private tell({ delivery, status, error, verdict, durationMs }: AttemptRecord, attempt: number): void {
    const facts = {
      webhook_id: `${delivery.transactionId}_${delivery.sequence}`,
      partner_id: delivery.partnerId,
      event: delivery.eventType,
      attempt,
      status,
      error,
      state: verdict.state,
      duration_ms: durationMs,
    };
    this.parts.metrics?.attempted({ status, error, durationMs });
    if (verdict.state === 'delivered') this.parts.log.debug(facts, 'webhook delivered');
    else this.parts.log.warn(facts, 'webhook not delivered');
  }

  /** What could not be recorded stays here, and its slots stay taken, until it can. */
  private async recordFinished(): Promise<void> {
    const batch = [...this.finished];
    if (batch.length === 0) return;
    const isTold = await this.parts.deliveries.recordAttempts(
      batch.map(({ record }) => record),
      this.parts.clock.now(),
    );
    crashPoint('notifier.after-record');
    this.finished = this.finished.slice(batch.length);
    for (const { record } of batch) this.places.giveBack(record.delivery);
    if (isTold) this.parts.outboxSignal?.notify();
    await this.recordOutcomes(batch);
    const retries = batch.flatMap(({ record: { verdict } }) =>
      verdict.state === 'pending' ? [verdict.nextAttemptAt.getTime()] : [],
    );
    if (retries.length > 0) await this.wakeAt(new Date(Math.min(...retries)));
  }

  /** Asks the database only where a receiver could not be reached, or answers again. */
  private async recordOutcomes(batch: readonly Finished[]): Promise<void> {
    const outcomes = laneOutcomesOf(batch);
    if (outcomes.length === 0) return;
    try {
      const changes = await this.parts.lanes.recordOutcomes(outcomes, this.parts.clock.now(), this.parts.random);
      for (const { partnerId, host, heldUntil, failures } of changes) {
        if (heldUntil === null) this.parts.log.info({ partner_id: partnerId, host }, 'a receiver answers again');
        else
          this.parts.log.warn(
            { partner_id: partnerId, host, failures, held_until: heldUntil.toISOString() },
            'a receiver cannot be reached and is held back',
          );
      }
    } catch (error) {
      this.parts.log.warn({ err: error }, 'what came of receivers was not counted');
    }
  }

  /** A convenience: the queue's own interval finds what a lost wake would have. */
  private async wakeAt(time: Date): Promise<void> {
    try {
      await this.parts.jobs.wakeAt('notifier.deliver-webhooks', time);
    } catch (error) {
      this.parts.log.warn({ err: error }, 'the wake for the next retry could not be set');
    }
  }
}

/** In the order in which they ended: what comes after an answer counts from it. */
function laneOutcomesOf(batch: readonly Finished[]): LaneOutcome[] {
  const byLane = new Map<string, LaneOutcome>();
  for (const {
    record: { delivery },
    isReached,
  } of batch) {
    if (isReached === null) continue;
    const { partnerId, host } = delivery;
    const before = byLane.get(laneKey(delivery));
    if (!isReached)
      byLane.set(laneKey(delivery), {
        partnerId,
        host,
        isAnswered: before?.isAnswered ?? false,
        failures: (before?.failures ?? 0) + 1,
      });
    else if (delivery.isTroubled || before !== undefined)
      byLane.set(laneKey(delivery), { partnerId, host, isAnswered: true, failures: 0 });
  }
  return [...byLane.values()];
}
