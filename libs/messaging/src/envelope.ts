import { EVENTS, TOPICS, envelope as envelopeSchema, type Envelope, type EventType } from '@vuka/contracts';
import { uuidv7 } from '@vuka/runtime';
import { z } from 'zod';

/** Longer is refused at write, and a dead letter at read. */
export const MAX_ENVELOPE_BYTES = 32_768;

/** Tests bring their own. */
export interface EventCatalogue {
  readonly events: Readonly<
    Record<string, { readonly topic: string; readonly version: number; readonly data: z.ZodType }>
  >;
  readonly topics: Readonly<Record<string, { readonly owner: string; readonly consumers: readonly string[] }>>;
}

export const EVENT_CATALOGUE: EventCatalogue = { events: EVENTS, topics: TOPICS };

export interface NewEnvelope<T extends EventType> {
  readonly type: T;
  /** The aggregate's id; defines the order. */
  readonly key: string;
  /** Counts within the key. */
  readonly sequence: number;
  readonly occurredAt: Date;
  readonly correlationId: string;
  readonly causationId: string;
  /** Owner of the topic. */
  readonly producer: string;
  readonly data: Envelope<T>['data'];
}

/** Throws if the producer does not own the topic or the data break the schema: a bug. */
export function newEnvelope<T extends EventType>(event: NewEnvelope<T>): Envelope<T> {
  const { topic, version, data } = EVENTS[event.type];
  const owner = TOPICS[topic].owner;
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

/** Avoids a second list of types. */
const anyEnvelope = envelopeSchema.extend({ type: z.string() });

/** Checks data by the event's schema. Error messages name places and rules, never values. */
export function parseEnvelope(text: string, topic: string, catalogue: EventCatalogue = EVENT_CATALOGUE): Envelope {
  const outer = anyEnvelope.safeParse(parseJson(text));
  if (!outer.success) throw new Error(`The envelope breaks its schema: ${faults(outer.error)}`);
  const event = Object.hasOwn(catalogue.events, outer.data.type) ? catalogue.events[outer.data.type] : undefined;
  if (event === undefined) throw new Error('The envelope names an event that the catalogue does not know');
  if (event.topic !== topic) throw new Error(`Event ${outer.data.type} was on topic ${topic}, not on its own`);
  if (event.version !== outer.data.version) {
    throw new Error(`Event ${outer.data.type} has version ${outer.data.version}, read here is ${event.version}`);
  }
  const data = event.data.safeParse(outer.data.data);
  if (!data.success) throw new Error(`The data of ${outer.data.type} break their schema: ${faults(data.error)}`);
  return { ...outer.data, data: data.data } as Envelope;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Error('The envelope is not JSON');
  }
}

/** zod's own messages may quote values. */
function faults(error: z.ZodError): string {
  return error.issues
    .slice(0, 5)
    .map((issue) => `${issue.path.join('.') || '(whole)'} ${issue.code}`)
    .join(', ');
}
