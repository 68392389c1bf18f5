import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

import { EVENT_CATALOGUE, type EventCatalogue } from '../envelope.js';

export interface EventKey {
  readonly id: string;
  /** 32 random bytes. */
  readonly key: Buffer;
}

/**
 * What one service holds. Each pair of producer and reader has keys of its own, newest first: two readers with the same
 * key could write in the producer's name to each other.
 */
export interface EventKeys {
  /** By reader: the first one signs. */
  readonly to: Readonly<Record<string, readonly EventKey[]>>;
  /** By producer: each verifies. */
  readonly from: Readonly<Record<string, readonly EventKey[]>>;
}

/** HMAC-SHA256 over topic and text. A topic has no line feed, so no two pairs have the same bytes. */
export function macOf(key: KeyObject, topic: string, text: string | Buffer): Buffer {
  return createHmac('sha256', key).update(`vuka event\n${topic}\n`).update(text).digest();
}

/**
 * Signs for each reader of the topic: `checkout=e1.<base64url>,payments=e1.<base64url>`. Throws where a reader has no
 * key, or nobody reads the topic.
 */
export function eventMacsBy(
  { to }: EventKeys,
  catalogue: Pick<EventCatalogue, 'topics'> = EVENT_CATALOGUE,
): (topic: string, text: string) => string {
  const newest = new Map(
    Object.entries(to).flatMap(([reader, [first]]) =>
      first === undefined ? [] : [[reader, { id: first.id, key: createSecretKey(first.key) }] as const],
    ),
  );
  return (topic, text) => {
    const readers = catalogue.topics[topic]?.consumers ?? [];
    if (readers.length === 0) throw new Error(`Nobody reads the topic ${topic}`);
    return readers
      .map((reader) => {
        const own = newest.get(reader);
        if (own === undefined) throw new Error(`There is no event key for ${reader}, which reads ${topic}`);
        return `${reader}=${own.id}.${macOf(own.key, topic, text).toString('base64url')}`;
      })
      .join(',');
  };
}
