import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { money } from '@vuka/domain';
import type { ProviderAnswer } from '@vuka/payouts';

import { AMOUNT, FEE, FUNDS, LEASE_MS, Harness, ScriptedProvider } from './payout-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from './payments-database.spec-support.js';
import type { ClaimedAttempt } from '../transactions/attempt-claims.store.js';

let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stopWhole());

const PAID: ProviderAnswer = {
  outcome: 'succeeded',
  receipt: 'R1',
  publicName: 'TEST 7890',
  amount: money(500_00n, 'KES'),
  recipient: '1234567890',
};
const NOT_PAID: ProviderAnswer = {
  outcome: 'not_paid',
  code: 'recipient_not_found',
  routeLeft: false,
  detail: 'RECIPIENT_NOT_FOUND',
};
const UNKNOWN: ProviderAnswer = { outcome: 'unknown', detail: 'timeout' };
const NO_FLOAT: ProviderAnswer = { outcome: 'deferred', reason: 'float', detail: 'FLOAT' };

const harness = async (...script: ProviderAnswer[]): Promise<Harness> =>
  (await new Harness(pg, new ScriptedProvider(script)).accepted()).start();

describe('the straight road', () => {
  it('pays, settles and tells', async () => {
    const trip = await harness({ outcome: 'submitted' }, { outcome: 'submitted' }, PAID);
    expect([await trip.state(), (await trip.row()).status, await trip.wallet()]).toEqual([
      'SUBMITTING',
      'PROCESSING',
      FUNDS - AMOUNT - FEE,
    ]);
    expect(await trip.call('submit')).toBe(1);
    expect(await trip.call('poll')).toBe(0);
    trip.clock.advance(1_000);
    expect(await trip.call('poll')).toBe(1);
    expect(await trip.state()).toBe('SUBMITTED');
    trip.clock.advance(1_000);
    expect(await trip.call('poll')).toBe(1);
    expect(await trip.row()).toMatchObject({
      status: 'COMPLETE',
      receipt_number: 'R1',
      public_name: 'TEST 7890',
      is_released: true,
      amount: '500.00',
      service_fee: '30.00',
      fee: '0.00',
      account_number: '1234567890',
      bank_code: '01',
      failure_code: '',
    });
    expect(await trip.wallet()).toBe(FUNDS - AMOUNT - FEE);
    expect(await trip.told()).toEqual([
      ['transaction.processing', 1, 'PROCESSING'],
      ['transaction.complete', 2, 'COMPLETE'],
    ]);
    trip.clock.advance(3_600_000);
    expect([await trip.call('poll'), await trip.call('submit')]).toEqual([0, 0]);
  });

  it('gives everything back when the provider proves that it did not pay', async () => {
    const trip = await harness({ outcome: 'submitted' }, NOT_PAID);
    await trip.call('submit');
    trip.clock.advance(1_000);
    await trip.call('poll');
    expect(await trip.row()).toMatchObject({
      status: 'FAILED',
      failure_code: 'recipient_not_found',
      message: 'The recipient account does not exist.',
      receipt_number: null,
    });
    expect(await trip.wallet()).toBe(FUNDS);
    expect((await trip.told()).map(([type]) => type)).toEqual(['transaction.processing', 'transaction.failed']);
  });
});

describe('what is not known', () => {
  it('is never failed: the same id is asked about until the provider tells', async () => {
    const provider = new ScriptedProvider([UNKNOWN, UNKNOWN, { outcome: 'query_failed', detail: '502' }, PAID], false);
    const trip = await (await new Harness(pg, provider).accepted()).start();
    await trip.call('submit');
    expect([await trip.state(), (await trip.row()).status]).toEqual(['IN_DOUBT', 'PROCESSING']);
    for (let polls = 0; polls < 3; polls++) {
      trip.clock.advance(1_000);
      expect(await trip.call('poll')).toBe(1);
    }
    expect([await trip.state(), provider.submitted.length, provider.queries]).toEqual(['COMPLETE', 1, 3]);
  });

  it('goes out again under the same id where the provider dedupes and does not know it', async () => {
    const trip = await harness(UNKNOWN, UNKNOWN, { outcome: 'submitted' }, PAID);
    await trip.call('submit');
    expect(await trip.state()).toBe('IN_DOUBT');
    trip.clock.advance(1_000);
    await trip.call('poll');
    expect([await trip.state(), trip.provider?.submitted.length, new Set(trip.provider?.submitted).size]).toEqual([
      'SUBMITTED',
      2,
      1,
    ]);
    trip.clock.advance(1_000);
    await trip.call('poll');
    expect(await trip.state()).toBe('COMPLETE');
  });

  it('a submit that was interrupted goes out again under the same id where the provider dedupes', async () => {
    const trip = await harness(PAID);
    await trip.claim('submit');
    expect(await trip.call('submit')).toBe(0);
    trip.clock.advance(LEASE_MS + 1);
    expect(await trip.call('submit')).toBe(1);
    expect([await trip.state(), new Set(trip.provider?.submitted).size]).toEqual(['COMPLETE', 1]);
  });

  it('a submit that was interrupted is only asked about where the provider does not', async () => {
    const trip = await (await new Harness(pg, new ScriptedProvider([PAID], false)).accepted()).start();
    await trip.claim('submit');
    trip.clock.advance(LEASE_MS + 1);
    await trip.call('submit');
    expect([await trip.state(), trip.provider?.submitted]).toEqual(['IN_DOUBT', []]);
    trip.clock.advance(1_000);
    await trip.call('poll');
    expect([await trip.state(), trip.provider?.submitted]).toEqual(['COMPLETE', []]);
  });

  it('another amount than ours is held for review', async () => {
    const trip = await harness({ outcome: 'mismatch', detail: 'amount' });
    await trip.call('submit');
    expect([await trip.state(), (await trip.row()).status, await trip.wallet()]).toEqual([
      'REVIEW',
      'PROCESSING',
      FUNDS - AMOUNT - FEE,
    ]);
  });
});

describe('a provider that cannot take it', () => {
  it('parks the payment, tries again under a new id, and pays', async () => {
    const trip = await harness(NO_FLOAT, PAID);
    await trip.call('submit');
    expect(await trip.state()).toBe('QUEUED');
    await trip.start();
    expect(await trip.state()).toBe('QUEUED');
    trip.clock.advance(1_000);
    await trip.start();
    await trip.call('submit');
    expect([await trip.state(), new Set(trip.provider?.submitted).size]).toEqual(['COMPLETE', 2]);
  });

  it('fails it at the deadline and gives the money back', async () => {
    const trip = await (await new Harness(pg, undefined).accepted()).start();
    expect(await trip.state()).toBe('QUEUED');
    trip.clock.advance(1_000);
    await trip.start();
    expect(await trip.state()).toBe('QUEUED');
    trip.clock.advance(29_000);
    await trip.start();
    expect(await trip.row()).toMatchObject({ status: 'FAILED', failure_code: 'rail_unavailable' });
    expect(await trip.wallet()).toBe(FUNDS);
    expect((await trip.told()).map(([type]) => type)).toEqual(['transaction.processing', 'transaction.failed']);
  });

  it('a payment that came back is settled and unsettled in one commit, with both webhooks', async () => {
    const trip = await harness({ outcome: 'submitted' }, { outcome: 'reversed', receipt: 'R9', detail: 'returned' });
    await trip.call('submit');
    trip.clock.advance(1_000);
    await trip.call('poll');
    expect(await trip.row()).toMatchObject({ status: 'REVERSED', receipt_number: 'R9' });
    expect(await trip.wallet()).toBe(FUNDS);
    expect((await trip.told()).map(([, , status]) => status)).toEqual(['PROCESSING', 'COMPLETE', 'REVERSED']);
  });
});

describe('hazards', () => {
  it('a start that comes late starts nothing: not on a paid transaction, not on a failed one', async () => {
    for (const end of [PAID, NOT_PAID]) {
      const trip = await new Harness(pg, new ScriptedProvider([end])).accepted();
      const [readAsDue] = (await trip.store.dueForStart(trip.clock.now(), 1_000)).filter(
        ({ details }) => details.id === trip.id,
      );
      await trip.start();
      await trip.call('submit');
      await trip.starter.run(readAsDue!);
      trip.clock.advance(3_600_000);
      expect([await trip.call('submit'), trip.provider?.submitted.length, (await trip.told()).length]).toEqual([
        0, 1, 2,
      ]);
    }
  });

  it('that a repeated call is refused proves nothing of the first', async () => {
    const trip = await harness(NO_FLOAT, UNKNOWN, NO_FLOAT, PAID);
    await trip.claim('submit');
    trip.clock.advance(LEASE_MS + 1);
    await trip.call('submit');
    expect([await trip.state(), await trip.wallet()]).toEqual(['IN_DOUBT', FUNDS - AMOUNT - FEE]);
    trip.clock.advance(1_000);
    await trip.call('poll');
    expect(await trip.state()).toBe('IN_DOUBT');
    trip.clock.advance(1_000);
    await trip.call('poll');
    expect([await trip.state(), new Set(trip.provider?.submitted).size]).toEqual(['COMPLETE', 1]);
  });

  it('the answer of a claim that lapsed is not taken', async () => {
    const trip = await harness(NO_FLOAT, { outcome: 'submitted' }, PAID);
    const [lapsed] = await trip.claim('submit');
    const submit = trip.provider!.submit.bind(trip.provider);
    let newer: ClaimedAttempt | undefined;
    trip.provider!.submit = async (instruction) => {
      trip.provider!.submit = submit;
      trip.clock.advance(LEASE_MS + 1);
      [newer] = await trip.claim('submit');
      return submit(instruction);
    };
    await trip.caller.run('submit', lapsed!);
    expect(await trip.state()).toBe('SUBMITTING');
    await trip.caller.run('submit', newer!);
    trip.clock.advance(1_000);
    await trip.call('poll');
    expect([await trip.state(), new Set(trip.provider?.submitted).size]).toEqual(['COMPLETE', 1]);
  });

  it.each([
    [true, 2],
    [false, 1],
  ])(
    'a slow submit that outlives its lease pays once, and its own answer comes too late (provider dedupes: %s)',
    async (dedupes, calls) => {
      const provider = new ScriptedProvider([{ outcome: 'submitted' }], dedupes);
      const trip = await (await new Harness(pg, provider).accepted()).start();
      let answerAtLast: (answer: ProviderAnswer) => void = () => undefined;
      const submit = provider.submit.bind(provider);
      provider.submit = (instruction) => {
        provider.submit = submit;
        provider.submitted.push(instruction.attemptId);
        return new Promise((resolve) => {
          answerAtLast = resolve;
        });
      };
      const [slow] = await trip.claim('submit');
      const underWay = trip.caller.run('submit', slow!);
      trip.clock.advance(LEASE_MS + 1);
      await trip.call('submit');
      const state = await trip.state();
      answerAtLast(NOT_PAID);
      await underWay;
      expect([state, await trip.state(), provider.submitted.length, new Set(provider.submitted).size]).toEqual([
        dedupes ? 'SUBMITTED' : 'IN_DOUBT',
        state,
        calls,
        1,
      ]);
      trip.clock.advance(1_000);
      if (!dedupes) await trip.call('poll');
      provider.will(PAID);
      trip.clock.advance(1_000);
      await trip.call('poll');
      expect([await trip.state(), await trip.wallet()]).toEqual(['COMPLETE', FUNDS - AMOUNT - FEE]);
    },
  );

  it('a name that no database can store does not keep a payment from being settled', async () => {
    const trip = await harness({ ...PAID, receipt: 'R\u00007', publicName: 'TEST \ud800 \u0000\n7890' });
    await trip.call('submit');
    expect(await trip.row()).toMatchObject({
      status: 'COMPLETE',
      receipt_number: 'R 7',
      public_name: 'TEST \ufffd  7890',
    });
  });

  it('a transaction that is being recorded is not said to be absent', async () => {
    const trip = new Harness(pg, new ScriptedProvider([]));
    const accepting = trip.accepted();
    expect(trip.writer.isRecording(trip.partner, trip.code)).toBe(false);
    await accepting;
    const again = trip.acceptAgain();
    await Promise.resolve();
    expect(trip.writer.isRecording(trip.partner, trip.code)).toBe(true);
    await again;
    expect(trip.writer.isRecording(trip.partner, trip.code)).toBe(false);
  });
});
