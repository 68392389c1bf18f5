import type { Clock, Logger } from '@vuka/platform';

import type { Disturbance } from '../disturbance.js';
import type { EventCatalogue } from '../envelope.js';
import type { RetryPolicy } from '../keyed-delivery.js';
import type { Producer, Subscription, Wire } from '../wire.js';
import type { WireMetrics } from './consumer-metrics.js';
import type { KafkaConnection } from './kafka-connection.js';

export interface KafkaWireOptions {
  readonly connection: KafkaConnection;
  readonly clientId: string;
  readonly log: Logger;
  readonly clock: Clock;
  readonly catalogue?: EventCatalogue;
  readonly retry?: RetryPolicy;
  readonly handlerTimeoutMs?: number;
  /** How often a group looks for dead letters that somebody wants replayed. */
  readonly replayPollMs?: number;
  /** An event that waits for longer, in an outbox or on a topic, is an alarm. */
  readonly heldBackAfterMs?: number;
  /** For tests: what the contract allows, done on purpose. */
  readonly disturbance?: Disturbance;
  readonly metrics?: WireMetrics;
  /** The consumer cannot go on: the process is to end, its platform starts it anew. */
  readonly onFatal: (error: Error) => void;
}

/** The wire of the distributed profile: outboxes are relayed to Kafka, groups consume from there. */
export class KafkaWire implements Wire {
  public constructor(private readonly options: KafkaWireOptions) {}

  public attachProducer(_producer: Producer): void {
    throw new Error('not yet');
  }

  public subscribe(_subscription: Subscription): () => Promise<void> {
    throw new Error('not yet');
  }

  /** Waits for no broker: what cannot be reached yet is waited for in the background, and ready() says so. */
  public async start(): Promise<void> {}

  public async stop(): Promise<void> {}

  /** true, or why not: by what was heard of the brokers lately. */
  public ready(): true | string {
    return `not yet ${this.options.clientId}`;
  }
}
