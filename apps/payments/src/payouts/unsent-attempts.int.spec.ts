import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { money } from '@vuka/domain';
import type { DepositFacts } from '@vuka/contracts';
import type { ProviderAnswer } from '@vuka/payouts';

import { FreezePayouts } from '../controls/freeze-payouts.js';
import { leaseFor } from '../due-work/lease.js';
import { fundProviders, PayHarness } from '../testing/pay-harness.spec-support.js';
import { AMOUNT, FEE, FUNDS, LEASE_MS, Harness, ScriptedProvider } from '../testing/payout-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { WakeStopped } from '../controls/wake-stopped.js';

/** An unsent attempt is not sent after a stop or a reversal, and does not stay stuck. */
let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
  await fundProviders(pg);
}, 60_000);
afterAll(() => pg.stopWhole());

const NO_FLOAT: ProviderAnswer = { outcome: 'deferred', reason: 'float', detail: 'FLOAT' };
const SUBMITTED: ProviderAnswer = { outcome: 'submitted' };
const PAID: ProviderAnswer = {
  outcome: 'succeeded',
  receipt: 'R1',
  publicName: null,
  amount: money(AMOUNT, 'KES'),
  recipient: '1',
};

async function attemptsOf({ id }: Harness): Promise<string[]> {
  const rows = await pg.db.query<{ state: string; ended_by: string | null; sent: boolean }>(
    `select state, ended_by, first_sent_at is not null or sent_until is not null as sent from attempts where transaction_id = $1 order by attempt_no`,
    [id],
  );
  return rows.map(({ state, ended_by: end, sent }) => `${state} ${end ?? '-'} ${sent ? 'sent' : 'unsent'}`);
}

/** Committed to be sent; a later attempt waited for people first. */
async function unsent(...script: ProviderAnswer[]): Promise<Harness> {
  const trip = await (await new Harness(pg, new ScriptedProvider(script)).accepted()).start();
  expect(await trip.state()).toBe('SUBMITTING');
  return trip;
}

async function suspend({ partner }: Harness, status: 'active' | 'suspended', sequence: number): Promise<void> {
  await pg.db.query(
    `insert into partner_statuses (partner_id, status, sequence, told_at) values ($1, $2, $3, now())
     on conflict (partner_id) do update set status = excluded.status, sequence = excluded.sequence`,
    [partner, status, sequence],
  );
}

const freezing = (trip: Harness): FreezePayouts => trip.partsWith().get(FreezePayouts);

describe('an unsent attempt of a partner who is stopped', () => {
  it.each(['suspended', 'frozen by people'] as const)(
    '%s: it is given up, its transaction waits, and goes out when that ends',
    async (how) => {
      const trip = await unsent(PAID);
      if (how === 'suspended') await suspend(trip, 'suspended', 1);
      else await freezing(trip).freeze({ partnerId: trip.partner, reason: 'looks odd', by: 'Ann' });
      for (let minutes = 0; minutes < 5; minutes += 1) {
        await trip.call('submit');
        trip.clock.advance(60_000);
        await trip.start();
      }
      expect([await trip.state(), trip.provider?.submitted.length, await attemptsOf(trip)]).toEqual([
        'QUEUED',
        0,
        ['NOT_PAID stopped unsent'],
      ]);
      expect([await trip.wallet(), await trip.incidents()]).toEqual([FUNDS - AMOUNT - FEE, []]);
      if (how === 'suspended') await suspend(trip, 'active', 2);
      else await freezing(trip).unfreeze({ partnerId: trip.partner, reason: 'is well', by: 'Ann' });
      await trip.partsWith().get(WakeStopped).run(trip.partner);
      trip.clock.advance(1_000);
      await trip.start();
      expect([await trip.call('submit'), trip.provider?.submitted.length, await trip.state()]).toEqual([
        1,
        1,
        'COMPLETE',
      ]);
    },
  );

  it('starts no other attempt before what is remembered of the partner is as new as that', async () => {
    const trip = await unsent(PAID);
    await trip.frozen.why(trip.partner);
    await suspend(trip, 'suspended', 1);
    await trip.call('submit');
    for (let ms = 0; ms < 3_000; ms += 100) {
      trip.clock.advance(100);
      await trip.start();
      await trip.call('submit');
    }
    expect(await attemptsOf(trip)).toEqual(['NOT_PAID stopped unsent']);
  });

  it('others of the same provider go out in the same claim', async () => {
    const [trip, free] = [await unsent(PAID), await unsent(SUBMITTED)];
    await suspend(trip, 'suspended', 1);
    const claimed = await free.claims.claim('submit', 'sandbox', leaseFor(LEASE_MS, free.clock), 1_000);
    expect(
      claimed
        .filter(({ transaction: { details } }) => [trip.id, free.id].includes(details.id))
        .map(({ transaction: { details }, isStopped }) => [details.id === trip.id, isStopped])
        .sort(),
    ).toEqual([
      [false, false],
      [true, true],
    ]);
    expect([await attemptsOf(trip), await attemptsOf(free)]).toEqual([['INTENT - unsent'], ['SENDING - sent']]);
  });

  it('that was sent already is followed as ever', async () => {
    const trip = await unsent(SUBMITTED, PAID);
    await trip.call('submit');
    await suspend(trip, 'suspended', 1);
    trip.clock.advance(1_000);
    await trip.call('poll');
    expect(await trip.state()).toBe('COMPLETE');
  });
});

describe('an unsent attempt whose deposit vanishes', () => {
  async function committed(...script: ProviderAnswer[]): Promise<{ trip: PayHarness; deposit: DepositFacts }> {
    const trip = await new PayHarness(pg, new ScriptedProvider(script)).payAccepted();
    const deposit = trip.facts();
    await trip.verified(deposit);
    await trip.start();
    expect(await trip.state()).toBe('SUBMITTING');
    return { trip, deposit };
  }

  async function expectNobodyOwes(trip: PayHarness, deposit: DepositFacts): Promise<void> {
    expect([await trip.state(), trip.provider?.submitted.length, await attemptsOf(trip)]).toEqual([
      'FAILED',
      0,
      ['NOT_PAID stopped unsent'],
    ]);
    expect([await trip.held(), await trip.on('wallet', 'KES'), await trip.debt(), await trip.incidents()]).toEqual([
      0n,
      0n,
      0n,
      [],
    ]);
    expect([await trip.depositStates(), (await trip.row()).failure_code]).toEqual([
      [[deposit.deposit_id, 'reverted']],
      'deposit_reverted',
    ]);
    trip.clock.advance(1_000);
    expect(await trip.frozen.why(trip.partner)).toBeNull();
  }

  it('is given up in the commit that takes the deposit back: nothing had left, so nobody owes', async () => {
    const { trip, deposit } = await committed(PAID);
    await trip.reverted(deposit);
    expect(await trip.call('submit')).toBe(0);
    await expectNobodyOwes(trip, deposit);
  });

  it('and the process that hears of it dies before it takes it back: it is not sent, and taken back by who starts it next', async () => {
    const { trip, deposit } = await committed(PAID);
    const { depositId, transactionId, mark } = {
      depositId: deposit.deposit_id,
      transactionId: trip.id,
      mark: {
        group: 'payments',
        eventId: '0190a000-0000-7000-8000-000000000001',
        occurredAt: new Date().toISOString(),
      },
    };
    await trip.deposits.rememberVanished({ depositId, transactionId, mark });
    for (let ticks = 0; ticks < 3; ticks += 1) {
      await trip.call('submit');
      trip.clock.advance(1_000);
      await trip.start();
    }
    await expectNobodyOwes(trip, deposit);
  });

  it('at the moment at which it is claimed: it is sent and owed, or neither', async () => {
    for (let time = 0; time < 8; time += 1) {
      const { trip, deposit } = await committed(PAID);
      await Promise.all([trip.call('submit'), trip.reverted(deposit)]);
      await trip.reverted(deposit);
      for (let ticks = 0; ticks < 2; ticks += 1) {
        trip.clock.advance(1_000);
        await trip.start();
        await trip.call('submit');
      }
      const isPaid = trip.provider?.submitted.length === 1;
      expect([await trip.state(), await trip.debt()]).toEqual(isPaid ? ['COMPLETE', 517_40n] : ['FAILED', 0n]);
    }
  });

  it('while it waits for people, because an older one is contradicted: the same', async () => {
    const trip = await new PayHarness(
      pg,
      new ScriptedProvider([NO_FLOAT]),
      new ScriptedProvider([], false, 'sandbox_b'),
    ).payAccepted();
    const deposit = trip.facts();
    await trip.verified(deposit);
    await trip.start();
    await trip.call('submit');
    trip.clock.advance(2_000);
    await trip.start();
    trip.provider?.will(SUBMITTED);
    await trip.call('watch');
    expect([await trip.state(), await trip.call('submit'), await trip.incidents()]).toEqual([
      'SUBMITTING',
      0,
      [{ event: 'submitted', times: 1 }],
    ]);
    await trip.reverted(deposit);
    expect([await trip.state(), await trip.debt(), trip.providers[1]?.submitted.length]).toEqual(['FAILED', 0n, 0]);
  });

  it('and which its provider may have: the partner owes it, as ever', async () => {
    const { trip, deposit } = await committed(PAID);
    await trip.claim('submit');
    await trip.reverted(deposit);
    expect([await trip.state(), await trip.debt()]).toEqual(['SUBMITTING', 517_40n]);
  });
});
