import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { attemptTokenOf } from '@vuka/payouts';

import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { later } from '../testing/payout-harness.spec-support.js';
import { paid, SUBMITTED, UNKNOWN } from '../testing/provider-answers.spec-support.js';
import { CallbackHarness, CallingProvider, PREVIOUS, TOKEN } from './callback-harness.spec-support.js';
import { ASK_EVERY_MS, PATIENCE_MS } from './judge-callback.js';

let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterEach(() => pg.db.query('delete from provider_callbacks'));
afterAll(() => pg.stopWhole());

const UNSIGNED = { signed: false } as const;

async function submitted(...script: ConstructorParameters<typeof CallingProvider>[0]): Promise<CallbackHarness> {
  const trip = await CallbackHarness.started(pg, new CallingProvider(script));
  await trip.call('submit');
  return trip;
}

const pollsOf = async (trip: CallbackHarness): Promise<unknown> =>
  (await pg.db.query('select polls, next_at from attempts where transaction_id = $1', [trip.id]))[0];

describe('a callback that is not signed', () => {
  it('completes nothing, whatever it says: the provider is asked at once', async () => {
    const trip = await submitted(SUBMITTED, paid('R1'));
    expect(await trip.call('poll')).toBe(0);
    await trip.calledBack(UNSIGNED);
    await trip.handle();
    expect([await trip.state(), await trip.outcomes()]).toEqual(['SUBMITTED', ['asked']]);
    expect([await trip.call('poll'), await trip.state()]).toEqual([1, 'COMPLETE']);
  });

  it('that is forged changes nothing, and leaves the polls as they were', async () => {
    const trip = await submitted(SUBMITTED, SUBMITTED);
    await trip.calledBack(UNSIGNED);
    await trip.handle();
    await trip.call('poll');
    expect([await trip.state(), await trip.incidents()]).toEqual(['SUBMITTED', []]);
    expect(await pollsOf(trip)).toEqual({ polls: 0, next_at: new Date(trip.clock.now().getTime() + 1_000) });
  });

  it('has an attempt asked once within seconds, however many come, and once more for the last', async () => {
    const trip = await submitted(SUBMITTED, ...Array<typeof SUBMITTED>(3).fill(SUBMITTED));
    for (let nonce = 0; nonce < 30; nonce += 1) await trip.calledBack({ ...UNSIGNED, nonce });
    await trip.handle();
    expect([await trip.call('poll'), await trip.call('poll')]).toEqual([1, 0]);
    expect(new Set(await trip.outcomes())).toEqual(new Set(['asked']));
    trip.clock.advance(500);
    for (let nonce = 30; nonce < 60; nonce += 1) await trip.calledBack({ ...UNSIGNED, nonce });
    await trip.handle();
    expect([await trip.call('poll'), (await trip.outcomes()).filter((outcome) => outcome === null).length]).toEqual([
      0, 30,
    ]);
    await trip.handle(ASK_EVERY_MS);
    expect([new Set(await trip.outcomes()), await trip.call('poll')]).toEqual([new Set(['asked']), 1]);
    expect(trip.provider.queries).toBe(2);
  });

  it('that comes while a query is under way has it asked once more behind that', async () => {
    const trip = await submitted(SUBMITTED, SUBMITTED, paid('R1'));
    trip.clock.advance(1_000);
    const [underWay] = await trip.claim('poll');
    await trip.calledBack(UNSIGNED);
    await trip.handle();
    if (underWay) await trip.caller.run('poll', underWay);
    expect([await trip.state(), await trip.call('poll'), await trip.state()]).toEqual(['SUBMITTED', 1, 'COMPLETE']);
  });

  it('that comes while the call is under way has it asked behind that, and nothing is sent twice', async () => {
    const trip = await CallbackHarness.started(pg, new CallingProvider([UNKNOWN, paid('R1')]));
    const [underWay] = await trip.claim('submit');
    await trip.calledBack(UNSIGNED);
    await trip.handle();
    if (underWay) await trip.caller.run('submit', underWay);
    expect([await trip.call('poll'), await trip.state(), trip.provider.submitted.length]).toEqual([1, 'COMPLETE', 1]);
  });

  it.each([
    ['while it is open', 0],
    ['after the late window', 3_600_000],
  ])('of the same bytes may mean something else later, and has it asked again: %s', async (_, afterMs) => {
    const trip = await submitted(SUBMITTED, SUBMITTED, paid('R1'), { outcome: 'reversed', receipt: 'R1', detail: '' });
    await trip.calledBack(UNSIGNED);
    await trip.handle();
    await trip.call('poll');
    if (afterMs > 0) {
      expect([await later(trip, 'poll', afterMs), await trip.state()]).toEqual([1, 'COMPLETE']);
      trip.clock.advance(afterMs);
    }
    trip.clock.advance(ASK_EVERY_MS);
    await trip.calledBack(UNSIGNED);
    expect([await trip.handle(), await trip.kept()]).toMatchObject([1, [{ outcome: 'asked', times: 2 }]]);
    expect([await trip.call(afterMs > 0 ? 'watch' : 'poll'), await trip.state()]).toEqual([
      1,
      afterMs > 0 ? 'REVERSED' : 'COMPLETE',
    ]);
  });

  it('that comes again while it is handled is looked at once more', async () => {
    const trip = await submitted(SUBMITTED, SUBMITTED, SUBMITTED);
    trip.provider.whileReading = async () => {
      trip.provider.whileReading = () => Promise.resolve();
      await trip.calledBack(UNSIGNED);
    };
    await trip.calledBack(UNSIGNED);
    await trip.handle();
    expect([await trip.kept(), await trip.handle(), await trip.outcomes()]).toMatchObject([
      [{ outcome: null, times: 2 }],
      1,
      ['asked'],
    ]);
  });

  it('of an id that nobody knows stays with people, however often it comes', async () => {
    const trip = await submitted(SUBMITTED);
    const STRANGER = { ...UNSIGNED, id: '11111111-2222-4333-8444-555555555555' };
    await trip.calledBack(STRANGER);
    await trip.handle();
    await trip.handle(PATIENCE_MS);
    await trip.calledBack(STRANGER);
    expect([await trip.handle(), await trip.kept()]).toMatchObject([0, [{ outcome: 'unknown', times: 2 }]]);
  });

  it('has one asked after its end', async () => {
    const trip = await submitted(paid('R1'), { outcome: 'reversed', receipt: 'R1', detail: '' });
    await trip.calledBack(UNSIGNED);
    await trip.handle(3_600_000);
    await trip.call('watch');
    expect(await trip.state()).toBe('REVERSED');
  });

  it.each([
    ['the current token', TOKEN],
    ['the previous token', PREVIOUS],
  ])('names its attempt by the path alone: %s', async (_, token) => {
    const trip = await submitted(SUBMITTED, paid('R1'));
    const attempt_token = attemptTokenOf(token, await trip.attemptId());
    expect(await trip.take({ token, attempt_token, method: 'PUT' })).toEqual({ ok: true, value: { answer: '{}' } });
    await trip.handle();
    expect([await trip.outcomes(), await trip.call('poll'), await trip.state()]).toEqual([['asked'], 1, 'COMPLETE']);
  });
});
