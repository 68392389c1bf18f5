import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ProviderAnswer } from '@vuka/payouts';

import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import {
  AMOUNT,
  FEE,
  FUNDS,
  LATE_WINDOW_MS,
  later,
  LEASE_MS,
  Harness,
  ScriptedProvider,
  startedHarness,
} from '../testing/payout-harness.spec-support.js';
import {
  cameBack,
  MISMATCH,
  NO_ANSWER,
  NOT_PAID,
  paid,
  SUBMITTED,
  UNKNOWN,
} from '../testing/provider-answers.spec-support.js';

let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stopWhole());

const SPENT = FUNDS - AMOUNT - FEE;

const harness = (...script: ProviderAnswer[]): Promise<Harness> => startedHarness(pg, new ScriptedProvider(script));

describe('paid after FAILED', () => {
  it.each([2_000, 14_000, LATE_WINDOW_MS])(
    'within %i ms: the partner owes what it got back, and it is collected',
    async (delay) => {
      const trip = await harness(NOT_PAID);
      await trip.call('submit');
      expect([await trip.state(), await trip.wallet()]).toEqual(['FAILED', FUNDS]);
      for (let waited = 0; waited < delay;) {
        const step = waited < 4_000 ? 2_000 : 10_000;
        waited += step;
        trip.provider!.will(waited < delay ? NOT_PAID : paid('LATE'));
        expect(await later(trip, 'watch', Math.min(step, delay - waited + step))).toBe(1);
      }
      expect([await trip.state(), await trip.debt(), await trip.incidents()]).toEqual([
        'FAILED',
        AMOUNT,
        [{ event: 'succeeded', times: 1 }],
      ]);
      expect(await trip.collect()).toBe(1);
      expect([await trip.wallet(), await trip.debt(), await trip.collect()]).toEqual([FUNDS - AMOUNT, 0n, 0]);
      expect(await trip.row()).toMatchObject({ status: 'FAILED', receipt_number: null, failure_code: 'rail_rejected' });
      expect((await trip.told()).map(([type]) => type)).toEqual([
        'transaction.processing',
        'transaction.failed',
        'transaction.corrected',
      ]);
    },
  );

  it('is heard of once, and given back when it comes back', async () => {
    const trip = await harness(NOT_PAID, paid('LATE'), paid('LATE'), cameBack('LATE'), cameBack('LATE'));
    await trip.call('submit');
    for (let checks = 0; checks < 2; checks++) expect(await later(trip, 'watch', 10_000)).toBe(1);
    expect(await trip.posted()).toEqual(['payout_held', 'payout_released', 'duplicate_payment']);
    await trip.collect();
    for (let checks = 0; checks < 2; checks++) expect(await later(trip, 'watch', 10_000)).toBe(1);
    expect([await trip.posted(), await trip.wallet(), await trip.debt()]).toEqual([
      ['payout_held', 'payout_released', 'duplicate_payment', 'duplicate_payment_returned'],
      FUNDS,
      0n,
    ]);
  });

  it('is not waited for when the late window has closed', async () => {
    const trip = await harness(NOT_PAID, NOT_PAID);
    await trip.call('submit');
    expect(await later(trip, 'watch', LATE_WINDOW_MS + 1)).toBe(1);
    expect(await later(trip, 'watch', LATE_WINDOW_MS)).toBe(0);
  });

  it('a provider that forgets what it had refused opens one incident, however often it is asked', async () => {
    const trip = await harness(NOT_PAID, UNKNOWN, UNKNOWN, SUBMITTED, NOT_PAID);
    await trip.call('submit');
    for (let checks = 0; checks < 4; checks++) expect(await later(trip, 'watch', 10_000)).toBe(1);
    expect([await trip.state(), await trip.incidents()]).toEqual([
      'FAILED',
      [
        { event: 'unknown', times: 2 },
        { event: 'submitted', times: 1 },
      ],
    ]);
  });
});

describe('after COMPLETE', () => {
  it('is REVERSED when the payment comes back: amount and service fee are in the wallet again', async () => {
    const trip = await harness(paid('R1'), cameBack('R1'), cameBack('R1'));
    await trip.call('submit');
    for (let checks = 0; checks < 2; checks++) expect(await later(trip, 'watch', 10_000)).toBe(1);
    expect([(await trip.row()).status, await trip.wallet(), await trip.posted()]).toEqual([
      'REVERSED',
      FUNDS,
      ['payout_held', 'payout_settled', 'payout_reversed'],
    ]);
    expect((await trip.told()).map(([type]) => type)).toEqual([
      'transaction.processing',
      'transaction.complete',
      'transaction.reversed',
    ]);
  });

  it('a second payment under the same id is ours to settle with the provider, and the partner is charged once', async () => {
    const twice: ProviderAnswer = {
      ...paid('R1'),
      otherPayments: [{ receipt: 'R2', reversed: false }],
    } as ProviderAnswer;
    const trip = await harness(paid('R1'), twice, twice);
    await trip.call('submit');
    for (let checks = 0; checks < 2; checks++) await later(trip, 'watch', 10_000);
    expect([await trip.posted(), await trip.wallet(), await trip.debt(), await trip.incidents()]).toEqual([
      ['payout_held', 'payout_settled', 'duplicate_payment_ours'],
      SPENT,
      0n,
      [{ event: 'succeeded', times: 1 }],
    ]);
    trip.provider!.will({ ...paid('R1'), otherPayments: [{ receipt: 'R2', reversed: true }] } as ProviderAnswer);
    await later(trip, 'watch', 10_000);
    expect([await trip.state(), await trip.posted()]).toEqual([
      'COMPLETE',
      ['payout_held', 'payout_settled', 'duplicate_payment_ours', 'duplicate_payment_ours_returned'],
    ]);
  });

  it('hears of two payments at its first look, and posts both', async () => {
    const trip = await harness(SUBMITTED, {
      ...paid('R1'),
      otherPayments: [
        { receipt: 'R2', reversed: false },
        { receipt: 'R3', reversed: false },
      ],
    } as ProviderAnswer);
    await trip.call('submit');
    await later(trip, 'poll');
    expect(await trip.posted()).toEqual(['payout_held', 'payout_settled']);
    for (const receipts of [
      ['R2', 'R3'],
      ['R2', 'R3'],
    ]) {
      trip.provider!.will({
        ...paid('R1'),
        otherPayments: receipts.map((receipt) => ({ receipt, reversed: false })),
      } as ProviderAnswer);
      expect(await later(trip, 'watch', 0)).toBe(1);
    }
    expect([await trip.posted(), await trip.wallet()]).toEqual([
      ['payout_held', 'payout_settled', 'duplicate_payment_ours', 'duplicate_payment_ours'],
      SPENT,
    ]);
  });

  it('owes what stands when the first payment comes back and the second does not', async () => {
    const trip = await harness(
      paid('R1'),
      { ...paid('R1'), otherPayments: [{ receipt: 'R2', reversed: false }] } as ProviderAnswer,
      { ...cameBack('R1'), otherPayments: [{ receipt: 'R2', reversed: false }] } as ProviderAnswer,
    );
    await trip.call('submit');
    for (let checks = 0; checks < 2; checks++) await later(trip, 'watch', 10_000);
    expect([await trip.state(), await trip.posted(), await trip.wallet(), await trip.debt()]).toEqual([
      'REVERSED',
      ['payout_held', 'payout_settled', 'duplicate_payment_ours', 'duplicate_payment_owed', 'payout_reversed'],
      FUNDS,
      AMOUNT,
    ]);
    await trip.collect();
    expect(await trip.wallet()).toBe(FUNDS - AMOUNT);
  });

  it('a provider that takes back what it said is an incident and changes nothing', async () => {
    const trip = await harness(paid('R1'), NOT_PAID, MISMATCH);
    await trip.call('submit');
    for (let checks = 0; checks < 2; checks++) await later(trip, 'watch', 10_000);
    expect([await trip.state(), (await trip.incidents()).map(({ event }) => event), await trip.posted()]).toEqual([
      'COMPLETE',
      ['not_paid_last', 'mismatch'],
      ['payout_held', 'payout_settled'],
    ]);
  });

  it('a debt is taken from what a reversal gives back, before it is in the wallet', async () => {
    const trip = await harness(NOT_PAID, paid('LATE'));
    await trip.call('submit');
    await later(trip, 'watch', 10_000);
    const other = await new Harness(pg, new ScriptedProvider([paid('R1'), cameBack('R1')]), ...[]).acceptedFor(
      trip.partner,
    );
    await other.start();
    other.clock.advance(20_000);
    await other.start();
    await other.call('submit');
    await later(other, 'watch', 10_000);
    expect([await other.state(), await trip.debt(), await trip.wallet()]).toEqual(['REVERSED', 0n, FUNDS - AMOUNT]);
  });
});

describe('the statement', () => {
  it('has attempts looked at that came out otherwise, and leaves the others alone', async () => {
    const trip = await harness(paid('R1'), NOT_PAID);
    await trip.call('submit');
    const id = trip.provider!.submitted[0]!;
    const hint = (event: 'paid' | 'not_paid' | 'reversed', receipt: string | null, attemptId = id) =>
      trip.attempts.hint('sandbox', [{ attemptId, event, receipt, isFirst: false }], trip.clock.now());
    expect(await hint('paid', 'R1')).toMatchObject({ checks: 0, unknown: 0 });
    // A statement without receipts.
    expect(await hint('paid', null)).toMatchObject({ checks: 0, unknown: 0 });
    expect(await hint('paid', 'R2')).toMatchObject({ checks: 1, unknown: 0 });
    expect(await hint('reversed', 'R1')).toMatchObject({ checks: 1, unknown: 0 });
    expect(await hint('not_paid', null)).toMatchObject({ checks: 1, unknown: 0 });
    expect(await hint('paid', 'R1', 'not one of ours')).toMatchObject({ checks: 0, unknown: 1 });
    expect(await hint('paid', 'R1', '00000000-0000-4000-8000-000000000000')).toMatchObject({ checks: 0, unknown: 1 });
    expect(await later(trip, 'watch', 0)).toBe(1);
  });

  it('speaks up while a call is under way: what that call hears may be older, so the provider is asked once more', async () => {
    const trip = await harness(SUBMITTED, paid('R1'), paid('R1'));
    await trip.call('submit');
    trip.clock.advance(1_000);
    const [underWay] = await trip.claim('poll');
    await trip.attempts.hint(
      'sandbox',
      [{ attemptId: trip.provider!.submitted[0]!, event: 'reversed', receipt: 'R1', isFirst: false }],
      trip.clock.now(),
    );
    await trip.caller.run('poll', underWay!);
    expect([await trip.state(), await trip.call('watch')]).toEqual(['COMPLETE', 1]);
  });

  it.each([
    [
      'a payment that came back',
      paid('R1'),
      'reversed',
      cameBack('R1'),
      { state: 'REVERSED', wallet: FUNDS, debt: 0n },
    ],
    [
      'a payment after its failure, long after the late window',
      NOT_PAID,
      'paid',
      paid('R1'),
      { state: 'FAILED', wallet: FUNDS, debt: AMOUNT },
    ],
  ] as const)(
    'has %s found, also where the first questions about it get no answer',
    async (_what, end, event, found, comesTo) => {
      const provider = new ScriptedProvider([end, NO_ANSWER, NO_ANSWER, found]);
      const trip = await (
        await new Harness(pg, Object.assign(provider, { statement: () => Promise.resolve(null) })).accepted()
      ).start();
      await trip.call('submit');
      trip.clock.advance(2 * LATE_WINDOW_MS);
      await trip.attempts.hint(
        'sandbox',
        [{ attemptId: provider.submitted[0]!, event, receipt: 'R1', isFirst: true }],
        trip.clock.now(),
      );
      // At once, then by schedule.
      for (const waitMs of [0, 1_000, 1_000]) expect(await later(trip, 'watch', waitMs)).toBe(1);
      expect({ state: await trip.state(), wallet: await trip.wallet(), debt: await trip.debt() }).toEqual(comesTo);
    },
  );

  it('a look whose holder died is made again', async () => {
    const trip = await harness(NOT_PAID, paid('LATE'));
    await trip.call('submit');
    trip.clock.advance(2_000);
    expect(await trip.claim('watch')).toHaveLength(1);
    expect(await later(trip, 'watch', LEASE_MS + 1)).toBe(1);
    expect(await trip.debt()).toBe(AMOUNT);
  });
});
