import { generateKeyPairSync } from 'node:crypto';

import { beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '@vuka/runtime';

import type { ProviderReply } from '../../provider-http.js';
import { PublicKeys, readPublicKeys } from './public-keys.js';
import { json } from './shapes.spec-support.js';
import { KEY_ID, NOW, pemOf, privateKey, publicKey } from './signing.spec-support.js';

const OTHER = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;
const listed = (...ids: string[]) =>
  json(
    200,
    ids.map((id) => ({ id, key: pemOf(publicKey) })),
  );

describe('the answer with public keys', () => {
  it('is read as published', () => {
    const keys = readPublicKeys(listed(KEY_ID));
    expect(keys?.get(KEY_ID)?.equals(publicKey)).toBe(true);
  });

  it('leaves out what is no public key', () => {
    const secret = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const rows = [
      { id: 'a', key: 'nonsense' },
      { id: 'b', key: secret },
      { id: 'c', key: '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----' },
      { id: KEY_ID, key: pemOf(publicKey) },
    ];
    expect([...(readPublicKeys(json(200, rows))?.keys() ?? [])]).toEqual([KEY_ID]);
  });

  it('is none where two keys have one id, there are too many, or the shape is another', () => {
    const twice = [KEY_ID, KEY_ID].map((id, at) => ({ id, key: pemOf(at === 0 ? publicKey : OTHER) }));
    const many = Array.from({ length: 17 }, (_, at) => `k${at}`);
    for (const reply of [json(200, twice), listed(...many), listed(), json(200, {}), json(401, []), json(200, null)])
      expect(readPublicKeys(reply)).toBeNull();
    expect(readPublicKeys({ kind: 'no_answer', detail: 'HTTP 500' })).toBeNull();
  });
});

describe('public keys', () => {
  let clock: ManualClock;
  let asked: number;
  let answer: ProviderReply;
  let keys: PublicKeys;

  beforeEach(() => {
    clock = new ManualClock(NOW);
    asked = 0;
    answer = listed(KEY_ID);
    keys = new PublicKeys(() => {
      asked += 1;
      return Promise.resolve(answer);
    }, clock);
  });
  const knows = async (id: string): Promise<boolean> => (await keys.forKey(id)).has(id);

  it('are fetched once, also for many at once', async () => {
    expect(await Promise.all([knows(KEY_ID), knows(KEY_ID), knows(KEY_ID)])).toEqual([true, true, true]);
    expect(await knows(KEY_ID)).toBe(true);
    expect(asked).toBe(1);
  });

  it('are fetched once more for a key that was rotated in', async () => {
    await knows(KEY_ID);
    clock.advance(60_000);
    answer = listed(KEY_ID, 'K:2');
    expect(await knows('K:2')).toBe(true);
    expect(asked).toBe(2);
  });

  it('are not fetched for each made-up id', async () => {
    for (let at = 0; at < 50; at++) expect(await knows(`made-up-${at}`)).toBe(false);
    expect(asked).toBe(1);
    expect(await knows(KEY_ID)).toBe(true);
  });

  it('are forgotten with age, so that a withdrawn key is none any more', async () => {
    await knows(KEY_ID);
    clock.advance(3_600_000);
    answer = listed('K:2');
    expect(await knows(KEY_ID)).toBe(false);
    expect(asked).toBe(2);
  });

  it('are none while they cannot be fetched, and are there again when they can', async () => {
    answer = { kind: 'no_answer', detail: 'HTTP 503' };
    expect(await knows(KEY_ID)).toBe(false);
    answer = listed(KEY_ID);
    expect(await knows(KEY_ID)).toBe(false);
    clock.advance(60_000);
    expect(await knows(KEY_ID)).toBe(true);
  });
});
