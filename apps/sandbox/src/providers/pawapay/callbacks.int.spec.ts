import { createHash, createPublicKey, verify } from 'node:crypto';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import type { Heard } from '../simulation/listener.spec-support.js';
import { idOf, MINUTE_MS, RunningPawapay } from './simulator.spec-support.js';

describe('callbacks of pawaPay', () => {
  let pawapay: RunningPawapay;
  beforeEach(async () => {
    pawapay = await RunningPawapay.start();
  });
  afterEach(() => pawapay.remove());

  /** Pays to the number; what was called back within an hour. */
  async function heardOf(digits: string): Promise<Heard[]> {
    await pawapay.pay(digits);
    await pawapay.control.moveClock(MINUTE_MS);
    await pawapay.control.moveClock(60 * MINUTE_MS);
    return pawapay.listener.heard;
  }

  async function publishedKeys(): Promise<{ id: string; key: string }[]> {
    return (await pawapay.call('GET', '/v2/public-key/http')).body as { id: string; key: string }[];
  }

  /** A verifier after RFC 9421 that shares nothing with the signer. */
  function check(heard: Heard, keys: readonly { id: string; key: string }[]) {
    const header = (name: string) => String(heard.headers[name]);
    const input = header('signature-input').replace(/^sig-pp=/, '');
    const names = [...input.slice(0, input.indexOf(')')).matchAll(/"([^"]+)"/g)].map(([, name]) => String(name));
    const derived: Record<string, string> = {
      '@method': heard.method,
      '@authority': header('host'),
      '@path': heard.path,
    };
    const lines = names.map((name) => `"${name}": ${derived[name] ?? header(name)}`);
    const base = Buffer.from([...lines, `"@signature-params": ${input}`].join('\n'));
    const id = /keyid="([^"]+)"/.exec(input)?.[1];
    const pem = keys.find((key) => key.id === id)?.key;
    const signature = Buffer.from(header('signature').replace(/^sig-pp=:|:$/g, ''), 'base64');
    const by = (dsaEncoding: 'der' | 'ieee-p1363') =>
      pem !== undefined && verify('sha256', base, { key: createPublicKey(pem), dsaEncoding }, signature);
    const [algorithm = '', value] = header('content-digest').split(/=(.*)/s);
    const digest = createHash(algorithm.replace('-', '')).update(heard.raw).digest('base64');
    return {
      id,
      names,
      algorithm,
      digest: value === `:${digest}:`,
      encoding: by('der') ? 'der' : by('ieee-p1363') ? 'raw' : null,
      expires: Number(/expires=(\d+)/.exec(input)?.[1]),
    };
  }

  const GOOD = { digest: true, encoding: 'der', algorithm: 'sha-512' };

  it('are signed over method, authority, path, date, digest and type', async () => {
    const [heard, ...more] = await heardOf('1234');
    expect(more).toEqual([]);
    expect(check(heard as Heard, await publishedKeys())).toMatchObject({
      ...GOOD,
      id: 'HTTP_EC_P256_KEY:1',
      names: ['@method', '@authority', '@path', 'signature-date', 'content-digest', 'content-type'],
    });
    expect((await pawapay.record(idOf('1234'))).data).toEqual(heard?.body);
  });

  it.each([
    ['0305', { digest: true, encoding: null }],
    ['0306', { digest: false, encoding: 'der' }],
    ['0309', { digest: true, encoding: 'raw' }],
    ['0310', { digest: true, encoding: 'der' }],
    ['0311', { digest: true, encoding: 'der', algorithm: 'sha-256' }],
    ['0313', { digest: true, encoding: null }],
    ['0319', GOOD],
  ])('of %s are good or not, as its sentence says', async (digits, expected) => {
    const heard = await heardOf(digits);
    expect(heard).toHaveLength(1);
    expect(check(heard[0] as Heard, await publishedKeys())).toMatchObject(expected);
  });

  it('are lost, doubled, late, unsigned, or by a new key', async () => {
    expect(await heardOf('0301')).toEqual([]);
    expect((await heardOf('0302')).map(({ body }) => body['status'])).toEqual(['COMPLETED', 'COMPLETED']);
    await pawapay.pay('0304');
    await pawapay.control.moveClock(9 * MINUTE_MS);
    expect(pawapay.heardOf(idOf('0304'))).toEqual([]);
    await pawapay.control.moveClock(2 * MINUTE_MS);
    expect(pawapay.heardOf(idOf('0304'))).toHaveLength(1);
    await heardOf('0307');
    expect(pawapay.heardOf(idOf('0307'))[0]?.headers).not.toHaveProperty('signature');
    const before = await publishedKeys();
    await heardOf('0308');
    const [rotated] = pawapay.heardOf(idOf('0308'));
    expect(check(rotated as Heard, before)).toMatchObject({ id: 'HTTP_EC_P256_KEY:2', encoding: null });
    expect(check(rotated as Heard, await publishedKeys())).toMatchObject(GOOD);
    await pawapay.restart();
    expect(await publishedKeys()).toHaveLength(2);
  });

  it('come before the answer', async () => {
    const answer = await pawapay.pay('0303');
    expect(pawapay.heardOf(idOf('0303'))).toMatchObject([{ body: { status: 'COMPLETED' } }]);
    expect(answer.body).toMatchObject({ status: 'ACCEPTED' });
  });

  it.each([
    ['0312', ['COMPLETED'], 'FAILED'],
    ['0314', ['PROCESSING', 'COMPLETED'], 'COMPLETED'],
    ['0315', ['FAILED'], 'COMPLETED'],
    ['0318', ['COMPLETED'], 'PROCESSING'],
    ['0107', ['FAILED', 'COMPLETED'], 'COMPLETED'],
    ['0108', ['COMPLETED', 'FAILED'], 'FAILED'],
    ['0105', [], 'PROCESSING'],
  ])('of %s say %s, and the record %s', async (digits, said, status) => {
    expect((await heardOf(digits)).map(({ body }) => body['status'])).toEqual(said);
    expect((await pawapay.record(idOf(digits))).data.status).toBe(status);
  });

  it('say another id or amount, or have expired', async () => {
    expect((await heardOf('0317')).map(({ body }) => body['payoutId'])).toEqual([
      '00000000-0000-4000-8000-000000000000',
      idOf('0317'),
    ]);
    await heardOf('0319');
    expect(pawapay.heardOf(idOf('0319'))[0]?.body).toMatchObject({ amount: '1501' });
    await heardOf('0316');
    const [expired] = pawapay.heardOf(idOf('0316'));
    const { expires, encoding } = check(expired as Heard, await publishedKeys());
    expect(encoding).toBe('der');
    expect(expires * 1_000).toBeLessThan(pawapay.clock.now().getTime() - 22 * 60 * MINUTE_MS);
  });

  it('are tried again until they are answered, for no longer than fifteen minutes', async () => {
    pawapay.listener.statuses.push(500, 503, 404);
    await pawapay.pay('1234');
    await pawapay.control.moveClock(1_000);
    expect(pawapay.heardOf(idOf('1234'))).toHaveLength(1);
    await pawapay.control.moveClock(60 * MINUTE_MS);
    expect(pawapay.control.deliveries().map(({ status }) => status)).toEqual([500, 503, 404, 200]);
    pawapay.listener.statuses.push(...Array.from({ length: 20 }, () => 500));
    await pawapay.pay('4321');
    await pawapay.control.moveClock(60 * MINUTE_MS);
    const tries = pawapay.control.deliveries().filter(({ id }) => id === idOf('4321'));
    expect(tries).toHaveLength(8);
    expect((tries.at(-1)?.atMs ?? 0) - (tries[0]?.atMs ?? 0)).toBeLessThanOrEqual(15 * MINUTE_MS);
  });

  it('are sent again when asked for, once there is an end', async () => {
    const resend = () => pawapay.call('POST', `/v2/payouts/resend-callback/${idOf('0301')}`);
    expect((await resend()).body).toMatchObject({ status: 'REJECTED', failureReason: { failureCode: 'NOT_FOUND' } });
    await pawapay.pay('0301');
    expect((await resend()).body).toMatchObject({ failureReason: { failureCode: 'INVALID_STATE' } });
    await pawapay.control.moveClock(MINUTE_MS);
    expect((await resend()).body).toEqual({ payoutId: idOf('0301'), status: 'ACCEPTED' });
    await pawapay.control.moveClock(0);
    expect(check(pawapay.heardOf(idOf('0301'))[0] as Heard, await publishedKeys())).toMatchObject(GOOD);
  });
});

describe('callbacks of an account that has set them otherwise', () => {
  it.each([
    [{ encoding: 'raw' as const, digest: 'sha-256' as const }, 'sha-256'],
    [{ signed: false }, undefined],
  ])('%j', async (callbacks, algorithm) => {
    const pawapay = await RunningPawapay.start({ callbacks });
    try {
      await pawapay.pay('1234');
      await pawapay.control.moveClock(MINUTE_MS);
      const digest = pawapay.listener.heard[0]?.headers['content-digest'];
      expect(digest === undefined ? undefined : String(digest).split('=')[0]).toBe(algorithm);
      const conf = (await pawapay.call('GET', '/v2/active-conf')).body;
      expect(conf.signatureConfiguration.signedCallbacks).toBe(algorithm !== undefined);
    } finally {
      await pawapay.remove();
    }
  });
});
