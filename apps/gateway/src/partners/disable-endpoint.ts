import { Inject, Injectable } from '@nestjs/common';
import type { Envelope } from '@vuka/contracts';
import { onceByInbox } from '@vuka/messaging';
import { Database } from '@vuka/persistence';
import { type Clock, type Logger, WebhookCipher } from '@vuka/runtime';
import { CLOCK, LOGGER } from '@vuka/service-host';

import { disableDefaultWebhook } from './known-partners.store.js';

const CONSUMER_GROUP = 'gateway';

/**
 * After a 410 removes the partner's default URL, if it was already set when the receiver was called. Only those two
 * times count, so repeated, late or reordered events give the same result. Other gateways follow within 5 s.
 */
@Injectable()
export class DisableEndpoint {
  constructor(
    private readonly db: Database,
    private readonly told: WebhookCipher,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async run(event: Envelope<'endpoint.disabled'>): Promise<void> {
    const { partner_id: partnerId, url, attempted_at: attemptedAt } = event.data;
    const told: { outcome: 'disabled' | 'kept' } = { outcome: 'kept' };
    await onceByInbox(this.db, CONSUMER_GROUP, event, async (tx) => {
      const called = this.told.openUrl(partnerId, url);
      told.outcome = await disableDefaultWebhook(
        tx,
        partnerId,
        { isCalled: (stored) => this.told.openUrl(partnerId, stored) === called, attemptedAt: new Date(attemptedAt) },
        this.clock.now(),
      );
    });
    if (told.outcome === 'disabled')
      this.log.info(
        { partner_id: partnerId, event_id: event.id },
        'the default webhook of a partner was removed: its receiver answered 410',
      );
  }
}
