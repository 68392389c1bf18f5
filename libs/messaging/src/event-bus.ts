import type { Database } from '@vuka/persistence';
import type { Clock, Logger, WakeSignal } from '@vuka/runtime';

import type { Disturbance } from './delivery/disturbance.js';
import type { RetryPolicy } from './delivery/keyed-delivery.js';
import type { Subscription } from './delivery/subscription.js';
import type { EventCatalogue } from './envelope.js';

/** A service that owns topics: its outbox is where its events come from. */
export interface Producer {
  readonly service: string;
  /** On the producer's schema. */
  readonly db: Pick<Database, 'query' | 'lockSession'>;
  /** Notified by the producer after a commit with outbox rows. */
  readonly signal: WakeSignal;
}

/** Carries events from outboxes to groups: the embedded event bus here, Kafka in the distributed profile. */
export interface EventBus {
  /** Before start(): events of this service's outbox are carried from here on. */
  attachProducer(producer: Producer): void;
  /** Before start(). Returns what ends this group's deliveries: it resolves once the handlers under way have ended. */
  subscribe(subscription: Subscription): () => Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** What every event bus is told; the times are EVENT_BUS_DEFAULTS' unless given. */
export interface EventBusOptions {
  readonly log: Logger;
  readonly clock: Clock;
  readonly catalogue?: EventCatalogue;
  readonly retry?: RetryPolicy;
  readonly handlerTimeoutMs?: number;
  /** How often a group looks for dead letters that somebody wants replayed. */
  readonly replayPollMs?: number;
  /** An event that waits for longer, in an outbox, behind a full window, or as the first that is not done, is an alarm. */
  readonly stalledAfterMs?: number;
  /** For tests: what the contract allows, done on purpose. */
  readonly disturbance?: Disturbance;
}

/** What holds on every event bus unless it is told otherwise. */
export const EVENT_BUS_DEFAULTS = {
  retry: { tries: 5, firstDelayMs: 100, maxDelayMs: 5_000 },
  handlerTimeoutMs: 30_000,
  replayPollMs: 2_000,
  /** An event that waits unread for longer is an alarm: beyond what reading and a slow commit take. */
  stalledAfterMs: 10_000,
} as const;
