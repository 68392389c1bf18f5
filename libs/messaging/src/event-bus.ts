import type { Database } from '@vuka/persistence';
import type { Clock, Logger, WakeSignal } from '@vuka/runtime';

import type { Disturbance } from './delivery/disturbance.js';
import type { RetryPolicy } from './delivery/keyed-delivery.js';
import type { Subscription } from './delivery/subscription.js';
import type { EventCatalogue } from './envelope.js';

export interface Producer {
  readonly service: string;
  /** On the producer's schema. */
  readonly db: Pick<Database, 'query' | 'lockSession'>;
  /** Notified after a commit with outbox rows. */
  readonly signal: WakeSignal;
}

export interface EventBus {
  /** Call before start(). */
  attachProducer(producer: Producer): void;
  /** Call before start(). The returned function ends deliveries, after the running handlers. */
  subscribe(subscription: Subscription): () => Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface EventBusOptions {
  readonly log: Logger;
  readonly clock: Clock;
  readonly catalogue?: EventCatalogue;
  readonly retry?: RetryPolicy;
  readonly handlerTimeoutMs?: number;
  /** Poll interval for requested replays. */
  readonly replayPollMs?: number;
  /** Alarm if an event waits longer: in an outbox, behind a full window, or first and not done. */
  readonly stalledAfterMs?: number;
  /** For tests. */
  readonly disturbance?: Disturbance;
}

export const EVENT_BUS_DEFAULTS = {
  retry: { tries: 5, firstDelayMs: 100, maxDelayMs: 5_000 },
  handlerTimeoutMs: 30_000,
  replayPollMs: 2_000,
  /** More than reads and slow commits take. */
  stalledAfterMs: 10_000,
} as const;
