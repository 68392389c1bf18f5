import { Inject, Injectable } from '@nestjs/common';
import { type Clock, crashPoint, type Logger } from '@vuka/runtime';
import { CLOCK, LOGGER } from '@vuka/service-host';

import {
  type AttemptOutcome,
  type AttemptRecord,
  type ClaimedDelivery,
  judgeAttempt,
  NotifierMetrics,
  RANDOM,
  type Random,
  retryDelaysOf,
  wasReached,
} from '../deliveries/index.js';
import { EnsureWebhookSecret, signWebhook } from '../secrets/index.js';
import { POST_WEBHOOK, type PostWebhook } from './post-webhook.js';

const USER_AGENT = 'Vuka-Webhooks/1.0';

export interface FinishedAttempt {
  readonly record: AttemptRecord;
  /** null: the failure was ours. */
  readonly isReached: boolean | null;
}

/** Must run outside any transaction. */
@Injectable()
export class AttemptDelivery {
  constructor(
    private readonly secrets: EnsureWebhookSecret,
    private readonly metrics: NotifierMetrics,
    @Inject(POST_WEBHOOK) private readonly post: PostWebhook,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
    @Inject(RANDOM) private readonly random: Random,
  ) {}

  /** Never throws: errors are outcomes. */
  async run(delivery: ClaimedDelivery): Promise<FinishedAttempt> {
    const startedAt = this.clock.now();
    const started = performance.now();
    const outcome = await this.send(delivery, startedAt);
    crashPoint('notifier.after-post');
    const durationMs = Math.round(performance.now() - started);
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
        this.clock.now(),
        this.random(),
        retryDelaysOf(delivery.eventType),
      ),
    };
    this.tell(record, attempt);
    return { record, isReached: wasReached(outcome) };
  }

  private async send(delivery: ClaimedDelivery, attemptedAt: Date): Promise<AttemptOutcome> {
    try {
      const { secrets, url, body } = await this.secrets.forSending(delivery);
      const webhookId = `${delivery.transactionId}_${delivery.sequence}`;
      crashPoint('notifier.before-post');
      return await this.post({
        url,
        body,
        headers: {
          'content-type': 'application/json',
          'user-agent': USER_AGENT,
          ...signWebhook(secrets, webhookId, attemptedAt, body),
          ...(delivery.traceparent !== '' && { traceparent: delivery.traceparent }),
          'x-vuka-event': delivery.eventType,
          'x-vuka-sequence': String(delivery.sequence),
        },
      });
    } catch (error) {
      // Our failure: a secret does not open or the database is away. The schedule retries.
      this.log.error(
        {
          code: 'webhook_not_prepared',
          err: error,
          partner_id: delivery.partnerId,
          transaction_id: delivery.transactionId,
        },
        'a webhook could not be prepared',
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
    this.metrics.attempted({ status, error, durationMs });
    if (verdict.state === 'delivered') this.log.debug(facts, 'webhook delivered');
    else this.log.warn(facts, 'webhook not delivered');
  }
}
