import { describe, expect, it } from '@jest/globals';
import type { KafkaMessage } from 'kafkajs';

import { MAX_ENVELOPE_BYTES } from '../../envelope.js';
import { rowOf } from './consumer-message.js';

const ID = '019a0000-0000-7000-8000-000000000001';
const origin = { group: 'taker', topic: 'things', partition: 3, at: new Date('2026-11-21T10:00:00.000Z') };

function message(over: Partial<KafkaMessage> = {}): KafkaMessage {
  const headers = { 'event-id': Buffer.from(ID), sequence: Buffer.from('7'), type: Buffer.from('thing.made') };
  return {
    key: Buffer.from('a'),
    value: Buffer.from('{}'),
    timestamp: '1763719200000',
    attributes: 0,
    offset: '9007199254740993',
    headers,
    ...over,
  } as KafkaMessage;
}

describe('a message as a row', () => {
  it('has the event’s facts from key and headers, and its offset exactly', () => {
    expect(rowOf(message(), origin)).toEqual({
      position: 9_007_199_254_740_993n,
      topic: 'things',
      key: 'a',
      sequence: 7,
      eventId: ID,
      bytes: 2,
      text: '{}',
      macs: null,
      tries: 0,
      cancelledMs: 0,
      cancelledAtMs: null,
      deadLetter: null,
      done: false,
      producedAt: 1_763_719_200_000,
    });
  });

  it.each<[string, Partial<KafkaMessage>]>([
    ['no key', { key: null }],
    ['an empty key', { key: Buffer.alloc(0) }],
    ['a key that is no text', { key: Buffer.from([0xff]) }],
    ['an endless key', { key: Buffer.alloc(5_000, 0x61) }],
    ['no value', { value: null }],
    ['a value with NUL', { value: Buffer.from('{"a":"\0"}') }],
    ['a value that is no text', { value: Buffer.from([0xc3, 0x28]) }],
  ])('carries its dead_letter where it has %s, in words a database can keep', (_, over) => {
    const { deadLetter, key } = rowOf(message(over), origin);
    expect(deadLetter).toMatchObject({ reason: 'foreign', group: 'taker', topic: 'things', tries: 0, at: origin.at });
    expect(key.length).toBeLessThanOrEqual(256);
    expect(JSON.stringify(deadLetter)).not.toContain('\\u0000');
  });

  it('keeps no text of what is too big', () => {
    expect(rowOf(message({ value: Buffer.alloc(MAX_ENVELOPE_BYTES + 1, 0x61) }), origin)).toMatchObject({
      text: null,
      bytes: MAX_ENVELOPE_BYTES + 1,
      deadLetter: null,
    });
    expect(rowOf(message({ value: Buffer.alloc(MAX_ENVELOPE_BYTES, 0x61) }), origin).text).toHaveLength(
      MAX_ENVELOPE_BYTES,
    );
  });

  it.each(['', 'no uuid', undefined])(
    'has an id of its place where its own is %p: the same each time, another at each place',
    (own) => {
      const idAt = (offset: string, over: Partial<typeof origin> = {}, timestamp = '1'): string =>
        rowOf(message({ offset, timestamp, headers: own === undefined ? {} : { 'event-id': own } }), {
          ...origin,
          ...over,
        }).eventId;
      expect(idAt('5')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(idAt('5')).toBe(idAt('5'));
      expect(
        new Set([idAt('5'), idAt('6'), idAt('5', { partition: 4 }), idAt('5', { topic: 'others' }), idAt('5', {}, '2')])
          .size,
      ).toBe(5);
    },
  );

  it.each(['-1', 'x', '', '1e3', '9'.repeat(40)])('does not believe the sequence %p', (sequence) => {
    expect(rowOf(message({ headers: { sequence } }), origin).sequence).toBeNaN();
  });

  it('bears headers of any form', () => {
    expect(
      rowOf(message({ headers: { 'event-id': [Buffer.from(ID), Buffer.from('x')], sequence: ['4'] } }), origin),
    ).toMatchObject({ eventId: ID, sequence: 4 });
    expect(rowOf(message({ headers: undefined as never }), origin).deadLetter).toBeNull();
  });
});
