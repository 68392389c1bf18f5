import { afterEach, describe, expect, it } from '@jest/globals';

import { NUMBERS } from './behaviour/numbers.js';
import { hundredths } from './data/amount.js';
import { idOf, MINUTE_MS, payoutTo, RunningPawapay } from './simulator.spec-support.js';

const STEPS = 150;

/** The same numbers for the same seed (mulberry32). */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

describe('the money of pawaPay', () => {
  let pawapay: RunningPawapay;
  afterEach(() => pawapay.remove());

  /** Opened and topped up is what is left, set aside, paid and charged; and each sum is that of the payouts. */
  function expectConserved(): void {
    const { payouts, wallets } = pawapay.control.book() as {
      payouts: { payoutId: string; amount: string; status: string; payments: { reversed: boolean }[] }[];
      wallets: ReturnType<RunningPawapay['control']['wallets']>;
    };
    for (const { opened, toppedUp, balance, reserved, paid, fees } of wallets)
      expect(signed(opened) + signed(toppedUp)).toBe(signed(balance) + signed(reserved) + signed(paid) + signed(fees));
    const total = (of: 'paid' | 'reserved') => wallets.reduce((sum, wallet) => sum + signed(wallet[of]), 0n);
    const standing = payouts.flatMap(({ amount, payments }) =>
      payments.filter(({ reversed }) => !reversed).map(() => hundredths(amount)),
    );
    expect(total('paid')).toBe(standing.reduce((sum, amount) => sum + amount, 0n));
    const underWay = payouts.filter(
      ({ status, payments }) => !['COMPLETED', 'FAILED'].includes(status) && payments.length === 0,
    );
    expect(total('reserved')).toBe(underWay.reduce((sum, { amount }) => sum + hundredths(amount), 0n));
  }

  it.each([1, 20_261_121, 987_654_321])('is never created or lost (seed %s)', async (seed) => {
    pawapay = await RunningPawapay.start({
      opening: '200000.00',
      holdMs: 1,
      fees: { default: { fixedHundredths: 30n, basisPoints: 125n } },
      callbacks: { url: null },
    });
    const next = numbersFrom(seed);
    const digits = [...Object.keys(NUMBERS), '1234', '5555'];
    const ids: string[] = [];
    const anyId = () => ids[next(ids.length)] ?? idOf('none');
    const acts: (() => Promise<unknown>)[] = [
      () => pay(anyId()),
      () => pawapay.control.moveClock(next(20 * MINUTE_MS)),
      () => pawapay.control.steer(anyId(), 'release'),
      () => pawapay.control.steer(anyId(), 'pay'),
      () => pawapay.control.steer(anyId(), 'fail'),
      () => pawapay.call('POST', `/v2/payouts/fail-enqueued/${anyId()}`),
      () => pawapay.control.topUp({ country: 'MWI', currency: 'MWK', provider: '' }, BigInt(next(400_000) - 200_000)),
      () => pawapay.control.setProviderStatus('AIRTEL_MWI', next(2) === 0 ? 'DELAYED' : 'OPERATIONAL'),
      () => (next(8) === 0 ? pawapay.restart() : Promise.resolve()),
    ];
    const pay = (id: string) => {
      const number = digits[next(digits.length)] ?? '1234';
      const body = { ...payoutTo(number, id), amount: `${50 + next(9_000)}.${10 + next(90)}` };
      // Some connections break: that is what their numbers do.
      return pawapay.call('POST', '/v2/payouts', body).catch(() => null);
    };
    for (let step = 0; step < STEPS; step += 1) {
      if (next(2) === 0) {
        ids.push(idOf(`${seed} ${step}`));
        await pay(ids.at(-1) as string);
      } else await acts[next(acts.length)]?.();
      expectConserved();
    }
    await pawapay.control.moveClock(24 * 60 * MINUTE_MS);
    expectConserved();
    const before = pawapay.control.book();
    await pawapay.restart();
    expect(pawapay.control.wallets()).toEqual(before.wallets);
  });

  it('is paid once for an id, however often it is asked for', async () => {
    pawapay = await RunningPawapay.start({ holdMs: 1, callbacks: { url: null } });
    for (const digits of Object.keys(NUMBERS)) {
      const ask = () => pawapay.pay(digits).catch(() => null);
      await Promise.all([ask(), ask(), ask()]);
      await ask();
    }
    await pawapay.control.moveClock(24 * 60 * MINUTE_MS);
    for (const digits of Object.keys(NUMBERS))
      expect([digits, pawapay.control.payments(idOf(digits)).length <= 1]).toEqual([digits, true]);
  });
});

function signed(text: string): bigint {
  return text.startsWith('-') ? -hundredths(text.slice(1)) : hundredths(text);
}
