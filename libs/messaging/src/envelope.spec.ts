import type { Envelope } from '@vuka/contracts';
import { describe, expect, it } from '@jest/globals';

import { bucketOf, OUTBOX_BUCKETS } from './outbox/buckets.js';
import { MAX_ENVELOPE_BYTES, newEnvelope, parseEnvelope } from './envelope.js';
import { encodeOutboxRow } from './outbox/outbox.js';

const topic = 'payments.transaction.events.v1';

function event(message = 'paid'): Envelope<'transaction.complete'> {
  return newEnvelope({
    type: 'transaction.complete',
    key: '41',
    sequence: 3,
    occurredAt: new Date('2026-11-21T10:00:00.000Z'),
    correlationId: 'request-1',
    causationId: 'move-1',
    producer: 'payments',
    data: {
      transaction_id: 41,
      partner_id: 1,
      callback_url: null,
      public_sequence: 2,
      payload: { status: 'COMPLETE', transaction_code: 'T41', message },
    },
  });
}

describe('an envelope', () => {
  it('comes back from the text of its outbox row as it was', () => {
    const sent = event();
    const row = encodeOutboxRow(sent);
    expect(row).toMatchObject({ topic, key: '41', sequence: 3, event_id: sent.id, bucket: bucketOf('41') });
    expect(row.created_at).toEqual(new Date('2026-11-21T10:00:00.000Z'));
    expect(parseEnvelope(row.envelope, topic)).toEqual(sent);
  });

  it('is refused where the producer does not own the topic', () => {
    expect(() => newEnvelope({ ...event(), occurredAt: new Date(0), producer: 'gateway' })).toThrow(
      'gateway may not produce it',
    );
  });

  it('is refused where its data break the schema', () => {
    const broken = { ...event(), occurredAt: new Date(0), data: { ...event().data, transaction_id: -1 } };
    expect(() => newEnvelope(broken)).toThrow();
  });

  it('is refused by the outbox where it is too long', () => {
    expect(() => encodeOutboxRow(event('x'.repeat(MAX_ENVELOPE_BYTES)))).toThrow('bytes long');
  });

  it.each([
    ['no JSON', () => '{', 'not JSON'],
    ['a number', () => '7', 'breaks its schema: (whole) invalid_type'],
    ['a missing member', () => JSON.stringify({ ...event(), key: undefined }), 'breaks its schema: key invalid_type'],
    ['an unknown event', () => JSON.stringify({ ...event(), type: 'toString' }), 'does not know'],
    ['an unknown version', () => JSON.stringify({ ...event(), version: 2 }), 'has version 2, read here is 1'],
    [
      'broken data',
      () => JSON.stringify({ ...event(), data: { ...event().data, partner_id: '5' } }),
      'partner_id invalid_type',
    ],
  ])('cannot be read from %s', (_, text, message) => {
    expect(() => parseEnvelope(text(), topic)).toThrow(message);
  });

  it('cannot be read from a topic that is not its own', () => {
    expect(() => parseEnvelope(JSON.stringify(event()), 'checkout.order.events.v1')).toThrow('not on its own');
  });

  it('says where data are wrong, never their values', () => {
    const text = JSON.stringify({ ...event(), data: { ...event().data, callback_url: 254712345678 } });
    expect(() => parseEnvelope(text, topic)).toThrow(expect.not.stringContaining('254712345678'));
  });
});

describe('bucketOf', () => {
  it('is FNV-1a, for ever: rows on disk carry it', () => {
    // Published FNV-1a 32 vectors: '' 811c9dc5, 'a' e40c292c, 'foobar' bf9cf968.
    expect(['', 'a', 'foobar'].map(bucketOf)).toEqual([0x5, 0xc, 0x8]);
  });

  it('spreads ids over all buckets about evenly', () => {
    const counts = new Array<number>(OUTBOX_BUCKETS).fill(0);
    for (let id = 1; id <= 16_000; id += 1) counts[bucketOf(String(id))]! += 1;
    expect(Math.min(...counts)).toBeGreaterThan(500);
    expect(Math.max(...counts)).toBeLessThan(2_000);
  });
});
