import { afterEach, describe, expect, it } from '@jest/globals';
import { atDepth, drawn } from '@vuka/testing';

import { TwoProviders } from './two-providers.spec-support.js';

/**
 * pawaPay, the first way of Ghana's phones, misbehaves while payouts are under way, and gets well again. The books of
 * both simulators are the judge, after every round.
 */
const LOAD = atDepth({ commit: 64, whole: 300 });
/** Of calls that each wait for their bound, or need no crowd. */
const SMALL_LOAD = atDepth({ commit: 24, whole: 100 });
const EACH_ROUND = atDepth({ commit: 2, whole: 12 });
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const ROUND_MS = 10 * SECOND_MS;
const A_MINUTE = MINUTE_MS / ROUND_MS;
/** One payment in ten seconds tries a corridor that is ill. */
const probesOf = (rounds: number): number => (rounds * ROUND_MS) / 10_000 + 1;
const LIMIT_MS = 180_000;

let two: TwoProviders;
afterEach(() => two.stop());

interface Trouble {
  readonly name: string;
  readonly load: number;
  begin(): void | Promise<void>;
  end(): void | Promise<void>;
  /** People are told of it so. */
  readonly alarm: string;
  /** What waits for people in the end, because the provider's answers contradict what was sent. */
  readonly mayBeHeld: boolean;
}
const line = (): TwoProviders['lines']['pawapay'] => two.lines.pawapay;
const behaves = (trouble: 'late' | 'lying' | 'refused'): Pick<Trouble, 'begin' | 'end'> => ({
  begin: () => void (line().trouble = trouble),
  end: () => void (line().trouble = 'none'),
});

const TROUBLES: readonly Trouble[] = [
  {
    name: 'goes away with a third of them in its hands',
    load: LOAD,
    begin: () => void (line().diesAfter = Math.floor(LOAD / 3)),
    end: async () => void (await line().start()),
    alarm: 'corridor_unhealthy',
    mayBeHeld: false,
  },
  {
    name: 'answers about other payouts and with other amounts',
    load: SMALL_LOAD,
    ...behaves('lying'),
    alarm: 'corridor_unhealthy',
    mayBeHeld: true,
  },
  {
    name: 'answers when nobody waits any more',
    load: SMALL_LOAD,
    ...behaves('late'),
    alarm: 'corridor_unhealthy',
    mayBeHeld: false,
  },
  {
    name: 'refuses our credential',
    load: SMALL_LOAD,
    ...behaves('refused'),
    alarm: 'provider_config_refused',
    mayBeHeld: false,
  },
];

/** Rounds with new payouts in each. Resolves with their ids. */
async function traffic(rounds: number): Promise<number[]> {
  const ids: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    ids.push(...(await two.acceptHonest('GHS', EACH_ROUND)));
    await two.round(ROUND_MS);
  }
  return ids;
}

const endsBy = async (ids: readonly number[], end: string): Promise<number> =>
  (await two.ends(ids)).filter((one) => one === end).length;

describe('a first way that misbehaves with payouts under way', () => {
  it.each(drawn('troubles of a provider', TROUBLES, 1))(
    '$name: no payout is paid twice, new ones go the second way, and come back',
    async ({ load, begin, end, alarm, mayBeHeld }) => {
      two = await TwoProviders.start('pawapay', 'paystack');
      // Some have been taken and not told of yet.
      await two.acceptHonest('GHS', Math.floor(load / 4));
      await two.round(0);
      await two.acceptHonest('GHS', load);
      await begin();
      await traffic(A_MINUTE);
      const minuteLater = await traffic(3);
      await two.round(ROUND_MS);
      const byOthers = await endsBy(minuteLater, 'COMPLETE by paystack');
      expect(byOthers).toBeGreaterThanOrEqual(minuteLater.length - probesOf(3));
      expect(two.told(alarm, 'pawapay')).toBeGreaterThan(0);

      await end();
      await traffic(A_MINUTE + 1);
      const wellAgain = await traffic(2);
      await two.round(ROUND_MS);
      expect(await endsBy(wellAgain, 'COMPLETE by pawapay')).toBe(wellAgain.length);
      // It changes sides once, and back once.
      const timesIll = two.told('corridor_unhealthy', 'pawapay');
      expect(timesIll).toBeLessThanOrEqual(1);
      expect(two.told('a corridor is well again', 'pawapay')).toBe(timesIll);

      await two.rounds(12, 5 * MINUTE_MS);
      const all = await two.outcomes();
      const states = new Set(all.map(({ state }) => state));
      if (mayBeHeld) states.delete('REVIEW');
      expect([...states]).toEqual(['COMPLETE']);
      // What is held is not paid by anybody else.
      for (const { state, attempts } of all)
        if (state === 'REVIEW') expect(attempts.map(({ provider }) => provider)).toEqual(['pawapay']);
      if (mayBeHeld) return;
      const { booked, posted } = await two.sums('GHS');
      expect(posted).toEqual(booked);
    },
    LIMIT_MS,
  );
});
