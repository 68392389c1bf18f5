import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '@vuka/runtime';
import type { KeyPeppers } from '@vuka/service-host';

import { CONSUMER_KEY, PEPPER, storedKey } from '../testing/gateway.spec-support.js';
import { type HashedKey, hashApiKey, isKeyOf, parseApiKey } from './api-key.js';
import { AuthenticateCaller, MOST_STRANGERS_WAITING, type Caller } from './authenticate-caller.js';
import type { StoredKey } from './keys.store.js';

const authenticating = (
  clock: ManualClock,
  findKey: (prefix: string) => Promise<StoredKey | null>,
  livePrefixes: () => Promise<string[]> = async () => [],
): AuthenticateCaller => new AuthenticateCaller({ env: 'sandbox' }, PEPPER, clock, { findKey, livePrefixes });

/** As partners are told: no difference. */
async function opened(authenticate: AuthenticateCaller, header: string | string[] | undefined): Promise<Caller | null> {
  const caller = await authenticate.run(header);
  return caller.ok ? caller.value : null;
}

function setUp(keys: Map<string, StoredKey> = new Map([storedKey(CONSUMER_KEY, 1)])): {
  clock: ManualClock;
  keys: Map<string, StoredKey>;
  loads: string[];
  authenticate: AuthenticateCaller;
} {
  const clock = new ManualClock(new Date('2026-01-01T00:00:00Z'));
  const loads: string[] = [];
  const loadKey = async (prefix: string): Promise<StoredKey | null> => {
    loads.push(prefix);
    return keys.get(prefix) ?? null;
  };
  return {
    clock,
    keys,
    loads,
    authenticate: authenticating(clock, loadKey),
  };
}

const unknownKey = (n: number): string => `vk_test_consumer_u${String(n)}_AAAAAAAAAAAAAAAAAAAAAAAA`;

describe('a new pepper', () => {
  const newer = { id: 'p2', key: Buffer.alloc(32, 8) };
  const opens = (peppers: KeyPeppers, stored: HashedKey): boolean => isKeyOf(CONSUMER_KEY, stored, peppers);

  it('hashes new keys, while those of older ones open until theirs is gone', () => {
    const both = [newer, ...PEPPER];
    const [before, after] = [hashApiKey(CONSUMER_KEY, PEPPER), hashApiKey(CONSUMER_KEY, both)];
    expect([before.pepper, after.pepper]).toEqual(['p1', 'p2']);
    expect(after.hash).not.toEqual(before.hash);
    expect([opens(both, before), opens(both, after)]).toEqual([true, true]);
    expect([opens([newer], before), opens([newer], after)]).toEqual([false, true]);
    // Named by another pepper than the one it is hashed with, it opens nothing.
    expect(opens(both, { ...before, pepper: 'p2' })).toBe(false);
    expect(isKeyOf(`${CONSUMER_KEY}A`, after, both)).toBe(false);
  });
});

describe('API keys', () => {
  it('takes a key apart at its secret', () => {
    expect(parseApiKey('vk_live_checkout_a-1_abc_def-0123456789')).toEqual({
      environment: 'live',
      kind: 'checkout',
      visiblePrefix: 'vk_live_checkout_a-1',
    });
  });

  it.each([
    '',
    'vk_test_consumer_',
    'vk_test_admin_1_AAAAAAAAAAAAAAAA',
    'vk_test_consumer_1_short',
    `vk_test_consumer_1_${'a'.repeat(129)}`,
    ` ${CONSUMER_KEY}`,
    `${CONSUMER_KEY}\n`,
  ])('refuses %j', (text) => {
    expect(parseApiKey(text)).toBeNull();
  });
});

describe('authentication', () => {
  it('loads a key once in five seconds, however many ask', async () => {
    const { authenticate, clock, loads } = setUp();
    const callers = await Promise.all(Array.from({ length: 50 }, () => opened(authenticate, CONSUMER_KEY)));
    expect(callers.every((caller) => caller?.partnerId === 1)).toBe(true);
    clock.advance(4_999);
    await opened(authenticate, CONSUMER_KEY);
    expect(loads).toHaveLength(1);
    clock.advance(1);
    await opened(authenticate, CONSUMER_KEY);
    expect(loads).toHaveLength(2);
  });

  it('checks expiry at each use, cached or not', async () => {
    const expiresAt = new Date('2026-01-01T00:00:02Z');
    const { authenticate, clock } = setUp(new Map([storedKey(CONSUMER_KEY, 1, { expiresAt })]));
    expect(await opened(authenticate, CONSUMER_KEY)).not.toBeNull();
    clock.advance(2_000);
    expect(await opened(authenticate, CONSUMER_KEY)).toBeNull();
  });

  it('caches nothing for more than five seconds, even if the clock is changed', async () => {
    const { authenticate, clock, keys } = setUp();
    await opened(authenticate, CONSUMER_KEY);
    keys.set(...storedKey(CONSUMER_KEY, 1, { revokedAt: clock.now() }));
    clock.advance(4_000);
    clock.set(new Date('2026-01-01T00:00:01Z'));
    expect(await opened(authenticate, CONSUMER_KEY)).not.toBeNull();
    clock.advance(1_000);
    expect(await opened(authenticate, CONSUMER_KEY)).toBeNull();
  });

  it('treats a revoked key as revoked, whatever its own clock says', async () => {
    const { authenticate } = setUp(
      new Map([storedKey(CONSUMER_KEY, 1, { revokedAt: new Date('2026-01-01T00:01:00Z') })]),
    );
    expect(await opened(authenticate, CONSUMER_KEY)).toBeNull();
  });

  it('measures the age of an answer from before the question', async () => {
    const { clock } = setUp();
    let answer: (key: StoredKey | null) => void = () => undefined;
    let loads = 0;
    const loadKey = (): Promise<StoredKey | null> => {
      loads += 1;
      return new Promise((resolve) => {
        answer = resolve;
      });
    };
    const authenticate = authenticating(clock, loadKey);
    const first = opened(authenticate, CONSUMER_KEY);
    clock.advance(1_900);
    answer(storedKey(CONSUMER_KEY, 1)[1]);
    expect(await first).not.toBeNull();
    clock.advance(3_099);
    await opened(authenticate, CONSUMER_KEY);
    expect(loads).toBe(1);
    clock.advance(1);
    const again = opened(authenticate, CONSUMER_KEY);
    answer(null);
    expect(await again).toBeNull();
  });

  it('drops answers that were asked for before a local change', async () => {
    const { clock } = setUp();
    const answers: ((key: StoredKey | null) => void)[] = [];
    const loadKey = (): Promise<StoredKey | null> =>
      new Promise((resolve) => {
        answers.push(resolve);
      });
    const authenticate = authenticating(clock, loadKey);
    const before = opened(authenticate, CONSUMER_KEY);
    const [prefix, key] = storedKey(CONSUMER_KEY, 1);
    authenticate.forget(prefix);
    const after = opened(authenticate, CONSUMER_KEY);
    answers[0]?.(null);
    expect(await before).toBeNull();
    answers[1]?.(key);
    expect((await after)?.partnerId).toBe(1);
    expect((await opened(authenticate, CONSUMER_KEY))?.partnerId).toBe(1);
    expect(answers).toHaveLength(2);
  });

  it('remembers an unknown key for only a second, so a new key works soon', async () => {
    const { authenticate, clock, keys, loads } = setUp(new Map());
    await opened(authenticate, CONSUMER_KEY);
    await opened(authenticate, CONSUMER_KEY);
    expect(loads).toHaveLength(1);
    keys.set(...storedKey(CONSUMER_KEY, 7));
    clock.advance(1_000);
    expect((await opened(authenticate, CONSUMER_KEY))?.partnerId).toBe(7);
  });

  it('does not let guessed keys push out real ones, and remembers a limited number of them', async () => {
    const { authenticate, loads } = setUp();
    await opened(authenticate, CONSUMER_KEY);
    for (let n = 0; n <= 10_000; n++) await opened(authenticate, unknownKey(n));
    loads.length = 0;
    await opened(authenticate, CONSUMER_KEY);
    await opened(authenticate, unknownKey(10_000));
    expect(loads).toEqual([]);
    await opened(authenticate, unknownKey(0));
    expect(loads).toEqual(['vk_test_consumer_u0']);
  });

  it('does not look up text that cannot be a key of this environment', async () => {
    const { authenticate, loads } = setUp();
    for (const header of [
      undefined,
      '',
      'x',
      [CONSUMER_KEY],
      CONSUMER_KEY.replace('test', 'live'),
      `${CONSUMER_KEY}, ${CONSUMER_KEY}`,
    ]) {
      expect(await opened(authenticate, header)).toBeNull();
    }
    expect(loads).toEqual([]);
  });

  it('separates an outage from an invalid key, and does not cache it', async () => {
    const { clock } = setUp();
    let fail = true;
    const authenticate = authenticating(clock, async () => {
      if (fail) throw new Error('database down');
      return storedKey(CONSUMER_KEY, 1)[1];
    });
    await expect(opened(authenticate, CONSUMER_KEY)).rejects.toThrow('database down');
    fail = false;
    expect((await opened(authenticate, CONSUMER_KEY))?.partnerId).toBe(1);
  });

  it('looks up two never-valid keys at a time, in turn, and never delays a key that was valid', async () => {
    const asked: string[] = [];
    const answers: (() => void)[] = [];
    let held = false;
    const loadKey = (prefix: string): Promise<StoredKey | null> => {
      asked.push(prefix);
      const key = CONSUMER_KEY.startsWith(prefix) ? storedKey(CONSUMER_KEY, 1)[1] : null;
      return held ? new Promise((resolve) => answers.push(() => resolve(key))) : Promise.resolve(key);
    };
    const { clock } = setUp();
    const authenticate = authenticating(clock, loadKey);
    await opened(authenticate, CONSUMER_KEY);
    clock.advance(5_000);
    held = true;
    asked.length = 0;
    const guesses = Array.from({ length: 5 }, (_, n) => opened(authenticate, unknownKey(n)));
    const known = opened(authenticate, CONSUMER_KEY);
    expect(asked).toEqual(['vk_test_consumer_u0', 'vk_test_consumer_u1', 'vk_test_consumer_p1']);
    answers[2]?.();
    expect((await known)?.partnerId).toBe(1);
    held = false;
    answers[0]?.();
    answers[1]?.();
    expect(await Promise.all(guesses)).toEqual([null, null, null, null, null]);
    expect(asked.slice(3)).toEqual(['vk_test_consumer_u2', 'vk_test_consumer_u3', 'vk_test_consumer_u4']);
  });

  it('continues with the waiting keys after an outage', async () => {
    const { clock } = setUp();
    const authenticate = authenticating(clock, () => Promise.reject(new Error('database down')));
    for (let round = 0; round < 3; round++) {
      const all = await Promise.allSettled([1, 2, 3, 4].map((n) => opened(authenticate, unknownKey(n))));
      expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'rejected']);
    }
  });

  it('tells operators why a key does not open', async () => {
    const expiresAt = new Date('2025-12-31T00:00:00Z');
    const { authenticate, keys } = setUp();
    const other = (n: number): string => CONSUMER_KEY.replace('p1', `k${String(n)}`);
    keys.set(...storedKey(other(1), 1, { revokedAt: expiresAt }));
    keys.set(...storedKey(other(2), 1, { expiresAt }));
    const headers = [
      undefined, '', 'x', [CONSUMER_KEY], CONSUMER_KEY.replace('test', 'live'), unknownKey(1), `${CONSUMER_KEY}x`, other(1), other(2),
    ]; // prettier-ignore
    const told = await Promise.all(headers.map(async (header) => authenticate.run(header)));
    expect(told.map((each) => (each.ok ? '' : each.error))).toEqual([
      'missing', 'missing', 'malformed', 'malformed', 'other_environment', 'unknown', 'wrong_secret', 'revoked', 'expired',
    ]); // prettier-ignore
  });

  it('has an end of its queue: what comes then is refused at once, and never a key that opened', async () => {
    const { clock } = setUp();
    const answers: (() => void)[] = [];
    let held = false;
    const authenticate = authenticating(clock, (prefix) => {
      const key = CONSUMER_KEY.startsWith(prefix) ? storedKey(CONSUMER_KEY, 1)[1] : null;
      return held ? new Promise((resolve) => answers.push(() => resolve(key))) : Promise.resolve(key);
    });
    await opened(authenticate, CONSUMER_KEY);
    clock.advance(5_000);
    held = true;
    const guesses = Array.from({ length: MOST_STRANGERS_WAITING + 2 }, (_, n) => authenticate.run(unknownKey(n)));
    await expect(authenticate.run(unknownKey(99_999))).rejects.toThrow('too many wait for their turn');
    const known = opened(authenticate, CONSUMER_KEY);
    answers[2]?.();
    expect((await known)?.partnerId).toBe(1);
    held = false;
    answers[0]?.();
    answers[1]?.();
    expect(new Set((await Promise.all(guesses)).map(({ ok }) => ok))).toEqual(new Set([false]));
  });

  it('finds a key that there is past a full queue, though it never opened here', async () => {
    const { clock } = setUp();
    const live = CONSUMER_KEY.replace(/_[^_]*$/, '');
    const held: (() => void)[] = [];
    let holds = true;
    const authenticate = authenticating(
      clock,
      async (prefix) => {
        if (prefix === live) return storedKey(CONSUMER_KEY, 1)[1];
        return holds ? new Promise((resolve) => held.push(() => resolve(null))) : null;
      },
      async () => [live],
    );
    const guesses = Array.from({ length: MOST_STRANGERS_WAITING + 2 }, (_, n) => authenticate.run(unknownKey(n)));
    expect((await opened(authenticate, CONSUMER_KEY))?.partnerId).toBe(1);
    await expect(authenticate.run(unknownKey(99_999))).rejects.toThrow('too many wait for their turn');
    holds = false;
    for (const answer of held) answer();
    expect(new Set((await Promise.all(guesses)).map(({ ok }) => ok))).toEqual(new Set([false]));
  });

  it('knows, once it has learned, which keys there are: after a restart they wait behind no guesses', async () => {
    const { clock } = setUp();
    let listed = 0;
    const live = [CONSUMER_KEY.replace(/_[^_]*$/, '')];
    const held: (() => void)[] = [];
    const authenticate = authenticating(
      clock,
      async (prefix) => {
        if (live.includes(prefix)) return storedKey(CONSUMER_KEY, 1)[1];
        return new Promise((resolve) => held.push(() => resolve(null)));
      },
      async () => {
        listed += 1;
        return live;
      },
    );
    expect([authenticate.isStranger(CONSUMER_KEY), authenticate.isStranger(unknownKey(1))]).toEqual([true, true]);
    expect([authenticate.isStranger('x'), authenticate.isStranger(undefined)]).toEqual([false, false]);
    await Promise.all(Array.from({ length: 50 }, () => authenticate.learn()));
    expect(listed).toBe(1);
    expect([authenticate.isStranger(CONSUMER_KEY), authenticate.isStranger(unknownKey(1))]).toEqual([false, true]);
    const guesses = [1, 2, 3].map((n) => opened(authenticate, unknownKey(n)));
    expect((await opened(authenticate, CONSUMER_KEY))?.partnerId).toBe(1);
    for (let n = 0; n < 3; n++) {
      held[n]?.();
      await guesses[n];
    }
    clock.advance(5_000);
    await authenticate.learn();
    expect(listed).toBe(2);
  });
});
