import { afterEach, describe, expect, it } from '@jest/globals';

import { hundredths } from './data/amount.js';
import { NUMBERS } from './behaviour/numbers.js';
import { type Action, ACTIONS } from './control/control.js';
import { MINUTE_MS, refOf, RunningChapa, transferTo } from './simulator.spec-support.js';

const STEPS = 120;
const CHARGE = 250n;

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

interface Booked {
  readonly reference: string;
  readonly amount: string;
  readonly status: string;
  readonly payments: readonly { readonly amount: string; readonly reversed: boolean }[];
}

describe('the money of Chapa', () => {
  let chapa: RunningChapa;
  afterEach(() => chapa.remove());

  /** Opened and topped up is what is left, set aside, paid and charged; and each sum is that of the transfers. */
  function expectConserved(): void {
    const { transfers, account } = chapa.control.book() as {
      transfers: Booked[];
      account: ReturnType<RunningChapa['control']['account']>;
    };
    const { opened, toppedUp, available, reserved, paid, charges } = account;
    expect(signed(opened) + signed(toppedUp)).toBe(
      signed(available) + signed(reserved) + signed(paid) + signed(charges),
    );
    const standing = transfers.flatMap(({ payments }) => payments.filter(({ reversed }) => !reversed));
    expect(signed(paid)).toBe(standing.reduce((sum, { amount }) => sum + hundredths(amount), 0n));
    expect(signed(charges)).toBe(BigInt(standing.length) * CHARGE);
    const underWay = transfers.filter(
      ({ status, payments }) => ['pending', 'queued', 'UNHEARD_OF'].includes(status) && payments.length === 0,
    );
    expect(signed(reserved)).toBe(underWay.reduce((sum, { amount }) => sum + hundredths(amount) + CHARGE, 0n));
  }

  it.each([1, 20_261_121, 987_654_321])('is never created or lost (seed %s)', async (seed) => {
    chapa = await RunningChapa.start({
      opening: '60000.00',
      holdMs: 1,
      chargeHundredths: CHARGE,
      webhooks: { url: null },
      repeats: seed % 2 === 0 ? 'refused' : 'paid_again',
    });
    const next = numbersFrom(seed);
    const digits = [...Object.keys(NUMBERS), '1234', '5555'];
    const references: string[] = [];
    const any = () => references[next(references.length)] ?? 'none';
    const pay = (reference: string) => {
      const body = {
        ...transferTo(digits[next(digits.length)] ?? '1234', reference),
        amount: `${1 + next(4_000)}.${10 + next(90)}`,
      };
      if (next(5) === 0) chapa.questions.statuses.push(400);
      // Some connections break: that is what their numbers do.
      return chapa.call('POST', '/v1/transfers', body).catch(() => null);
    };
    const acts: (() => Promise<unknown>)[] = [
      () => pay(any()),
      () => chapa.control.moveClock(next(20 * MINUTE_MS)),
      () => chapa.control.steer(any(), ACTIONS[next(ACTIONS.length)] as Action),
      () => chapa.control.topUp(BigInt(next(400_000) - 200_000)),
      () => (next(6) === 0 ? chapa.restart() : Promise.resolve()),
    ];
    for (let step = 0; step < STEPS; step += 1) {
      if (next(2) === 0) {
        references.push(refOf(`${seed} ${step}`));
        await pay(references.at(-1) as string);
      } else await acts[next(acts.length)]?.();
      expectConserved();
    }
    await chapa.control.moveClock(48 * 60 * MINUTE_MS);
    expectConserved();
    const before = chapa.control.account();
    await chapa.restart();
    expect(chapa.control.account()).toEqual(before);
  });

  it('is paid once for a reference where repeats are refused, however often it is asked for', async () => {
    chapa = await RunningChapa.start({ holdMs: 1, webhooks: { url: null } });
    const all = Object.keys(NUMBERS);
    for (const digits of all) {
      const ask = () => chapa.pay(digits).catch(() => null);
      await Promise.all([ask(), ask(), ask()]);
      await ask();
    }
    await chapa.control.moveClock(24 * 60 * MINUTE_MS);
    await chapa.control.moveClock(24 * 60 * MINUTE_MS);
    const twice = all.filter((digits) => chapa.control.payments(refOf(digits)).length > 1);
    expect(twice).toEqual(['0701', '0703']);
  });

  it('never goes out for what was refused approval', async () => {
    chapa = await RunningChapa.start({ holdMs: 1, webhooks: { url: null } });
    for (const digits of Object.keys(NUMBERS)) {
      chapa.questions.statuses.push(...Array.from({ length: 10 }, () => 400));
      await chapa.pay(digits).catch(() => null);
      await chapa.control.moveClock(11 * MINUTE_MS);
      await chapa.control.moveClock(MINUTE_MS);
      chapa.questions.statuses.length = 0;
    }
    await chapa.control.moveClock(48 * 60 * MINUTE_MS);
    const paid = Object.keys(NUMBERS).filter((digits) => chapa.control.payments(refOf(digits)).length > 0);
    expect(paid).toEqual(['0601', '0612']);
  });
});

function signed(text: string): bigint {
  return text.startsWith('-') ? -hundredths(text.slice(1)) : hundredths(text);
}
