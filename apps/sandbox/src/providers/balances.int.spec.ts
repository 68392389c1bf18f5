import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sandboxProvider, type BalancesAnswer } from '@vuka/payouts';

import { type ProfileId, PROFILES } from './book/rail-profile.js';
import { RunningRail } from './running-rail.spec-support.js';

let rail: RunningRail;
afterEach(() => rail.remove());

const providerOf = (profile: ProfileId): ReturnType<typeof sandboxProvider> =>
  sandboxProvider({
    baseUrl: rail.baseUrl,
    credential: (rail.headers['authorization'] ?? '').replace('Bearer ', ''),
    profile,
  });

async function balances(profile: ProfileId): Promise<BalancesAnswer> {
  const provider = providerOf(profile);
  try {
    return await provider.balances();
  } finally {
    await provider.close();
  }
}

describe.each(Object.keys(PROFILES) as ProfileId[])('the balance of %s', (profile) => {
  beforeEach(async () => {
    rail = await RunningRail.start({ profile });
  });

  it('is what came back less what was paid, and nothing of what is in process or failed', async () => {
    expect(await balances(profile)).toEqual({ outcome: 'told', balances: [] });
    for (const [id, number] of [
      ['a', '7890'],
      ['b', '0004'],
      ['c', '0001'],
      ['d', '0005'],
      ['e', '0008'],
    ] as const)
      expect((await rail.submit(id, `011012${number}`)).status).toBe(202);
    expect(await balances(profile)).toEqual({ outcome: 'told', balances: [{ currency: 'KES', minor: 0n }] });
    rail.nowMs += 1_000;
    expect(await balances(profile)).toEqual({
      outcome: 'told',
      balances: [{ currency: 'KES', minor: -30_000n }],
    });
    // One has come back, one was paid again.
    rail.nowMs += 60_000;
    expect(await balances(profile)).toEqual({
      outcome: 'told',
      balances: [{ currency: 'KES', minor: -30_000n }],
    });
    await rail.call('POST', '/v1/control/payouts/a/pay', {});
    expect(await balances(profile)).toEqual({
      outcome: 'told',
      balances: [{ currency: 'KES', minor: -40_000n }],
    });
  });

  it('falls when it pays, as its rules say, and not when it accepts', async () => {
    const provider = providerOf(profile);
    try {
      await rail.submit('a', '0110127890');
      const accepted = await provider.balances();
      rail.nowMs += 1_000;
      expect([provider.balanceRules, accepted, await provider.balances()]).toEqual([
        { debitsOnAcceptance: false, holdsOpening: false },
        { outcome: 'told', balances: [{ currency: 'KES', minor: 0n }] },
        { outcome: 'told', balances: [{ currency: 'KES', minor: -10_000n }] },
      ]);
    } finally {
      await provider.close();
    }
  });

  it('is in minor units of its currency', async () => {
    for (const currency of ['UGX', 'NGN'])
      await rail.call('POST', '/v1/payouts', {
        id: currency,
        amount: '1500',
        currency,
        recipient: { kind: 'till', shortcode: '5127890' },
        narration: '',
      });
    rail.nowMs += 2_000;
    expect(await balances(profile)).toEqual({
      outcome: 'told',
      balances: [
        { currency: 'NGN', minor: -150_000n },
        { currency: 'UGX', minor: -1_500n },
      ],
    });
  });
});
