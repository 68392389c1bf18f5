import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '@vuka/testing';

import { HttpProvider } from '../testing/http-provider.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { AMOUNT, FEE, FUNDS, LEASE_MS, ScriptedProvider } from '../testing/payout-harness.spec-support.js';
import { MISMATCH, NOT_FOUND, NOT_PAID, PAID, SUBMITTED, UNKNOWN } from '../testing/provider-answers.spec-support.js';
import { approvedBeside, inDoubt, posted, proposed, settlementOf } from '../testing/settlement-harness.spec-support.js';

/** An agreement waits for the call under way, prevents others, and yields to its answer. */
let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stopWhole());

const SPENT = FUNDS - AMOUNT - FEE;

describe('an approval while a call is out', () => {
  it('waits for it: the provider holds the call, people approve as not paid, the call then pays, and it is paid and nothing given back', async () => {
    const provider = await HttpProvider.start({ callTimeoutMs: 10_000 });
    try {
      const submit = provider.submit.bind(provider);
      provider.submit = () => Promise.resolve(UNKNOWN);
      const trip = await inDoubt(pg, provider);
      provider.submit = submit;
      const answer = provider.server.holdAnswers();
      const [underWay] = await trip.claim('poll');
      const calling = trip.caller.run('poll', underWay!);
      await until(() => Promise.resolve(provider.server.submits.size === 1), {
        withinMs: 10_000,
        what: 'the repeat is at the provider',
      });
      const id = await proposed(trip);
      expect(await trip.settle.approve({ settlementId: id, by: 'Ben' })).toMatchObject({
        ok: true,
        value: { executed: false },
      });
      await trip.executor.runDue();
      expect(await posted(trip)).toEqual(['IN_DOUBT', ['payout_held'], SPENT, 0n]);
      provider.query = () => Promise.resolve(PAID);
      answer();
      await calling;
      expect(await trip.state()).toBe('SUBMITTED');
      await trip.executor.runDue();
      trip.clock.advance(10_000);
      expect(await trip.call('poll')).toBe(1);
      expect(await posted(trip)).toEqual(['COMPLETE', ['payout_held', 'payout_settled'], SPENT, 0n]);
      expect([provider.server.receiptsGiven.length, await settlementOf(trip, id)]).toMatchObject([
        1,
        { isExecuted: false, isWithdrawn: true, supersededWhy: expect.stringContaining('SUBMITTED') },
      ]);
    } finally {
      await provider.stop();
    }
  });

  it('prevents a repeat that was not sent: it is applied when the call has ended', async () => {
    const trip = await inDoubt(pg);
    const [underWay] = await trip.claim('poll');
    let id = 0;
    trip.provider!.query = async () => {
      id = await proposed(trip);
      expect(await trip.settle.approve({ settlementId: id, by: 'Ben' })).toMatchObject({
        ok: true,
        value: { executed: false },
      });
      return NOT_FOUND;
    };
    await trip.caller.run('poll', underWay!);
    expect([trip.provider!.submitted.length, await trip.state()]).toEqual([1, 'IN_DOUBT']);
    await trip.executor.runDue();
    expect(await posted(trip)).toEqual(['FAILED', ['payout_held', 'payout_released'], FUNDS, 0n]);
    expect(await settlementOf(trip, id)).toMatchObject({ isExecuted: true });
  });

  it('lets no new call start, and is applied when the lease of an endless call has expired', async () => {
    const trip = await inDoubt(pg);
    const { id } = await approvedBeside(trip);
    trip.clock.advance(LEASE_MS - 1);
    await trip.executor.runDue();
    expect([await trip.state(), await trip.claim('poll'), await trip.claim('submit')]).toEqual(['IN_DOUBT', [], []]);
    trip.clock.advance(1);
    await trip.executor.runDue();
    expect(await posted(trip)).toEqual(['FAILED', ['payout_held', 'payout_released'], FUNDS, 0n]);
    expect([await settlementOf(trip, id), await trip.claim('poll'), await trip.claim('submit')]).toMatchObject([
      { isExecuted: true },
      [],
      [],
    ]);
  });

  it.each([
    ['paid', PAID, 'COMPLETE', ['payout_held', 'payout_settled']],
    ['not paid', NOT_PAID, 'FAILED', ['payout_held', 'payout_released']],
    ['submitted', SUBMITTED, 'SUBMITTED', ['payout_held']],
    ['a mismatch', MISMATCH, 'REVIEW', ['payout_held']],
  ])('gives way to the answer of the call: %s', async (_, answer, state, postings) => {
    const trip = await inDoubt(pg);
    const { id, underWay } = await approvedBeside(trip);
    trip.provider!.will(answer);
    await trip.caller.run('poll', underWay);
    await trip.executor.runDue();
    expect([await trip.state(), await trip.posted()]).toEqual([state, postings]);
    expect(await settlementOf(trip, id)).toMatchObject({
      isExecuted: false,
      isWithdrawn: true,
      supersededWhy: expect.stringContaining(state),
    });
    expect(await trip.settle.approve({ settlementId: id, by: 'Ben' })).toMatchObject({
      ok: false,
      error: { code: 'invalid_request', message: expect.stringContaining('superseded') },
    });
  });

  it.each([
    ['not paid, and it was paid', {}, PAID, 'succeeded'],
    ['paid, and it was not', { outcome: 'paid', receipt: 'R9' }, NOT_PAID, 'not_paid_last'],
  ] as const)('yields in review, where what a call hears is only recorded: %s', async (_, proposal, answer, event) => {
    const trip = await inDoubt(pg, new ScriptedProvider([UNKNOWN, MISMATCH, answer]));
    await trip.call('poll');
    expect(await trip.state()).toBe('REVIEW');
    await trip.attempts.checkAtOnce(trip.id, 1, trip.clock.now());
    const [underWay] = await trip.claim('poll');
    const id = await proposed(trip, proposal);
    expect(await trip.settle.approve({ settlementId: id, by: 'Ben' })).toMatchObject({
      ok: true,
      value: { executed: false, state: 'REVIEW' },
    });
    await trip.caller.run('poll', underWay!);
    trip.clock.advance(LEASE_MS);
    await trip.executor.runDue();
    expect(await posted(trip)).toEqual(['REVIEW', ['payout_held'], SPENT, 0n]);
    expect(await settlementOf(trip, id)).toMatchObject({
      isExecuted: false,
      isWithdrawn: true,
      supersededWhy: `the provider answered first: in REVIEW it said ${event}`,
    });
    const again = await proposed(trip, { outcome: 'paid', receipt: 'R1' });
    expect(await trip.settle.approve({ settlementId: again, by: 'Ben' })).toMatchObject({
      ok: true,
      value: { executed: true, state: 'COMPLETE' },
    });
  });

  it('lets calls go on where it was superseded, and people settle anew', async () => {
    const trip = await inDoubt(pg);
    const { underWay } = await approvedBeside(trip);
    trip.provider!.will(SUBMITTED, NOT_FOUND);
    await trip.caller.run('poll', underWay);
    trip.clock.advance(1_000);
    expect(await trip.claim('poll')).toEqual([]);
    await trip.executor.runDue();
    expect([await trip.call('poll'), await trip.state()]).toEqual([1, 'IN_DOUBT']);
    const again = await proposed(trip);
    expect(await trip.settle.approve({ settlementId: again, by: 'Ben' })).toMatchObject({
      ok: true,
      value: { executed: true, state: 'FAILED' },
    });
  });

  it('treats the answer of an expired call as late: the provider is polled at once, and the value is owed', async () => {
    const trip = await inDoubt(pg);
    const { underWay } = await approvedBeside(trip);
    trip.clock.advance(LEASE_MS);
    await trip.executor.runDue();
    trip.provider!.will(PAID, PAID);
    await trip.caller.run('poll', underWay);
    expect([await trip.call('watch'), await posted(trip)]).toEqual([
      1,
      ['FAILED', ['payout_held', 'payout_released', 'duplicate_payment'], FUNDS, AMOUNT],
    ]);
  });
});
