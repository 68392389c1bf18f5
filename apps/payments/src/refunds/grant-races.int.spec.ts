import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { money } from '@vuka/domain';
import type { ProviderAnswer } from '@vuka/payouts';
import type { Transaction } from '@vuka/persistence';
import { until } from '@vuka/testing';

import { FreezePayouts } from '../controls/freeze-payouts.js';
import { fundProviders, PayHarness } from '../testing/pay-harness.spec-support.js';
import { AMOUNT, Harness, ScriptedProvider } from '../testing/payout-harness.spec-support.js';
import { RefundHarness } from '../testing/refund-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';

/** What commits between the grant's read and its commit prevents the grant. */
let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
  await fundProviders(pg);
}, 60_000);
afterAll(() => pg.stop());

const REFUSED: ProviderAnswer = { outcome: 'not_paid', code: 'rail_rejected', routeLeft: false, detail: '' };
const PAID: ProviderAnswer = {
  outcome: 'succeeded',
  receipt: 'R1',
  publicName: null,
  amount: money(AMOUNT, 'KES'),
  recipient: '1',
};

async function failedPay(): Promise<{ readonly trip: RefundHarness; readonly refundId: number }> {
  const trip = new RefundHarness(pg, new ScriptedProvider([REFUSED]));
  return { trip, refundId: (await trip.failedPay()).refundId };
}

async function says(trip: Harness, answer: ProviderAnswer): Promise<void> {
  trip.provider!.will(answer);
  await trip.attempts.checkAtOnce(trip.id, 1, trip.clock.now());
  expect(await trip.call('watch')).toBe(1);
}

/** FAILED and given back to the wallet. */
async function anotherFailed(partner: number): Promise<Harness> {
  const other = new Harness(pg, new ScriptedProvider([REFUSED]));
  other.partner = partner;
  await (await other.accepted()).start();
  await other.call('submit');
  return other;
}

async function anotherPaid(partner: number): Promise<() => Promise<void>> {
  const other = new PayHarness(pg, new ScriptedProvider([PAID]));
  other.partner = partner;
  const deposit = other.facts();
  await (await (await other.payAccepted()).verified(deposit)).start();
  await other.call('submit');
  expect(await other.state()).toBe('COMPLETE');
  return () => other.reverted(deposit);
}

type Prepared = (trip: RefundHarness) => Promise<() => Promise<unknown>>;

/** Prepared before the grant reads; the result runs after. */
const UPDATE: Readonly<Record<string, Prepared>> = {
  'its provider says that it is under way': async (trip) => () => says(trip, { outcome: 'submitted' }),
  'its provider knows nothing of it any more': async (trip) => () => says(trip, { outcome: 'unknown', detail: '' }),
  'another transaction of its partner, given back, was paid (duplicate_payment)': async ({ partner }) => {
    const other = await anotherFailed(partner);
    return () => says(other, PAID);
  },
  'a deposit that paid for another one vanishes (deposit_vanished_paid)': ({ partner }) => anotherPaid(partner),
  'people freeze its partner':
    async ({ partner, clock }) =>
    () =>
      new FreezePayouts(pg.db, { run: () => Promise.resolve() }, clock).freeze({
        partnerId: partner,
        reason: 'looks odd',
        by: 'Ann Otieno',
      }),
  'gateway suspends its partner':
    async ({ partner }) =>
    () =>
      pg.db.query(
        `insert into partner_statuses (partner_id, status, sequence, told_at) values ($1, 'suspended', 1, now())`,
        [partner],
      ),
};

describe('a refund that was found to be grantable', () => {
  it.each(Object.entries(UPDATE))('is not granted where meanwhile %s', async (_, prepare) => {
    const { trip, refundId } = await failedPay();
    const happens = await prepare(trip);
    await trip.grantsAfter(happens).run();
    expect([(await trip.refundCheck(refundId)).state, await trip.toldOf(refundId)]).toEqual(['HELD', ['refund.held']]);
    await trip.grants.run();
    expect((await trip.refundCheck(refundId)).state).toBe('HELD');
  });

  it('is not granted where meanwhile it was paid: the payment ends it', async () => {
    const { trip, refundId } = await failedPay();
    await trip.grantsAfter(() => says(trip, PAID)).run();
    expect([await trip.refundCheck(refundId), await trip.toldOf(refundId)]).toMatchObject([
      { state: 'FAILED', failure: 'paid_after_all' },
      ['refund.held', 'refund.withdrawn'],
    ]);
  });

  it('is granted if nothing happened, and one that cannot be granted does not block others', async () => {
    const [held, free] = [await failedPay(), await failedPay()];
    await pg.db.query(
      `insert into partner_statuses (partner_id, status, sequence, told_at) values ($1, 'suspended', 1, now())`,
      [held.trip.partner],
    );
    await free.trip.grantsAfter(() => Promise.resolve()).run();
    expect([
      (await held.trip.refundCheck(held.refundId)).state,
      (await free.trip.refundCheck(free.refundId)).state,
    ]).toEqual(['HELD', 'GRANTED']);
  });
});

const waiting = async (): Promise<number> =>
  (
    await pg.db.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and pid <> pg_backend_pid()`,
    )
  ).length;

/** An open transaction that has locked and written. */
const UNDER_WAY: Readonly<Record<string, (tx: Transaction, trip: RefundHarness) => Promise<unknown>>> = {
  'news of its payout': async (tx, { id }) => {
    await tx.query('select from transactions where id = $1 for no key update', [id]);
    await tx.query(
      `insert into incidents (transaction_id, attempt_no, state, event, detail, at) values ($1, 1, 'FAILED', 'submitted', '', now())`,
      [id],
    );
  },
  'a debt of its partner': (tx, { partner }) =>
    tx.query(`update accounts set balance_minor = -1 where name = $1`, [`receivable:${partner}:UGX`]),
};

describe('a refund about which somebody commits at this moment', () => {
  it.each(Object.entries(UNDER_WAY))('waits for that commit, and is judged after it: %s', async (_, writes) => {
    const { trip, refundId } = await failedPay();
    await pg.db.query(
      `insert into accounts (name, kind, partner_id, asset, balance_minor, created_at) values ('receivable:' || $1::integer || ':UGX', 'receivable', $1::integer, 'UGX', 0, now())`,
      [trip.partner],
    );
    const granting = await pg.admin.inTransaction(async (tx) => {
      await writes(tx, trip);
      let hasEnded = false;
      const run = trip.grants.run().finally(() => (hasEnded = true));
      await until(async () => hasEnded || (await waiting()) > 0, {
        withinMs: 20_000,
        what: 'the grant waits for a lock',
      });
      return { run };
    });
    await granting.run;
    expect((await trip.refundCheck(refundId)).state).toBe('HELD');
  });
});
