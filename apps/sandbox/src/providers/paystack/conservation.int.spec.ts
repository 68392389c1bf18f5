import { afterEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { NUMBERS } from './behaviour/numbers.js';
import { HOUR_MS, MINUTE_MS, referenceOf, RunningPaystack, transferTo } from './simulator.spec-support.js';

const DIGITS = [...Object.keys(NUMBERS), '1234', '5555'];
const CONCLUSIVE = ['success', 'failed', 'reversed', 'abandoned', 'blocked', 'rejected'];

type Act =
  | { readonly kind: 'pay'; readonly digits: string; readonly amount: number }
  | { readonly kind: 'again' | 'release' | 'pay now' | 'fail' | 'reverse'; readonly which: number }
  | { readonly kind: 'clock'; readonly ms: number }
  | { readonly kind: 'top up'; readonly minor: number }
  | { readonly kind: 'approval'; readonly isAsked: boolean }
  | { readonly kind: 'restart' };

const steering = fc.record({
  kind: fc.constantFrom('again' as const, 'release' as const, 'pay now' as const, 'fail' as const, 'reverse' as const),
  which: fc.nat(1_000),
});
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('pay' as const),
      digits: fc.constantFrom(...DIGITS),
      amount: fc.integer({ min: 1, max: 900_000 }),
    }),
  },
  { weight: 4, arbitrary: steering },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('clock' as const), ms: fc.nat(20 * MINUTE_MS) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('top up' as const), minor: fc.integer({ min: -200_000, max: 200_000 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('approval' as const), isAsked: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
);

describe('the money of Paystack', () => {
  let paystack: RunningPaystack;
  afterEach(() => paystack.remove());

  /** Opened and topped up is what is left, set aside, paid and charged; and each sum is that of the transfers. */
  function expectConserved(): void {
    const { transfers, balances } = paystack.control.book() as {
      transfers: { amount: number; status: string; payments: { reversed: boolean }[] }[];
      balances: ReturnType<RunningPaystack['control']['balances']>;
    };
    for (const { opened, toppedUp, balance, reserved, paid, fees } of balances)
      expect(BigInt(opened) + BigInt(toppedUp)).toBe(
        [balance, reserved, paid, fees].reduce((sum, part) => sum + BigInt(part), 0n),
      );
    const total = (of: 'paid' | 'reserved') => balances.reduce((sum, one) => sum + BigInt(one[of]), 0n);
    const standing = transfers.flatMap(({ amount, payments }) =>
      payments.filter(({ reversed }) => !reversed).map(() => BigInt(amount)),
    );
    expect(total('paid')).toBe(standing.reduce((sum, amount) => sum + amount, 0n));
    const underWay = transfers.filter(({ status, payments }) => !CONCLUSIVE.includes(status) && payments.length === 0);
    expect(total('reserved')).toBe(underWay.reduce((sum, { amount }) => sum + BigInt(amount) + 30n, 0n));
  }

  async function perform(acts: readonly Act[]): Promise<void> {
    const sent: { reference: string; digits: string; amount: number }[] = [];
    const pay = async ({ reference, digits, amount }: (typeof sent)[number]): Promise<void> => {
      // Some connections break: that is what their numbers do.
      const recipient = await paystack.recipient(digits).catch(() => null);
      if (recipient === null) return;
      await paystack.call('POST', '/transfer', { ...transferTo(recipient, reference), amount }).catch(() => null);
    };
    const steer = (which: number, action: 'release' | 'pay' | 'fail' | 'reverse') =>
      paystack.control.steer(sent[which % sent.length]?.reference ?? '', action);
    for (const [step, one] of acts.entries()) {
      if (one.kind === 'pay') {
        const next = { reference: referenceOf(`step ${step}`), digits: one.digits, amount: one.amount };
        sent.push(next);
        await pay(next);
      } else if (one.kind === 'again') {
        const known = sent[one.which % sent.length];
        if (known !== undefined) await pay(known);
      } else if (one.kind === 'clock') await paystack.control.moveClock(one.ms);
      else if (one.kind === 'top up') await paystack.control.topUp('NGN', BigInt(one.minor));
      else if (one.kind === 'approval') paystack.control.setApprovalUrl(one.isAsked ? paystack.listener.url : null);
      else if (one.kind === 'restart') await paystack.restart();
      else await steer(one.which, one.kind === 'pay now' ? 'pay' : one.kind);
      expectConserved();
    }
  }

  it('is never created or lost', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 20, maxLength: 60 }), async (acts) => {
        paystack = await RunningPaystack.start({
          openingMinor: 20_000_000n,
          holdMs: 1,
          feesMinor: { default: 30n },
          webhooks: { url: null },
        });
        await perform(acts);
        await paystack.control.moveClock(24 * HOUR_MS);
        expectConserved();
        const before = paystack.control.balances();
        await paystack.restart();
        expect(paystack.control.balances()).toEqual(before);
        await paystack.remove();
      }),
      { seed: 20_261_128, numRuns: 8, endOnFailure: true },
    );
  });

  it('is paid once for a reference, however often it is asked for', async () => {
    paystack = await RunningPaystack.start({ holdMs: 1, webhooks: { url: null } });
    for (const digits of DIGITS) {
      const ask = () => paystack.pay(digits).catch(() => null);
      await Promise.all([ask(), ask(), ask()]);
      await ask();
    }
    await paystack.control.moveClock(24 * HOUR_MS);
    for (const digits of DIGITS)
      expect([digits, paystack.control.payments(referenceOf(digits)).length <= 1]).toEqual([digits, true]);
  });
});
