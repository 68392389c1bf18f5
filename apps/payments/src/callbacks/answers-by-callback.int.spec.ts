import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { attemptTokenOf, type ProviderAnswer } from '@vuka/payouts';

import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { later, LEASE_MS, ScriptedProvider } from '../testing/payout-harness.spec-support.js';
import { NOT_PAID, paid, SUBMITTED, UNKNOWN } from '../testing/provider-answers.spec-support.js';
import { approvedBeside } from '../testing/settlement-harness.spec-support.js';
import { CallbackHarness, CallingProvider, type Said, TOKEN } from './callback-harness.spec-support.js';
import { PATIENCE_MS } from './judge-callback.js';

/** Some providers are only asked by a query, and answer by a callback, which many of them do not sign. */
let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterEach(() => pg.db.query('delete from provider_callbacks'));
afterAll(() => pg.stopWhole());

const ASKED: ProviderAnswer = { outcome: 'asked' };

/** Its queries are asked for good. */
async function submitted(answer: ProviderAnswer, ...others: ScriptedProvider[]): Promise<CallbackHarness> {
  const provider = new CallingProvider([answer, ...Array<ProviderAnswer>(50).fill(ASKED)]);
  Object.assign(provider.promises, { queryAnswersByCallback: true });
  const trip = await CallbackHarness.started(pg, provider, ...others);
  await trip.call('submit');
  return trip;
}

/** Unsigned, at the attempt's own path. */
async function answers(trip: CallbackHarness, says: NonNullable<Said['says']>, nonce = 0): Promise<void> {
  await trip.calledBack(
    { signed: false, says, nonce },
    { attempt_token: attemptTokenOf(TOKEN, await trip.attemptId()) },
  );
}

describe('an answer to a question', () => {
  it.each([
    ['paid', 'COMPLETE'],
    ['not_paid', 'FAILED'],
    ['mismatch', 'REVIEW'],
    ['submitted', 'SUBMITTED'],
  ] as const)('at the attempt’s own path, or signed, is recorded as that of a query: %s', async (says, state) => {
    for (const signed of [true, false]) {
      const trip = await submitted(UNKNOWN);
      expect([await later(trip, 'poll'), await trip.state()]).toEqual([1, 'IN_DOUBT']);
      await (signed ? trip.calledBack({ says }) : answers(trip, says));
      await trip.handle();
      expect([await trip.state(), await trip.outcomes(), trip.provider.queries]).toEqual([state, ['recorded'], 1]);
      await pg.db.query('delete from provider_callbacks');
    }
  });

  it('lets another provider pay where it says so, once', async () => {
    const other = new ScriptedProvider([paid('B1')], true, 'sandbox_b');
    const trip = await submitted(SUBMITTED, other);
    await later(trip, 'poll');
    await answers(trip, 'not_paid_here');
    await answers(trip, 'not_paid_here', 1);
    await trip.handle();
    await trip.start();
    await trip.call('submit');
    expect([await trip.state(), other.submitted.length, await trip.incidents()]).toEqual(['COMPLETE', 1, []]);
  });

  it('that is neither signed nor at that path is none: the question stays open, and is asked again by the schedule', async () => {
    const trip = await submitted(SUBMITTED);
    await later(trip, 'poll');
    for (const says of ['not_paid', 'paid'] as const) await trip.calledBack({ signed: false, says });
    await trip.handle();
    expect([await trip.state(), await trip.outcomes(), await trip.call('poll')]).toEqual([
      'SUBMITTED',
      ['no_answer', 'no_answer'],
      0,
    ]);
    expect([await later(trip, 'poll'), trip.provider.queries]).toEqual([1, 2]);
    await answers(trip, 'paid');
    await trip.handle();
    expect(await trip.state()).toBe('COMPLETE');
  });

  it('that nobody asked for is a hint, and so is a second one', async () => {
    const trip = await submitted(SUBMITTED);
    await answers(trip, 'not_paid');
    await trip.handle();
    expect([await trip.state(), await trip.outcomes()]).toEqual(['SUBMITTED', ['asked']]);
    await trip.call('poll');
    await answers(trip, 'submitted', 1);
    await trip.handle();
    trip.clock.advance(1);
    await answers(trip, 'not_paid', 2);
    await trip.handle();
    expect([await trip.state(), (await trip.outcomes()).slice(1)]).toEqual(['SUBMITTED', ['recorded', null]]);
  });

  it('from before the question is none', async () => {
    const trip = await submitted(SUBMITTED);
    await answers(trip, 'not_paid');
    await later(trip, 'poll');
    await trip.handle();
    expect([await trip.state(), await trip.outcomes()]).toEqual(['SUBMITTED', ['asked']]);
  });

  it('that proves nothing leaves the question open, and asks nothing', async () => {
    const trip = await submitted(UNKNOWN);
    await later(trip, 'poll');
    for (let nonce = 0; nonce < 5; nonce += 1) await answers(trip, 'not_found', nonce);
    await trip.handle();
    expect([await trip.state(), await trip.call('poll'), new Set(await trip.outcomes())]).toEqual([
      'IN_DOUBT',
      0,
      new Set(['no_answer']),
    ]);
    expect(trip.provider.submitted).toHaveLength(1);
  });

  it('that is faster than the answer of its call waits for that', async () => {
    const trip = await submitted(SUBMITTED);
    trip.provider.query = async () => {
      await answers(trip, 'not_paid');
      await trip.handle();
      return ASKED;
    };
    await later(trip, 'poll');
    expect([await trip.state(), await trip.outcomes()]).toEqual(['SUBMITTED', [null]]);
    await trip.handle(1_000);
    expect([await trip.state(), await trip.outcomes()]).toEqual(['FAILED', ['recorded']]);
  });

  it('tells what happened after the end', async () => {
    const trip = await submitted(NOT_PAID);
    expect([await trip.state(), await later(trip, 'watch', 2_000)]).toEqual(['FAILED', 1]);
    await answers(trip, 'paid');
    await trip.handle();
    expect([await trip.state(), (await trip.posted()).at(-1)]).toEqual(['FAILED', 'duplicate_payment']);
  });

  it('does not overrule what people have settled, unless it is a signed payment', async () => {
    const trip = await submitted(UNKNOWN);
    trip.clock.advance(1_000);
    await approvedBeside(trip);
    await pg.db.query('update attempts set asked_at = $2 where transaction_id = $1', [trip.id, trip.clock.now()]);
    trip.clock.advance(LEASE_MS);
    await answers(trip, 'not_paid');
    await trip.handle();
    await trip.handle(PATIENCE_MS);
    expect([await trip.state(), await trip.outcomes()]).toEqual(['IN_DOUBT', ['asked']]);
    await trip.calledBack();
    await trip.handle();
    expect(await trip.state()).toBe('COMPLETE');
  });
});
