import type { Clock, Logger, WakeSignal } from '@vuka/platform';
import type { Database } from '@vuka/persistence';

import type { EventCatalogue } from './envelope.js';
import type { Subscription, Wire } from './wire.js';

/** A service that owns topics: its outbox is the log. */
export interface Producer {
  readonly service: string;
  readonly db: Pick<Database, 'query'>;
  /** Notified by the producer after a commit with outbox rows. */
  readonly signal: WakeSignal;
}

export interface RetryPolicy {
  /** Handler calls in all before an event is a dead letter. */
  readonly tries: number;
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
}

export interface EmbeddedWireOptions {
  readonly log: Logger;
  readonly clock: Clock;
  readonly catalogue?: EventCatalogue;
  readonly retry?: RetryPolicy;
  readonly handlerTimeoutMs?: number;
}

/** The wire of the embedded profile: reads producers' outboxes, one cursor per group and bucket. */
export class EmbeddedWire implements Wire {
  public constructor(options: EmbeddedWireOptions) {
    void options;
  }

  public attachProducer(producer: Producer): void {
    void producer;
  }

  public subscribe(subscription: Subscription): () => Promise<void> {
    void subscription;
    throw new Error('not implemented');
  }

  public async start(): Promise<void> {}

  public async stop(): Promise<void> {}
}
