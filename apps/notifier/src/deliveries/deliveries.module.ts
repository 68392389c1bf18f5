import { Module } from '@nestjs/common';
import { WakeSignal } from '@vuka/runtime';

import { DELIVERY_LIMITS, DeliveryPlaces } from './delivery-places.js';
import { DELIVERY_LIMITS_IN_FORCE, DELIVERY_SIGNAL, RANDOM } from './delivery-tokens.js';
import { DeliveryStore } from './delivery.store.js';
import { ExpirePayloads } from './expire-payloads.js';
import { DeliveryQueueStore } from './delivery-queue.store.js';
import { NotifierMetrics } from './notifier-metrics.js';
import { SweepDeliveryQueues } from './sweep-delivery-queues.js';

const DELIVERIES = [
  { provide: DELIVERY_SIGNAL, useFactory: () => new WakeSignal() },
  { provide: DELIVERY_LIMITS_IN_FORCE, useValue: DELIVERY_LIMITS },
  { provide: RANDOM, useValue: Math.random },
  DeliveryStore,
  DeliveryQueueStore,
  DeliveryPlaces,
  NotifierMetrics,
  SweepDeliveryQueues,
  ExpirePayloads,
];

@Module({ providers: DELIVERIES, exports: DELIVERIES })
export class DeliveriesModule {}
