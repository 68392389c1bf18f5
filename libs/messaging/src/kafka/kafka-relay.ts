import type { Clock, Logger } from '@vuka/platform';

import { type EventCatalogue } from '../envelope.js';
import type { Producer } from '../wire.js';
import type { KafkaConnection } from './kafka-connection.js';

export interface KafkaRelayOptions {
  readonly connection: KafkaConnection;
  readonly clientId: string;
  readonly log: Logger;
  readonly clock: Clock;
  readonly catalogue?: EventCatalogue;
  /** An event unpublished for longer is an alarm; 10 s by default. */
  readonly heldBackAfterMs?: number;
  readonly metrics?: RelayMetrics;
}

/** What a relay tells to whoever counts. */
export interface RelayMetrics {
  published(events: number): void;
  /** Age of the oldest unpublished event; 0 where there is none. */
  outboxAge(ms: number): void;
  isHolder(yes: boolean): void;
}

/** Publishes one service's outbox to Kafka: one of the service's processes at a time, in order per key, at least once. */
export class KafkaRelay {
  public constructor(
    private readonly producer: Producer,
    private readonly options: KafkaRelayOptions,
  ) {}

  /** Throws nothing where database or broker are away: it waits for them. */
  public async start(): Promise<void> {}

  /** Ends after the batch under way, or after 5 s; what was sent and not noted is sent again by the next holder. */
  public async stop(): Promise<void> {}

  /** true, or why not. A broker that is away is no reason: events wait in the outbox. */
  public ready(): true | string {
    return true;
  }
}
