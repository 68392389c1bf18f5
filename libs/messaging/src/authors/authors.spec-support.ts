import type { EventCatalogue } from '../envelope.js';
import { EventAuthors } from './event-authors.js';
import { eventMacsBy, type EventKey } from './event-keys.js';

/** The tests' own catalogue has the producer `maker` and the readers `taker` and `other`. */
const TOPICS: EventCatalogue['topics'] = { things: { owner: 'maker', consumers: ['taker', 'other'] } };

export const keyNamed = (id: string, byte: number): EventKey => ({ id, key: Buffer.alloc(32, byte) });
export const TAKERS = keyNamed('e1', 1);
export const OTHERS = keyNamed('e1', 2);

/** As the maker's database has it. */
export const signedWith =
  (keys: readonly [EventKey, ...EventKey[]], others: EventKey = OTHERS) =>
  (topic: string, text: string): string =>
    eventMacsBy({ to: { taker: keys, other: [others] }, from: {} }, { topics: TOPICS })(topic, text);

const signs = signedWith([TAKERS]);

/** null for topics that other tests bring. */
export const macsOf = (topic: string, text: string): string | null => (topic in TOPICS ? signs(topic, text) : null);

export const takerKnowing = (...keys: readonly EventKey[]): EventAuthors =>
  new EventAuthors('taker', { from: { maker: keys } }, { topics: TOPICS });
