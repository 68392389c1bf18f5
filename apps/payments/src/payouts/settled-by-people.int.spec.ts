import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { money } from '@vuka/domain';
import type { ProviderAnswer } from '@vuka/payouts';
import { listAuditEntries } from '@vuka/persistence';

import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import {
  AMOUNT,
  FEE,
  FUNDS,
  later,
  LEASE_MS,
  ScriptedProvider,
  startedHarness,
  type Harness,
} from '../testing/payout-harness.spec-support.js';
import { MISMATCH, paid, SUBMITTED, UNKNOWN } from '../testing/provider-answers.spec-support.js';

let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stopWhole());

const SPENT = FUNDS - AMOUNT - FEE;

const harness = (...script: ProviderAnswer[]): Promise<Harness> => startedHarness(pg, new ScriptedProvider(script));

describe('settled by people', () => {
  const inReview = async (): Promise<Harness> => {
    const trip = await harness(SUBMITTED, MISMATCH);
    await trip.call('submit');
    await later(trip, 'poll');
    expect([await trip.state(), await later(trip, 'poll', 60_000)]).toEqual(['REVIEW', 0]);
    return trip;
  };
  const proposal = (trip: Harness, more: object = {}) => ({
    transactionId: trip.id,
    outcome: 'paid' as const,
    receipt: 'R9',
    paid: null,
    evidence: 'statement of 21 November, line 7',
    by: 'Ann',
    ...more,
  });
  const idOf = (result: Awaited<ReturnType<Harness['settle']['propose']>>): number => {
    if (!result.ok) throw new Error(result.error.message);
    return result.value.settlementId;
  };

  it('as paid: by two different people, once, and what the provider paid otherwise is ours to resolve', async () => {
    const trip = await inReview();
    const id = idOf(await trip.settle.propose(proposal(trip, { paid: money(AMOUNT + 100n, 'KES') })));
    expect(await trip.settle.propose(proposal(trip))).toMatchObject({ ok: false, error: { code: 'invalid_request' } });
    expect(await trip.settle.approve({ settlementId: id, by: ' ann ' })).toMatchObject({
      ok: false,
      error: { code: 'forbidden' },
    });
    expect(await trip.state()).toBe('REVIEW');
    const both = await Promise.all([
      trip.settle.approve({ settlementId: id, by: 'Ben' }),
      trip.settle.approve({ settlementId: id, by: 'Cleo' }),
    ]);
    expect(both.filter(({ ok }) => ok)).toHaveLength(1);
    expect(await trip.row()).toMatchObject({ status: 'COMPLETE', receipt_number: 'R9' });
    expect([await trip.posted(), await trip.wallet()]).toEqual([
      ['payout_held', 'payout_settled', 'provider_difference'],
      SPENT,
    ]);
  });

  it('as not paid: the money is back in the wallet', async () => {
    const trip = await inReview();
    const id = idOf(await trip.settle.propose(proposal(trip, { outcome: 'not_paid', receipt: null })));
    expect(await trip.settle.approve({ settlementId: id, by: 'Ben' })).toMatchObject({
      ok: true,
      value: { state: 'FAILED' },
    });
    expect([await trip.wallet(), await later(trip, 'watch', 3_600_000)]).toEqual([FUNDS, 0]);
  });

  it('in doubt: what a lapsed call hears comes too late, and what turns up afterwards is a debt', async () => {
    const trip = await harness(UNKNOWN);
    await trip.call('submit');
    trip.clock.advance(1_000);
    const [underWay] = await trip.claim('poll');
    const id = idOf(await trip.settle.propose(proposal(trip, { outcome: 'not_paid', receipt: null })));
    trip.clock.advance(LEASE_MS);
    expect(await trip.settle.approve({ settlementId: id, by: 'Ben' })).toMatchObject({
      ok: true,
      value: { executed: true, executesBy: null, state: 'FAILED' },
    });
    trip.provider!.will(paid('R1'), paid('R1'));
    await trip.caller.run('poll', underWay!);
    expect([await trip.state(), await trip.wallet()]).toEqual(['FAILED', FUNDS]);
    // Polled at once, not after a minute.
    expect(await trip.call('watch')).toBe(1);
    expect([await trip.state(), await trip.debt()]).toEqual(['FAILED', AMOUNT]);
  });

  it.each([
    ['without evidence', { evidence: ' ' }],
    ['by nobody', { by: '' }],
    ['as paid without a receipt', { receipt: null }],
    ['as not paid with a receipt', { outcome: 'not_paid' }],
    ['as paid with nothing', { paid: money(0n, 'KES') }],
    ['as paid in another currency', { paid: money(AMOUNT, 'UGX') }],
  ])('is not proposed %s', async (_, more) => {
    const trip = await harness(UNKNOWN);
    await trip.call('submit');
    expect(await trip.settle.propose(proposal(trip, more))).toMatchObject({
      ok: false,
      error: { code: 'invalid_request' },
    });
  });

  it('is refused where the provider decides, and may be withdrawn', async () => {
    const trip = await harness(UNKNOWN, paid('R1'));
    expect(await trip.settle.propose(proposal(trip))).toMatchObject({ ok: false });
    await trip.call('submit');
    const first = idOf(await trip.settle.propose(proposal(trip)));
    expect(await trip.settle.withdraw({ settlementId: first, by: 'ada', reason: 'a typing mistake' })).toMatchObject({
      ok: true,
    });
    expect(await trip.settle.approve({ settlementId: first, by: 'Ben' })).toMatchObject({ ok: false });
    const second = idOf(await trip.settle.propose(proposal(trip)));
    await later(trip, 'poll');
    expect(await trip.state()).toBe('COMPLETE');
    expect(await trip.settle.approve({ settlementId: second, by: 'Ben' })).toMatchObject({
      ok: false,
      error: { code: 'invalid_request' },
    });
  });

  it('is on the record with both who agreed, in the commit that carries it out; nobody is two people by another spelling', async () => {
    const trip = await harness(UNKNOWN);
    await trip.call('submit');
    const id = idOf(await trip.settle.propose(proposal(trip, { by: 'José Otieno' })));
    expect(await trip.settle.approve({ settlementId: id, by: ' JOSE\u0301  otieno' })).toMatchObject({
      ok: false,
      error: { code: 'forbidden' },
    });
    expect(await trip.settle.approve({ settlementId: id, by: 'Ben ' })).toMatchObject({ ok: true });
    const acts = await listAuditEntries(pg.db, { partnerId: trip.partner, limit: 10 });
    expect(acts.map(({ act, by, approvedBy, subject }) => [act, by, approvedBy, subject])).toEqual([
      ['settlement.approved', 'José Otieno', 'Ben', `settlement ${id}`],
      ['settlement.proposed', 'José Otieno', null, `settlement ${id}`],
    ]);
  });
});
