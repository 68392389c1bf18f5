import { describe, expect, it } from '@jest/globals';
import { TokenBuckets } from '@vuka/http';
import { ManualClock } from '@vuka/runtime';

import { OPERATIONS } from '../public-operations.js';
import { sourceOf } from './rate-limits-source.js';
import { RateLimits, type GatewayRates } from './rate-limits.js';

const RATES: GatewayRates = {
  partner: { ratePerS: 100, burst: 3 },
  lookups: { ratePerS: 5, burst: 2 },
  failedAuth: { ratePerS: 10, burst: 1 },
};

function setUp(rates = RATES) {
  const limits = new RateLimits({ rateLimits: rates }, new TokenBuckets(new ManualClock(new Date(0))));
  const allowed = async (partnerId: number, operation: keyof typeof OPERATIONS) =>
    (await limits.countRequest(partnerId, OPERATIONS[operation]))?.taken.allowed;
  const failed = async (address: string) => (await limits.countFailedKey(address))?.taken.allowed;
  return { limits, allowed, failed };
}

describe('rate limits', () => {
  it('count a partner’s requests together, and its lookups of names instead among themselves', async () => {
    const { allowed } = setUp();
    for (const operation of ['disburse', 'status', 'accountDetail'] as const)
      expect(await allowed(1, operation)).toBe(true);
    expect(await allowed(1, 'banks')).toBe(false);
    expect([await allowed(1, 'validation'), await allowed(1, 'validation'), await allowed(1, 'validation')]).toEqual([
      true,
      true,
      false,
    ]);
    expect([await allowed(2, 'banks'), await allowed(2, 'validation')]).toEqual([true, true]);
  });

  it('count failed keys by where they came from', async () => {
    const { failed } = setUp();
    expect([await failed('192.0.2.1'), await failed('::ffff:192.0.2.1'), await failed('192.0.2.2')]).toEqual([
      true,
      false,
      true,
    ]);
    expect([
      await failed('2001:db8::1'),
      await failed('2001:db8:0:0:ffff::9'),
      await failed('2001:db8:0:1::1'),
    ]).toEqual([true, false, true]);
  });

  it('say what was counted where', async () => {
    const { limits } = setUp();
    expect(await limits.countRequest(1, OPERATIONS.status)).toEqual({
      policy: { name: 'partner', ratePerS: 100, burst: 3 },
      taken: { allowed: true, remaining: 2, resetS: 1, retryAfterS: 0 },
    });
    expect((await limits.countFailedKey(undefined))?.policy.name).toBe('failed-auth');
  });

  it('count nothing where they are off', async () => {
    const { limits } = setUp({ ...RATES, partner: null, failedAuth: null });
    expect(await limits.countRequest(1, OPERATIONS.status)).toBeNull();
    expect(await limits.countFailedKey('192.0.2.1')).toBeNull();
    expect((await limits.countRequest(1, OPERATIONS.validation))?.policy.name).toBe('lookups');
  });
});

describe('source of a request', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:1:02:ffff::', '2001:db8:1:2::/64'],
    ['2001:db8::', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['1::5:6:7:8', '1:0:0:0::/64'],
    ['1:2:3:4:5:6:7::', '1:2:3:4::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    ['1:2:3:4:5:6:192.0.2.1', '1:2:3:4::/64'],
    ['no address', 'no address'],
    [undefined, ''],
  ])('%s counts among %s', (address, source) => {
    expect(sourceOf(address)).toBe(source);
  });
});
