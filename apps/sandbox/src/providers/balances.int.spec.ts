import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sandboxProvider, type BalancesAnswer } from '@vuka/payouts';

import { type ProfileId, PROFILES } from './book/provider-profile.js';
import { RunningProvider } from './running-provider.spec-support.js';

let simulator: RunningProvider;
afterEach(() => simulator.remove());

const providerOf = (profile: ProfileId): ReturnType<typeof sandboxProvider> =>
  sandboxProvider({
    baseUrl: simulator.baseUrl,
    credential: (simulator.headers['authorization'] ?? '').replace('Bearer ', ''),
    profile,
  });

const told = (currency: string, minor: bigint): object => ({
  wallet: 'main',
  amount: { currency, minor },
  at: expect.any(Date),
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
    simulator = await RunningProvider.start({ profile });
  });

  it('is what came back minus what was paid, without open and failed payments', async () => {
    expect(await balances(profile)).toEqual({ outcome: 'told', balances: [] });
    for (const [id, number] of [
      ['a', '7890'],
      ['b', '0004'],
      ['c', '0001'],
      ['d', '0005'],
      ['e', '0008'],
    ] as const)
      expect((await simulator.submit(id, `011012${number}`)).status).toBe(202);
    expect(await balances(profile)).toEqual({ outcome: 'told', balances: [told('KES', 0n)] });
    simulator.nowMs += 1_000;
    expect(await balances(profile)).toEqual({
      outcome: 'told',
      balances: [told('KES', -30_000n)],
    });
    // One was reversed, one paid twice.
    simulator.nowMs += 60_000;
    expect(await balances(profile)).toEqual({
      outcome: 'told',
      balances: [told('KES', -30_000n)],
    });
    await simulator.call('POST', '/v1/control/payouts/a/pay', {});
    expect(await balances(profile)).toEqual({
      outcome: 'told',
      balances: [told('KES', -40_000n)],
    });
  });

  it('falls when it pays, as its rules say, and not when it accepts', async () => {
    const provider = providerOf(profile);
    try {
      await simulator.submit('a', '0110127890');
      const accepted = await provider.balances();
      simulator.nowMs += 1_000;
      expect([provider.balanceRules, accepted, await provider.balances()]).toEqual([
        { holdsOpening: false },
        { outcome: 'told', balances: [told('KES', 0n)] },
        { outcome: 'told', balances: [told('KES', -10_000n)] },
      ]);
    } finally {
      await provider.close();
    }
  });

  it('is in minor units of its currency', async () => {
    for (const currency of ['UGX', 'NGN'])
      await simulator.call('POST', '/v1/payouts', {
        id: currency,
        amount: '1500',
        currency,
        recipient: { kind: 'till', shortcode: '5127890' },
        narration: '',
      });
    simulator.nowMs += 2_000;
    expect(await balances(profile)).toEqual({
      outcome: 'told',
      balances: [told('NGN', -150_000n), told('UGX', -1_500n)],
    });
  });
});
