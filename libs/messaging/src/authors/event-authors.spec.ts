import { describe, expect, it } from '@jest/globals';

import { event } from '../event-bus.spec-support.js';
import { keyNamed, OTHERS, signedWith, TAKERS, takerKnowing } from './authors.spec-support.js';
import { EventAuthors, idOfPlace, MAX_MACS_LENGTH } from './event-authors.js';
import { eventMacsBy } from './event-keys.js';

const sent = event('a', 7);
const text = JSON.stringify(sent);
const macs = signedWith([TAKERS])('things', text);
const claimed = { topic: 'things', key: 'a', sequence: 7, eventId: sent.id, macs };
const taker = takerKnowing(TAKERS);

describe('who wrote an event', () => {
  it('is the owner of its topic where its MAC for this reader says so, as text or as bytes', () => {
    expect(taker.faultOf('things', text, macs)).toBeNull();
    expect(taker.faultOf('things', Buffer.from(text), macs)).toBeNull();
    expect(taker.faultOfClaimed(claimed, text)).toBeNull();
  });

  it('has a MAC for each reader, with a key of each', () => {
    expect(macs).toMatch(/^taker=e1\.[A-Za-z0-9_-]{43},other=e1\.[A-Za-z0-9_-]{43}$/);
    const [forTaker, forOther] = macs.split(',').map((one) => one.split('.')[1]);
    expect(forTaker).not.toBe(forOther);
  });

  it.each<[string, string | null, string, RegExp]>([
    ['it has none', null, text, /no MAC for taker/],
    ['it has one for another reader only', macs.split(',')[1]!, text, /no MAC for taker/],
    ['a byte of it was changed', macs, text.replace('"n":7', '"n":8'), /not one of maker/],
    ['it was made with the key of another reader', signedWith([OTHERS])('things', text), text, /not one of maker/],
    ['it names a key that nobody knows', macs.replace('e1', 'e9'), text, /No event key of maker/],
    ['it is too short', 'taker=e1.AAAA', text, /no MAC for taker/],
    ['it has no key id', `taker=${macs.slice(9, 52)}`, text, /no MAC for taker/],
    ['it is endless', `${macs},${'x'.repeat(MAX_MACS_LENGTH)}`, text, /no MAC for taker/],
  ])('is not known where %s', (_, shown, given, fault) => {
    expect(taker.faultOf('things', given, shown)).toMatch(fault);
  });

  it('is not known on another topic than it was written to, whoever owns that', () => {
    const topics = { things: { owner: 'maker', consumers: ['taker'] }, also: { owner: 'maker', consumers: ['taker'] } };
    const reader = new EventAuthors('taker', { from: { maker: [TAKERS] } }, { topics });
    expect(reader.faultOf('also', text, macs)).toMatch(/not one of maker/);
    expect(reader.faultOf('things', text, macs)).toBeNull();
    expect(reader.faultOf('nobodys', text, macs)).toMatch(/no owner/);
  });

  it('does not make a true text true under another id, key or sequence', () => {
    const told = 'It came under another id, key or sequence than it was written with';
    for (const other of [{ eventId: event('a', 7).id }, { key: 'b' }, { sequence: 8 }, { sequence: Number.NaN }])
      expect(taker.faultOfClaimed({ ...claimed, ...other }, text)).toBe(told);
  });

  it('is known by the newest key and by each older one that the reader still has', () => {
    const next = keyNamed('e2', 3);
    const byNext = signedWith([next, TAKERS])('things', text);
    const reader = takerKnowing(next, TAKERS);
    expect([reader.faultOf('things', text, byNext), reader.faultOf('things', text, macs)]).toEqual([null, null]);
    expect(taker.faultOf('things', text, byNext)).toMatch(/No event key of maker/);
    expect(takerKnowing(next).faultOf('things', text, macs)).toMatch(/No event key of maker/);
  });

  it('cannot be written for a reader without a key, or to a topic that nobody reads', () => {
    const topics = { things: { owner: 'maker', consumers: ['taker'] } };
    expect(() => eventMacsBy({ to: { taker: [] }, from: {} }, { topics })('things', text)).toThrow(
      'no event key for taker',
    );
    expect(() => eventMacsBy({ to: { taker: [TAKERS] }, from: {} }, { topics })('others', text)).toThrow(
      'Nobody reads',
    );
  });

  it('leaves a place an id of its own, the same each time', () => {
    expect(idOfPlace(['things', 1, '5'])).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(idOfPlace(['things', 1, '5'])).toBe(idOfPlace(['things', 1, '5']));
    expect(idOfPlace(['things', 1, '5'])).not.toBe(idOfPlace(['things', 1, '6']));
  });
});
