import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '@vuka/runtime';

import { AuthenticateCaller } from '../keys/authenticate-caller.js';
import type { StoredKey } from '../keys/keys.store.js';
import {
  ask,
  CONSUMER_KEY,
  limitsOf,
  OTHER_CONSUMER_KEY,
  PEPPER,
  startTestGateway,
  storedKey,
  type Answer,
  type TestGateway,
} from '../testing/gateway.spec-support.js';

const BURST = 20;
const KEYS = new Map([storedKey(CONSUMER_KEY, 1), storedKey(OTHER_CONSUMER_KEY, 2)]);
const guess = (n: number): string => `vk_test_consumer_g${String(n)}_AAAAAAAAAAAAAAAAAAAAAAAA`;

let clock: ManualClock;
let gateway: TestGateway;
let looked: string[];
let live: string[];

const lookUp = async (prefix: string): Promise<StoredKey | null> => {
  looked.push(prefix);
  return KEYS.get(prefix) ?? null;
};
const banks = (key: string): Promise<Answer> => ask(gateway.port, { path: '/v1/banks', headers: { 'x-api-key': key } });
const codes = async (keys: readonly string[]): Promise<number[]> =>
  Promise.all(keys.map(async (key) => (await banks(key)).status));

/** A process that has seen no key yet. */
beforeEach(async () => {
  clock = new ManualClock(new Date('2026-11-28T12:00:00Z'));
  looked = [];
  live = [...KEYS.keys()];
  gateway = await startTestGateway({
    authenticate: new AuthenticateCaller({ env: 'sandbox' }, PEPPER, clock, {
      findKey: lookUp,
      livePrefixes: async () => live,
    }),
    limits: limitsOf({ failedAuth: { ratePerS: 1, burst: BURST } }, clock),
  });
});
afterEach(() => gateway.stop());

describe('guesses from one address', () => {
  it('are counted before they wait: no more of them are looked up than the limit allows', async () => {
    const answered = await codes(Array.from({ length: 10 * BURST }, (_, n) => guess(n)));
    expect(answered.filter((status) => status === 401)).toHaveLength(BURST);
    expect(answered.filter((status) => status === 429)).toHaveLength(9 * BURST);
    expect(looked).toHaveLength(BURST);
    clock.advance(3_000);
    expect(await codes([1, 2, 3, 4].map((n) => guess(1_000 + n)))).toEqual([401, 401, 401, 429]);
    expect(looked).toHaveLength(BURST + 3);
  });

  it('refuse no key that there is, right after a restart neither', async () => {
    await codes(Array.from({ length: 2 * BURST }, (_, n) => guess(n)));
    expect((await banks(CONSUMER_KEY)).headers['ratelimit']).toBeUndefined();
    expect(await codes([CONSUMER_KEY, guess(500), OTHER_CONSUMER_KEY])).toEqual([200, 429, 200]);
  });

  it('delay a key that is made meanwhile by five seconds at most', async () => {
    live = [];
    await codes(Array.from({ length: 2 * BURST }, (_, n) => guess(n)));
    live = [...KEYS.keys()];
    expect((await banks(CONSUMER_KEY)).status).toBe(429);
    clock.advance(5_000);
    await codes(Array.from({ length: 2 * BURST }, (_, n) => guess(100 + n)));
    expect((await banks(CONSUMER_KEY)).status).toBe(200);
  });
});

describe('a key that opens', () => {
  it('takes nothing of its address', async () => {
    const opened = await codes(
      Array.from({ length: 3 * BURST }, (_, n) => (n % 2 ? CONSUMER_KEY : OTHER_CONSUMER_KEY)),
    );
    expect(new Set(opened)).toEqual(new Set([200]));
    const left = (await banks(guess(1))).headers['ratelimit'];
    expect(left).toBe(`"failed-auth";r=${String(BURST - 1)};t=1`);
  });
});
