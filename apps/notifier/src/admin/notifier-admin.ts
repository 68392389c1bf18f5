import { Inject, Injectable, Module } from '@nestjs/common';
import { reads, type OpenAdmin } from '@vuka/contracts';
import { deadLetterMethods } from '@vuka/messaging';
import { actMethods, Database, resealMethods } from '@vuka/persistence';
import { Cipher, type Clock, WakeSignal, WebhookCipher } from '@vuka/runtime';
import { CLOCK, type AdminGround, LISTS_DATABASE, openAdmin } from '@vuka/service-host';
import { z } from 'zod';

import { DELIVERY_SIGNAL } from '../deliveries/index.js';
import { DeliveryLogStore, ResendDeliveries } from '../log/index.js';
import { SecretsModule } from '../secrets/index.js';
import { NOTIFIER_MIGRATIONS } from '../store/migrations.js';
import { DeliveryAdmin, type DeliveryStory } from './delivery-admin.js';
import { sealedColumns } from './sealed-columns.js';
import type { GivenUpWebhook, WebhookView } from './views.js';
import { type WebhookAdminMethods, WebhookMethods } from './webhook-methods.js';

export type NotifierAdminMethods = ReturnType<typeof actMethods> &
  ReturnType<typeof deadLetterMethods> &
  ReturnType<typeof resealMethods> &
  WebhookAdminMethods &
  ReturnType<typeof deliveryMethods>;

const MOST_SHOWN = 100;

@Injectable()
export class NotifierAdmin {
  readonly methods: NotifierAdminMethods;

  constructor(
    db: Database,
    webhooks: WebhookMethods,
    deliveries: DeliveryAdmin,
    @Inject(CLOCK) clock: Clock,
    cipher: Cipher,
    told: WebhookCipher,
  ) {
    this.methods = {
      ...actMethods(db),
      ...deadLetterMethods(db, clock),
      ...resealMethods(db, clock, sealedColumns(cipher, told)),
      ...webhooks.methods,
      ...deliveryMethods(deliveries),
    };
  }
}

@Module({
  imports: [SecretsModule],
  providers: [
    { provide: LISTS_DATABASE, useExisting: Database },
    // Nobody listens: a running notifier polls for due deliveries.
    { provide: DELIVERY_SIGNAL, useFactory: () => new WakeSignal() },
    DeliveryLogStore,
    ResendDeliveries,
    DeliveryAdmin,
    WebhookMethods,
    NotifierAdmin,
  ],
})
class AdminModule {}

/** Uses notifier's login. Throws if the database is unreachable or does not know it. */
export function openNotifierAdmin(ground: AdminGround): Promise<OpenAdmin<NotifierAdminMethods>> {
  return openAdmin(
    { name: 'notifier', migrations: NOTIFIER_MIGRATIONS, module: AdminModule, root: NotifierAdmin },
    ground,
  );
}

const deliveryMethods = (admin: DeliveryAdmin) => ({
  /** In sequence order, with POSTs. */
  webhooksOf: reads([z.int().positive()], async (transactionId): Promise<WebhookView[]> => {
    const deliveries = await admin.deliveriesOf(transactionId);
    return deliveries.map((delivery) => ({
      ...deliveryView(delivery),
      sequence: delivery.sequence,
      posts: delivery.posts.map((post) => ({
        attempt: post.attempt,
        started_at: post.startedAt.toISOString(),
        duration_ms: post.durationMs,
        status: post.status,
        error: post.error,
      })),
    }));
  }),
  /** Given up longest ago first. */
  givenUp: reads([], async (): Promise<{ deliveries: GivenUpWebhook[]; more: boolean }> => {
    const deliveries = await admin.givenUp({ limit: MOST_SHOWN + 1 });
    return {
      deliveries: deliveries.slice(0, MOST_SHOWN).map((delivery) => ({
        ...deliveryView(delivery),
        transaction_id: delivery.transactionId,
        partner_id: delivery.partnerId,
      })),
      more: deliveries.length > MOST_SHOWN,
    };
  }),
});

function deliveryView(delivery: DeliveryStory) {
  return {
    webhook_id: delivery.webhookId,
    event: delivery.event,
    state: delivery.state,
    host: delivery.host,
    attempts: delivery.attempts,
    created_at: delivery.createdAt.toISOString(),
    next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
    settled_at: delivery.settledAt?.toISOString() ?? null,
  };
}
