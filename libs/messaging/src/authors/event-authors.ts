import { createHash, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';

import { EVENT_CATALOGUE, type EventCatalogue } from '../envelope.js';
import { macOf, type EventKeys } from './event-keys.js';

/** What came by an event log; nobody has vouched for any of it yet. */
export interface Claimed {
  readonly topic: string;
  readonly key: string;
  readonly sequence: number;
  readonly eventId: string;
  /** Of eventMacsBy(); null: none. */
  readonly macs: string | null;
}

/** Longer ones are not looked through. */
export const MAX_MACS_LENGTH = 2_000;

/** Tells a reader whether the owner of a topic wrote what came on it. */
export class EventAuthors {
  /** By producer, then key id. */
  private readonly keys: ReadonlyMap<string, ReadonlyMap<string, KeyObject>>;

  public constructor(
    private readonly reader: string,
    { from }: Pick<EventKeys, 'from'>,
    private readonly catalogue: Pick<EventCatalogue, 'topics'> = EVENT_CATALOGUE,
  ) {
    this.keys = new Map(
      Object.entries(from).map(([producer, keys]) => [
        producer,
        new Map(keys.map(({ id, key }) => [id, createSecretKey(key)])),
      ]),
    );
  }

  /** null: the owner of the topic wrote exactly this text. Else why not, without a value of it. */
  public faultOf(topic: string, text: string | Buffer, macs: string | null): string | null {
    const owner = this.catalogue.topics[topic]?.owner;
    if (owner === undefined) return 'The topic has no owner';
    const shown = macs === null ? undefined : this.shownTo(macs);
    if (shown === undefined) return `It has no MAC for ${this.reader}`;
    const key = this.keys.get(owner)?.get(shown.id);
    if (key === undefined) return `No event key of ${owner} has the id that its MAC names`;
    return timingSafeEqual(macOf(key, topic, text), shown.mac) ? null : `Its MAC is not one of ${owner}`;
  }

  /** As faultOf. Also refuses a true text under another id, key or sequence, which order and inbox go by. */
  public faultOfClaimed({ macs, ...claimed }: Claimed, text: string | Buffer): string | null {
    const fault = this.faultOf(claimed.topic, text, macs);
    if (fault !== null) return fault;
    const { id, key, sequence } = outerOf(text);
    return String(id).toLowerCase() === claimed.eventId && key === claimed.key && sequence === claimed.sequence
      ? null
      : 'It came under another id, key or sequence than it was written with';
  }

  private shownTo(macs: string): { readonly id: string; readonly mac: Buffer } | undefined {
    if (macs.length > MAX_MACS_LENGTH) return undefined;
    const own = macs.split(',').find((one) => one.startsWith(`${this.reader}=`));
    const [id, text, ...more] = own?.slice(this.reader.length + 1).split('.') ?? [];
    if (id === undefined || text === undefined || more.length > 0) return undefined;
    const mac = Buffer.from(text, 'base64url');
    return mac.length === 32 ? { id, mac } : undefined;
  }
}

function outerOf(text: string | Buffer): {
  readonly id?: unknown;
  readonly key?: unknown;
  readonly sequence?: unknown;
} {
  try {
    const outer: unknown = JSON.parse(text.toString());
    return typeof outer === 'object' && outer !== null ? outer : {};
  } catch {
    return {};
  }
}

/**
 * The id under which something is kept that has none of its own, or none that can be believed: a hash of its place. A
 * stranger could else name the id of a true event, which would then be passed over as a dead letter.
 */
export function idOfPlace(place: readonly (string | number)[]): string {
  const digest = createHash('sha256').update(JSON.stringify(place)).digest().subarray(0, 16);
  // RFC 9562, UUID version 8.
  digest[6] = (digest[6]! & 0x0f) | 0x80;
  digest[8] = (digest[8]! & 0x3f) | 0x80;
  return digest.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
