import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { money } from '@vuka/domain';
import type { ProviderAnswer } from '@vuka/payouts';

import { ResolveIncident } from '../admin/resolve-incident.js';
import { fundProviders } from '../testing/pay-harness.spec-support.js';
import {
  AMOUNT,
  FEE,
  FUNDS,
  LATE_WINDOW_MS,
  LEASE_MS,
  Harness,
  ScriptedProvider,
} from '../testing/payout-harness.spec-support.js';
import { ADDRESS, RefundHarness } from '../testing/refund-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';

/**
 * A provider contradicts its "not paid" while a later attempt is out: until people resolve it, value leaves at
 * most once.
 */
let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
  await fundProviders(pg);
}, 60_000);
afterAll(() => pg.stopWhole());

const SPENT = FUNDS - AMOUNT - FEE;
const SUBMITTED: ProviderAnswer = { outcome: 'submitted' };
const UNKNOWN: ProviderAnswer = { outcome: 'unknown', detail: 'timeout' };
const NOT_FOUND: ProviderAnswer = { outcome: 'unknown', detail: 'the provider does not know our id', notFound: true };
const MISMATCH: ProviderAnswer = { outcome: 'mismatch', detail: '' };
const NO_FLOAT: ProviderAnswer = { outcome: 'deferred', reason: 'float', detail: 'FLOAT' };
const REFUSED: ProviderAnswer = { outcome: 'not_paid', code: 'recipient_not_found', routeLeft: false, detail: '' };
const NOT_HERE: ProviderAnswer = { ...REFUSED, code: 'rail_rejected', routeLeft: true };
const paid = (receipt: string): ProviderAnswer => ({
  outcome: 'succeeded',
  receipt,
  publicName: null,
  amount: money(AMOUNT, 'KES'),
  recipient: '1',
});

const other = (...script: ProviderAnswer[]): ScriptedProvider => new ScriptedProvider(script, false, 'sandbox_b');

async function secondIsOut(first: ProviderAnswer, second: ProviderAnswer = SUBMITTED): Promise<Harness> {
  const trip = await new Harness(pg, new ScriptedProvider([first]), other(second)).accepted();
  for (let attempts = 0; attempts < 2; attempts += 1) {
    await trip.start();
    await trip.call('submit');
  }
  expect(trip.providers.map(({ submitted }) => submitted.length)).toEqual([1, 1]);
  return trip;
}

/** For a pay with a refund address. */
async function payIsOut(): Promise<RefundHarness> {
  const trip = new RefundHarness(pg, new ScriptedProvider([NOT_HERE]), other(SUBMITTED));
  await trip.payAccepted({ refund_address: ADDRESS });
  await trip.verified(trip.facts({ received_minor: '3866000' }));
  for (let attempts = 0; attempts < 2; attempts += 1) {
    await trip.start();
    await trip.call('submit');
  }
  return trip;
}

async function firstSays(trip: Harness, ...answers: ProviderAnswer[]): Promise<void> {
  for (const answer of answers) {
    trip.providers[0]?.will(answer);
    trip.clock.advance(10_000);
    const claimed = await trip.claim('watch');
    for (const attempt of claimed.filter(({ provider }) => provider === 'sandbox'))
      await trip.caller.run('watch', attempt);
  }
}

async function secondSays(trip: Harness, answer: ProviderAnswer): Promise<void> {
  trip.providers[1]?.will(answer);
  trip.clock.advance(1_000);
  await trip.call('poll');
}

/** Everything is due, and nothing is sent. */
async function expectWaits(trip: Harness): Promise<void> {
  const sent = trip.providers.map(({ submitted }) => submitted.length);
  for (let minutes = 0; minutes < 10; minutes += 1) {
    await trip.start();
    await trip.call('submit');
    trip.clock.advance(60_000);
  }
  expect([await trip.state(), trip.providers.map(({ submitted }) => submitted.length)]).toEqual(['QUEUED', sent]);
}

/** Resolves with the number of incidents closed. */
async function resolveAll(trip: Harness): Promise<number> {
  const open = await pg.db.query<{ id: string }>(
    'select id from incidents where transaction_id = $1 and resolved_at is null',
    [trip.id],
  );
  for (const { id } of open)
    await new ResolveIncident(pg.db, trip.clock).run(Number(id), 'Ann Otieno', 'the provider gave it up, ticket 12');
  return open.length;
}

async function refundsOf({ id }: Harness): Promise<string[]> {
  return (await pg.db.query<{ state: string }>('select state from refunds where transaction_id = $1', [id])).map(
    ({ state }) => state,
  );
}

describe('an older attempt is worked on after all, while a later one is out', () => {
  it.each([
    ['was put off', NO_FLOAT],
    ['was refused', NOT_HERE],
  ])('where it %s, and the later one fails: no third starts until people have checked', async (_, first) => {
    const trip = await secondIsOut(first);
    await firstSays(trip, SUBMITTED);
    expect(await trip.incidents()).toEqual([{ event: 'submitted', times: 1 }]);
    await secondSays(trip, NOT_HERE);
    await expectWaits(trip);
    expect([await trip.wallet(), await trip.posted()]).toEqual([SPENT, ['payout_held']]);
  });

  it('and pays, while its transaction waits for people: that is the payment', async () => {
    const trip = await secondIsOut(NOT_HERE);
    await firstSays(trip, SUBMITTED);
    await secondSays(trip, REFUSED);
    await firstSays(trip, paid('A1'));
    expect([await trip.state(), await trip.posted(), await trip.debt()]).toEqual([
      'COMPLETE',
      ['payout_held', 'payout_settled'],
      0n,
    ]);
    expect(await trip.row()).toMatchObject({ status: 'COMPLETE', receipt_number: 'A1', failure_code: '' });
  });

  it('and its later one is refused for good: it fails by that, once people have looked, and tries no other provider', async () => {
    const trip = await new Harness(
      pg,
      new ScriptedProvider([NOT_HERE]),
      other(SUBMITTED),
      new ScriptedProvider([], false, 'sandbox_c'),
    ).accepted();
    for (let attempts = 0; attempts < 2; attempts += 1) {
      await trip.start();
      await trip.call('submit');
    }
    await firstSays(trip, SUBMITTED);
    await secondSays(trip, REFUSED);
    await expectWaits(trip);
    expect(await trip.row()).toMatchObject({ status: 'PROCESSING', failure_code: '' });
    expect(await resolveAll(trip)).toBe(1);
    await trip.start();
    expect(await trip.row()).toMatchObject({ status: 'FAILED', failure_code: 'recipient_not_found' });
    expect([await trip.wallet(), trip.providers[2]?.submitted.length]).toEqual([FUNDS, 0]);
  });

  it('and its later one pays: COMPLETE as ever, and the incident stays for people', async () => {
    const trip = await secondIsOut(NOT_HERE);
    await firstSays(trip, SUBMITTED);
    await secondSays(trip, paid('B1'));
    expect([await trip.state(), await trip.posted(), await resolveAll(trip)]).toEqual([
      'COMPLETE',
      ['payout_held', 'payout_settled'],
      1,
    ]);
  });

  it('of a pay: its value is not sent back while it may be paid, and it is not both', async () => {
    const trip = await payIsOut();
    await firstSays(trip, SUBMITTED);
    await secondSays(trip, REFUSED);
    await trip.grants.run();
    expect([await trip.state(), await refundsOf(trip)]).toEqual(['QUEUED', []]);
    await firstSays(trip, paid('A1'));
    await trip.grants.run();
    expect([await trip.state(), await refundsOf(trip), await trip.debt()]).toEqual(['COMPLETE', [], 0n]);
  });

  it('and people settle the later one as not paid: it waits, and fails when they have resolved the contradiction as well', async () => {
    const trip = await secondIsOut(NOT_HERE, MISMATCH);
    expect(await trip.state()).toBe('REVIEW');
    await firstSays(trip, SUBMITTED);
    const proposed = await trip.settle.propose({
      transactionId: trip.id,
      outcome: 'not_paid',
      receipt: null,
      paid: null,
      evidence: 'statement',
      by: 'Ann',
    });
    if (!proposed.ok) throw new Error(proposed.error.message);
    expect(await trip.settle.approve({ settlementId: proposed.value.settlementId, by: 'Ben' })).toMatchObject({
      ok: true,
      value: { state: 'QUEUED' },
    });
    await expectWaits(trip);
    await resolveAll(trip);
    await trip.start();
    expect(await trip.row()).toMatchObject({ status: 'FAILED', failure_code: 'rail_rejected' });
  });

  it('and is still asked about when the later one is in REVIEW: what it pays is not lost', async () => {
    const trip = await secondIsOut(NOT_HERE, MISMATCH);
    await firstSays(trip, SUBMITTED, SUBMITTED, paid('A1'));
    expect([await trip.state(), await trip.posted()]).toEqual(['REVIEW', ['payout_held', 'duplicate_payment_ours']]);
  });
});

describe('a later attempt whose call was interrupted, while an older one is contradicted', () => {
  it('is asked about, and is not sent again until people have looked', async () => {
    const second = new ScriptedProvider([], true, 'sandbox_b');
    const trip = await (await new Harness(pg, new ScriptedProvider([NO_FLOAT]), second).accepted()).start();
    await trip.call('submit');
    await trip.start();
    // The process dies before the call.
    await trip.claim('submit');
    await firstSays(trip, MISMATCH);
    trip.clock.advance(LEASE_MS);
    expect([await trip.call('submit'), second.submitted.length, await trip.state()]).toEqual([1, 0, 'IN_DOUBT']);
    second.will(NOT_FOUND, NOT_FOUND);
    for (let polls = 0; polls < 2; polls += 1) {
      trip.clock.advance(1_000);
      await trip.call('poll');
    }
    expect([second.submitted.length, await resolveAll(trip)]).toEqual([0, 1]);
    second.will(NOT_FOUND, paid('B1'));
    trip.clock.advance(1_000);
    await trip.call('poll');
    expect([second.submitted.length, await trip.state()]).toEqual([1, 'COMPLETE']);
  });
});

describe('people who have resolved a contradiction', () => {
  it('have its transaction tried at once', async () => {
    const trip = await (await new Harness(pg, new ScriptedProvider([NO_FLOAT])).accepted()).start();
    await trip.call('submit');
    await firstSays(trip, SUBMITTED);
    await trip.start();
    trip.clock.advance(1);
    expect(await resolveAll(trip)).toBe(1);
    trip.provider?.will(paid('A2'));
    await trip.start();
    expect([await trip.call('submit'), await trip.state()]).toEqual([1, 'COMPLETE']);
  });

  it('between what a start has read and its commit: it is due again at once', async () => {
    const trip = await (await new Harness(pg, new ScriptedProvider([NO_FLOAT])).accepted()).start();
    await trip.call('submit');
    await firstSays(trip, SUBMITTED);
    const { historyOf } = trip.attempts;
    trip.attempts.historyOf = async (id) => {
      const history = await historyOf.call(trip.attempts, id);
      trip.attempts.historyOf = historyOf;
      await resolveAll(trip);
      return history;
    };
    await trip.start();
    trip.clock.advance(1);
    await trip.start();
    expect(await trip.state()).toBe('SUBMITTING');
  });

  it('are not asked the same again: a provider that goes on saying so holds nothing up any more', async () => {
    const trip = await (await new Harness(pg, new ScriptedProvider([NO_FLOAT])).accepted()).start();
    await trip.call('submit');
    await firstSays(trip, SUBMITTED);
    await trip.start();
    expect(await resolveAll(trip)).toBe(1);
    await firstSays(trip, SUBMITTED, SUBMITTED);
    expect([await trip.incidents(), await resolveAll(trip)]).toEqual([[{ event: 'submitted', times: 3 }], 0]);
    await trip.start();
    trip.provider?.will(SUBMITTED);
    expect([await trip.call('submit'), await trip.state()]).toEqual([1, 'SUBMITTED']);
    await firstSays(trip, SUBMITTED);
    expect(await resolveAll(trip)).toBe(0);
  });

  it('are asked when it says another thing, or says it of another attempt', async () => {
    const trip = await secondIsOut(NOT_HERE);
    await firstSays(trip, SUBMITTED);
    await resolveAll(trip);
    await firstSays(trip, SUBMITTED, UNKNOWN);
    expect(await resolveAll(trip)).toBe(1);
    await secondSays(trip, NOT_HERE);
    trip.providers[0]?.will(UNKNOWN);
    trip.providers[1]?.will(SUBMITTED);
    trip.clock.advance(LEASE_MS);
    await trip.call('watch');
    expect(await trip.incidents()).toEqual([
      { event: 'submitted', times: 2 },
      { event: 'unknown', times: 2 },
      { event: 'submitted', times: 1 },
    ]);
  });

  it('and what is paid in the end is posted, however long its provider has worked on it', async () => {
    const trip = await secondIsOut(NOT_HERE);
    await firstSays(trip, SUBMITTED);
    await resolveAll(trip);
    for (let waited = 0; waited < 3 * LATE_WINDOW_MS; waited += 10_000) await firstSays(trip, SUBMITTED);
    await firstSays(trip, paid('A1'));
    expect([await trip.state(), await trip.posted()]).toEqual(['SUBMITTED', ['payout_held', 'duplicate_payment_ours']]);
  });
});
