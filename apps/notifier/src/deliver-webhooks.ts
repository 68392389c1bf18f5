import type { JobClock } from '@vuka/jobs';
import { crashPoint, type Clock, type Logger, type WakeSignal } from '@vuka/platform';

import type { EnsureWebhookSecret } from './ensure-webhook-secret.js';
import type { PostWebhook } from './post-webhook.js';
import { judgeAttempt, type AttemptOutcome } from './retry-schedule.js';
import { signWebhook } from './sign-webhook.js';
import type { AttemptRecord, ClaimedDelivery, DeliveryStore } from './store/delivery.store.js';

/** How much is under way at once, and for how long a claim holds. */
export interface DeliveryLimits {
  /** POSTs under way or waiting for their outcome to be recorded. */
  readonly inFlight: number;
  /** Of those, to one host: a dead receiver keeps no more than these busy, for 3 s each. */
  readonly perHost: number;
  /** Longer than a POST and its recording take; after a crash this is how long a delivery waits to be claimed again. */
  readonly leaseMs: number;
}

export const DELIVERY_LIMITS: DeliveryLimits = { inFlight: 256, perHost: 32, leaseMs: 10_000 };

const USER_AGENT = 'Vuka-Webhooks/1.0';

export interface DeliverWebhooksParts {
  readonly deliveries: DeliveryStore;
  readonly secrets: EnsureWebhookSecret;
  readonly post: PostWebhook;
  /** Notified when deliveries are new or due, and here when an attempt has ended. */
  readonly signal: WakeSignal;
  readonly jobs: Pick<JobClock, 'wakeAt'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** In [0, 1), for jitter. */
  readonly random: () => number;
  readonly limits?: DeliveryLimits;
}

/**
 * Delivers what is due, at least once. A delivery is claimed under a lease and a fence, posted outside any transaction,
 * and its outcome recorded under that claim; a process that dies in between leaves a claim that lapses, and the webhook goes
 * out again under the same webhook-id. Each claim is posted at once: nothing queues in memory, so memory is bounded by
 * `inFlight` whatever is due, and an outage of the database stops the posting when every slot waits for its recording.
 */
export class DeliverWebhooks {
  private readonly limits: DeliveryLimits;
  private readonly inFlight = new Set<Promise<void>>();
  private readonly slotsTaken = new Map<string, number>();
  private slotsTakenInAll = 0;
  private finished: AttemptRecord[] = [];

  public constructor(private readonly parts: DeliverWebhooksParts) {
    this.limits = parts.limits ?? DELIVERY_LIMITS;
  }

  /** One round: record what ended, claim what is due, post it. True where another round may find more at once. */
  public async tick(): Promise<boolean> {
    await this.recordFinished();
    const free = this.limits.inFlight - this.slotsTakenInAll;
    if (free === 0) return false;
    const now = this.parts.clock.now();
    const claimed = await this.parts.deliveries.claim({
      now,
      leaseUntil: new Date(now.getTime() + this.limits.leaseMs),
      limit: free,
      perHost: this.limits.perHost,
      freeByHost: new Map([...this.slotsTaken].map(([host, taken]) => [host, Math.max(0, this.limits.perHost - taken)])),
    });
    if (claimed.length > 0) crashPoint('notifier.after-claim');
    for (const delivery of claimed) this.begin(delivery);
    return claimed.length > 0;
  }

  /** Waits for the POSTs under way (3 s at most) and records them. No tick may be running. */
  public async drain(): Promise<void> {
    await Promise.all(this.inFlight);
    await this.recordFinished();
  }

  private begin(delivery: ClaimedDelivery): void {
    this.takeSlots(delivery.host, 1);
    const attempt = this.attempt(delivery).then((record) => {
      this.finished.push(record);
      this.inFlight.delete(attempt);
      this.parts.signal.notify();
    });
    this.inFlight.add(attempt);
  }

  private async attempt(delivery: ClaimedDelivery): Promise<AttemptRecord> {
    const startedAt = this.parts.clock.now();
    const started = performance.now();
    const outcome = await this.send(delivery, startedAt);
    crashPoint('notifier.after-post');
    const attempt = delivery.attempts + 1;
    const record: AttemptRecord = {
      delivery,
      startedAt,
      durationMs: Math.round(performance.now() - started),
      status: outcome.kind === 'answered' ? outcome.status : null,
      error: outcome.kind === 'failed' ? outcome.error : null,
      verdict: judgeAttempt(outcome, attempt, this.parts.clock.now(), this.parts.random()),
    };
    this.tell(record, attempt);
    return record;
  }

  private async send(delivery: ClaimedDelivery, attemptedAt: Date): Promise<AttemptOutcome> {
    try {
      const secret =
        delivery.sealedSecret === null
          ? await this.parts.secrets.run(delivery.partnerId)
          : this.parts.secrets.open(delivery.partnerId, delivery.sealedSecret);
      const webhookId = `${delivery.transactionId}_${delivery.sequence}`;
      crashPoint('notifier.before-post');
      return await this.parts.post({
        url: delivery.callbackUrl,
        body: delivery.body,
        headers: {
          'content-type': 'application/json',
          'user-agent': USER_AGENT,
          ...signWebhook(secret, webhookId, attemptedAt, delivery.body),
          ...(delivery.traceparent !== '' && { traceparent: delivery.traceparent }),
          'x-vuka-event': delivery.eventType,
          'x-vuka-sequence': String(delivery.sequence),
        },
      });
    } catch (error) {
      // Ours, not the receiver's: a secret that does not open, a database that is away. The schedule gives it time.
      this.parts.log.error({ err: error, transaction_id: delivery.transactionId }, 'webhook could not be prepared');
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
    if (verdict.state === 'delivered') this.parts.log.debug(facts, 'webhook delivered');
    else this.parts.log.warn(facts, 'webhook not delivered');
  }

  /** What could not be recorded stays here, and its slots stay taken, until it can. */
  private async recordFinished(): Promise<void> {
    const batch = [...this.finished];
    if (batch.length === 0) return;
    await this.parts.deliveries.recordAttempts(batch, this.parts.clock.now());
    crashPoint('notifier.after-record');
    this.finished = this.finished.slice(batch.length);
    for (const { delivery } of batch) this.takeSlots(delivery.host, -1);
    const retries = batch.flatMap(({ verdict }) => (verdict.state === 'pending' ? [verdict.nextAttemptAt.getTime()] : []));
    if (retries.length > 0) await this.wakeAt(new Date(Math.min(...retries)));
  }

  /** A convenience: the queue's own interval finds what a lost wake would have. */
  private async wakeAt(time: Date): Promise<void> {
    try {
      await this.parts.jobs.wakeAt('notifier.deliver-webhooks', time);
    } catch (error) {
      this.parts.log.warn({ err: error }, 'the wake for the next retry could not be set');
    }
  }

  private takeSlots(host: string, count: 1 | -1): void {
    this.slotsTakenInAll += count;
    const taken = (this.slotsTaken.get(host) ?? 0) + count;
    if (taken === 0) this.slotsTaken.delete(host);
    else this.slotsTaken.set(host, taken);
  }
}
