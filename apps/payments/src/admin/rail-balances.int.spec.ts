import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { money } from '@vuka/domain';
import type { BalanceProvider, BalancesAnswer, RailAnswer } from '@vuka/payouts';

import { AMOUNT, Road, ScriptedRail } from '../testing/payout-road.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { RailBalances, type RailBalanceView } from './rail-balances.js';

const PAID: RailAnswer = {
  outcome: 'succeeded',
  receipt: 'R1',
  publicName: null,
  amount: money(AMOUNT, 'KES'),
  recipient: '1234567890',
};
const NOT_FOUND: RailAnswer = { outcome: 'unknown', detail: 'no such id', notFound: true };
const MISMATCH: RailAnswer = { outcome: 'mismatch', detail: 'another amount' };

/** A rail that says what it holds. */
class TellingRail extends ScriptedRail implements BalanceProvider {
  balanceRules = { debitsOnAcceptance: false, holdsOpening: false };
  answer: BalancesAnswer = { outcome: 'told', balances: [] };
  /** Done while it is being asked. */
  meanwhile: () => Promise<unknown> = () => Promise.resolve();

  async balances(): Promise<BalancesAnswer> {
    await this.meanwhile();
    return this.answer;
  }

  holds(minor: bigint, currency = 'KES'): this {
    this.answer = { outcome: 'told', balances: [{ minor, currency }] };
    return this;
  }
}

let pg: PaymentsDatabase;
beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stopWhole());
beforeEach(() =>
  pg.db.query(
    'truncate entries, postings, attempts, transactions, transitions, holds, accounts, paid_again, incidents cascade',
  ),
);

const road = (...script: RailAnswer[]): { trip: Road; rail: TellingRail } => {
  const rail = new TellingRail(script);
  return { trip: new Road(pg, rail), rail };
};
const read = async (rail: TellingRail): Promise<RailBalanceView | undefined> =>
  (await new RailBalances(pg.db, [rail]).read()).balances.find(({ currency }) => currency === 'KES');
/** The least and the most that the rail may say it holds. */
const mayHold = async (rail: TellingRail): Promise<unknown[]> => {
  const view = await read(rail.holds(0n));
  return [view?.least_minor, view?.most_minor];
};
const bounds = (view: RailBalanceView | undefined): unknown[] => [
  view?.told_minor,
  view?.least_minor,
  view?.most_minor,
];

describe('what a rail holds, against the ledger', () => {
  it('is what it was opened with, less what it paid, to the unit', async () => {
    const { trip, rail } = road(PAID);
    await trip.accepted();
    expect(bounds(await read(rail.holds(0n)))).toEqual([0n, 0n, 0n]);
    await trip.start();
    await trip.call('submit');
    expect(bounds(await read(rail.holds(-AMOUNT)))).toEqual([-AMOUNT, -AMOUNT, -AMOUNT]);
  });

  it('of a rail that knows its opening is all of that', async () => {
    const { trip, rail } = road(PAID);
    rail.balanceRules = { debitsOnAcceptance: true, holdsOpening: true };
    await (await trip.accepted()).start();
    await trip.call('submit');
    const [row] = await pg.db.query<{ minor: string }>(
      `select sum(e.amount_minor)::text as minor from entries e join accounts a on a.id = e.from_account where a.name = 'rail:sandbox:KES'`,
    );
    const opened = BigInt(row?.minor ?? 0);
    expect(opened).toBeGreaterThan(0n);
    expect(bounds(await read(rail.holds(opened - AMOUNT)))).toEqual([
      opened - AMOUNT,
      opened - AMOUNT,
      opened - AMOUNT,
    ]);
  });

  it('leaves open what is under way, and says how much', async () => {
    const { trip, rail } = road({ outcome: 'submitted' }, PAID);
    await (await trip.accepted()).start();
    await trip.call('submit');
    expect(await read(rail.holds(0n))).toMatchObject({
      least_minor: -AMOUNT,
      most_minor: 0n,
      under_way_minor: AMOUNT,
      in_review: 0,
    });
    rail.balanceRules = { ...rail.balanceRules, debitsOnAcceptance: true };
    expect(await read(rail)).toMatchObject({ least_minor: -AMOUNT, most_minor: -AMOUNT, under_way_minor: AMOUNT });
  });

  it('of a rail that debits when it accepts is less by all that it has acknowledged, to the unit', async () => {
    const { trip, rail } = road({ outcome: 'submitted' }, NOT_FOUND, PAID);
    rail.balanceRules = { debitsOnAcceptance: true, holdsOpening: false };
    await (await trip.accepted()).start();
    await trip.call('submit');
    expect(await mayHold(rail)).toEqual([-AMOUNT, -AMOUNT]);
    // It has forgotten the id: what it has acknowledged is debited all the same.
    trip.clock.advance(10_000);
    await trip.call('poll');
    expect(await mayHold(rail)).toEqual([-AMOUNT, -AMOUNT]);
    trip.clock.advance(10_000);
    await trip.call('poll');
    expect([await trip.state(), await mayHold(rail)]).toEqual(['COMPLETE', [-AMOUNT, -AMOUNT]]);
  });

  it.each([true, false])(
    'leaves open what nobody has acknowledged (debited when accepted: %s), and not a unit beyond',
    async (debitsOnAcceptance) => {
      const { trip, rail } = road({ outcome: 'unknown', detail: 'a reset' });
      rail.balanceRules = { debitsOnAcceptance, holdsOpening: false };
      await (await trip.accepted()).start();
      expect(await mayHold(rail)).toEqual([0n, 0n]);
      await trip.claim('submit');
      expect(await mayHold(rail)).toEqual([-AMOUNT, 0n]);
    },
  );

  it('leaves open what a call came to that got no answer', async () => {
    const { trip, rail } = road({ outcome: 'unknown', detail: 'a reset' });
    rail.balanceRules = { debitsOnAcceptance: true, holdsOpening: false };
    await (await trip.accepted()).start();
    await trip.call('submit');
    expect(await mayHold(rail)).toEqual([-AMOUNT, 0n]);
  });

  it('of a rail that debits when it accepts holds while a payment is acknowledged, or ends', async () => {
    const { trip, rail } = road({ outcome: 'submitted' }, PAID);
    rail.balanceRules = { debitsOnAcceptance: true, holdsOpening: false };
    await (await trip.accepted()).start();
    rail.meanwhile = () => trip.call('submit');
    expect(bounds(await read(rail.holds(-AMOUNT)))).toEqual([-AMOUNT, -AMOUNT, 0n]);
    rail.meanwhile = () => {
      trip.clock.advance(10_000);
      return trip.call('poll');
    };
    expect(bounds(await read(rail))).toEqual([-AMOUNT, -AMOUNT, -AMOUNT]);
  });

  it('says how many payments are with people', async () => {
    const { trip, rail } = road(MISMATCH);
    await (await trip.accepted()).start();
    await trip.call('submit');
    expect([await trip.state(), (await read(rail))?.in_review]).toEqual(['REVIEW', 1]);
  });

  it('holds for a payment that ends while the rail is asked', async () => {
    const { trip, rail } = road({ outcome: 'submitted' }, PAID);
    await (await trip.accepted()).start();
    await trip.call('submit');
    rail.meanwhile = async () => {
      trip.clock.advance(10_000);
      await trip.call('poll');
    };
    expect(bounds(await read(rail.holds(-AMOUNT)))).toEqual([-AMOUNT, -AMOUNT, 0n]);
    expect(bounds(await read(rail))).toEqual([-AMOUNT, -AMOUNT, -AMOUNT]);
  });

  it('is told of currencies that only one of the two knows', async () => {
    const { trip, rail } = road();
    await trip.accepted();
    const { balances } = await new RailBalances(pg.db, [rail.holds(-7n, 'NGN')]).read();
    expect(balances.map(({ currency, told_minor, most_minor }) => [currency, told_minor, most_minor])).toEqual([
      ['KES', 0n, 0n],
      ['NGN', -7n, 0n],
    ]);
  });

  it('is not read of a rail that nothing here can ask', async () => {
    const { trip } = road();
    await trip.accepted();
    expect(await new RailBalances(pg.db, []).read()).toEqual({
      balances: [],
      not_read: [{ rail: 'sandbox', why: 'nothing here can ask it', is_away: false }],
    });
  });

  it('is not read where the rail does not answer, or tells no balance', async () => {
    const { rail } = road();
    rail.answer = { outcome: 'failed', detail: 'ECONNREFUSED' };
    expect(await new RailBalances(pg.db, [rail, new ScriptedRail([], true, 'mute')]).read()).toEqual({
      balances: [],
      not_read: [
        { rail: 'mute', why: 'the rail tells no balance', is_away: false },
        { rail: 'sandbox', why: 'ECONNREFUSED', is_away: true },
      ],
    });
  });
});
