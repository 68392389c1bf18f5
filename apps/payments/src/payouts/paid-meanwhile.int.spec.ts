import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { money } from '@vuka/domain';
import type { ProviderAnswer } from '@vuka/payouts';

import { fundProviders } from '../testing/pay-harness.spec-support.js';
import { AMOUNT, Harness, ScriptedProvider } from '../testing/payout-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';

let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
  await fundProviders(pg);
}, 60_000);
afterAll(() => pg.stopWhole());

const UNKNOWN: ProviderAnswer = { outcome: 'unknown', detail: 'timeout' };
const NOT_HERE: ProviderAnswer = { outcome: 'not_paid', code: 'rail_rejected', routeLeft: true, detail: '' };
const PAID: ProviderAnswer = {
  outcome: 'succeeded',
  receipt: 'A1',
  publicName: null,
  amount: money(AMOUNT, 'KES'),
  recipient: '1',
};

/** The first refused; the second deduplicates, so repeats are safe. */
async function secondIsNext(...second: ProviderAnswer[]): Promise<Harness> {
  const trip = await new Harness(
    pg,
    new ScriptedProvider([NOT_HERE]),
    new ScriptedProvider(second, true, 'sandbox_b'),
  ).accepted();
  await trip.start();
  await trip.call('submit');
  await trip.start();
  return trip;
}

async function firstHasPaid(trip: Harness): Promise<void> {
  trip.providers[0]?.will(PAID);
  trip.clock.advance(10_000);
  for (const attempt of (await trip.claim('watch')).filter(({ provider }) => provider === 'sandbox'))
    await trip.caller.run('watch', attempt);
}

const sent = (trip: Harness): number[] => trip.providers.map(({ submitted }) => submitted.length);

describe('a later attempt, of whose transaction an earlier one turns out to be paid', () => {
  it('is not sent again where its call was lost: it is only asked about', async () => {
    const trip = await secondIsNext(UNKNOWN, UNKNOWN, UNKNOWN);
    await trip.call('submit');
    await firstHasPaid(trip);
    expect(await trip.incidents()).toMatchObject([{ event: 'succeeded' }]);
    trip.clock.advance(10_000);
    expect([await trip.call('poll'), sent(trip)]).toEqual([1, [1, 1]]);
  });

  it('is not sent where its claim was given back meanwhile: the payment that stands completes it', async () => {
    const trip = await secondIsNext();
    const [claimed] = await trip.claim('submit');
    await firstHasPaid(trip);
    if (!claimed) throw new Error('nothing was claimed');
    await trip.claims.releaseClaim(claimed);
    await trip.call('submit');
    trip.clock.advance(10_000);
    await trip.start();
    expect([sent(trip), await trip.state()]).toEqual([[1, 0], 'COMPLETE']);
  });
});

describe('an attempt that is unsent by what is known here, and that its provider lists', () => {
  it('is not given up where its partner is stopped: it is asked about', async () => {
    const trip = await secondIsNext(UNKNOWN);
    const [attempt] = await pg.db.query<{ reference: string }>(
      `select provider_reference as reference from attempts where transaction_id = $1 and attempt_no = 2`,
      [trip.id],
    );
    const entry = { attemptId: attempt?.reference ?? '', event: 'paid', receipt: 'B1', isFirst: true } as const;
    await trip.attempts.hint('sandbox_b', [entry], trip.clock.now());
    await pg.db.query(
      `insert into partner_statuses (partner_id, status, sequence, told_at) values ($1, 'suspended', 1, now())`,
      [trip.partner],
    );
    await trip.call('submit');
    trip.clock.advance(10_000);
    expect([await trip.state(), sent(trip), await trip.call('poll')]).toEqual(['IN_DOUBT', [1, 0], 1]);
  });
});
