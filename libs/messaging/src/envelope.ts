import { EVENTS, TOPICS, envelope as envelopeSchema, type Envelope, type EventType, type TopicName } from '@vuka/contracts';
import { uuidv7 } from '@vuka/platform';

/** Longest encoded envelope in bytes: refused when written, a dead letter when read. */
export const MAX_ENVELOPE_BYTES = 32_768;

/** Topics and events as data; a test brings its own, everybody else takes libs/contracts. */
export interface EventCatalogue {
  readonly events: Readonly<Record<string, { readonly topic: string; readonly version: number; readonly data: { parse(value: unknown): unknown } }>>;
  readonly topics: Readonly<Record<string, { readonly owner: string; readonly consumers: readonly string[] }>>;
}

export const EVENT_CATALOGUE: EventCatalogue = { events: EVENTS, topics: TOPICS };

export interface NewEnvelope<T extends EventType> {
  readonly type: T;
  /** The aggregate's id: what orders. */
  readonly key: string;
  /** Counts within the key. */
  readonly sequence: number;
  /** From the Clock. */
  readonly occurredAt: Date;
  readonly correlationId: string;
  readonly causationId: string;
  /** The service that owns the topic. */
  readonly producer: string;
  readonly data: Envelope<T>['data'];
}

/** A fresh event with an id of its own. Throws where the producer does not own the topic or the data break the schema: a bug. */
export function newEnvelope<T extends EventType>(event: NewEnvelope<T>): Envelope<T> {
  const { topic, version, data } = EVENTS[event.type];
  const owner = TOPICS[topic as TopicName].owner;
  if (owner !== event.producer) {
    throw new Error(`Event ${event.type} belongs to topic ${topic} of ${owner}; ${event.producer} may not produce it`);
  }
  return {
    id: uuidv7(),
    type: event.type,
    version,
    key: event.key,
    sequence: event.sequence,
    occurredAt: event.occurredAt.toISOString(),
    correlationId: event.correlationId,
    causationId: event.causationId,
    producer: event.producer,
    data: data.parse(event.data) as Envelope<T>['data'],
  };
}

/**
 * An event as it was read from a topic: text in, envelope with data checked by the event's schema out.
 * Throws PermanentEventError (the reason names places and rules, never values).
 */
export function parseEnvelope(text: string, topic: string, catalogue: EventCatalogue = EVENT_CATALOGUE): Envelope {
  void [text, topic, catalogue, envelopeSchema];
  throw new Error('not implemented');
}
