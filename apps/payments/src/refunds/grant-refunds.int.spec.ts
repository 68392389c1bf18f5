import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { money } from '@vuka/domain';
import type { DepositFacts } from '@vuka/contracts';
import type { ProviderAnswer } from '@vuka/payouts';

import { fundProviders } from '../testing/pay-harness.spec-support.js';
import { ScriptedProvider } from '../testing/payout-harness.spec-support.js';
import { ADDRESS, RefundHarness } from '../testing/refund-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';

/** A failed pay is not paid and refunded: a payment known before the grant ends the refund, a later one is owed. */
let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
  await fundProviders(pg);
}, 60_000);
afterAll(() => pg.stopWhole());

const AMOUNT = 500_00n;
const RECEIVED = 3_866_000n;
/** RECEIVED at 129.3517, floored. */
const WORTH = 500_07n;
const REFUSED: ProviderAnswer = { outcome: 'not_paid', code: 'rail_rejected', routeLeft: false, detail: '' };
const paid = (receipt = 'R1'): ProviderAnswer => ({
  outcome: 'succeeded',
  receipt,
  publicName: 'TEST 1',
  amount: money(AMOUNT, 'KES'),
  recipient: '1',
});
const reversed = (receipt = 'R1'): ProviderAnswer => ({ outcome: 'reversed', receipt, detail: '' });

interface Failed {
  readonly trip: RefundHarness;
  readonly provider: ScriptedProvider;
  readonly deposit: DepositFacts;
  readonly refundId: number;
}

async function failedPay(refundSafeAfterMs = 0): Promise<Failed> {
  const provider = new ScriptedProvider([REFUSED]);
  provider.refundSafeAfterMs = refundSafeAfterMs;
  const trip = new RefundHarness(pg, provider);
  return { trip, provider, ...(await trip.failedPay()) };
}

async function says({ trip, provider }: Failed, answer: ProviderAnswer): Promise<void> {
  provider.will(answer);
  await trip.attempts.checkAtOnce(trip.id, 1, trip.clock.now());
  await trip.call('watch');
}

const states = async ({ trip, refundId, deposit }: Failed) => ({
  transaction: await trip.state(),
  refund: await trip.refundCheck(refundId),
  deposits: await trip.depositStates(),
  id: deposit.deposit_id,
});

describe('a refund', () => {
  it('is granted in a commit of its own, tells offramp so once, and is nothing new to a partner', async () => {
    const failed = await failedPay();
    const { trip, refundId } = failed;
    expect(await trip.toldOf(refundId)).toEqual(['refund.held']);
    await Promise.all([trip.grants.run(), trip.grants.run()]);
    await trip.grants.run();
    expect((await trip.refundCheck(refundId)).state).toBe('GRANTED');
    expect(await trip.toldOf(refundId)).toEqual(['refund.held', 'refund.granted']);
    expect(await trip.refundColumn()).toBe('PENDING');
  });

  it('waits while its provider may still have paid', async () => {
    const { trip, refundId } = await failedPay(60_000);
    await trip.grants.run();
    trip.clock.advance(59_000);
    await trip.grants.run();
    expect((await trip.refundCheck(refundId)).state).toBe('HELD');
    trip.clock.advance(1_001);
    await trip.grants.run();
    expect((await trip.refundCheck(refundId)).state).toBe('GRANTED');
  });

  it('of unused value does not wait for a provider', async () => {
    const provider = new ScriptedProvider([]);
    provider.refundSafeAfterMs = 60_000;
    const trip = new RefundHarness(pg, provider);
    await trip.underpaid();
    const refundId = await trip.refunded();
    await trip.grants.run();
    expect((await trip.refundCheck(refundId)).state).toBe('GRANTED');
  });

  it('is not granted while its provider contradicts its own "not paid", and is once people have resolved that', async () => {
    const failed = await failedPay();
    const { trip, refundId } = failed;
    await says(failed, { outcome: 'submitted' });
    await trip.grants.run();
    expect((await trip.refundCheck(refundId)).state).toBe('HELD');
    await pg.db.query(
      `update incidents set resolved_at = now(), resolved_by = 'ann', resolution = 'seen' where transaction_id = $1`,
      [trip.id],
    );
    await trip.grants.run();
    expect((await trip.refundCheck(refundId)).state).toBe('GRANTED');
  });
});

describe('a refund that speaks against its grant', () => {
  it('is not granted where an older attempt is said to be under way again', async () => {
    const [first, second] = [
      new ScriptedProvider([{ ...REFUSED, routeLeft: true }]),
      new ScriptedProvider([REFUSED], false, 'sandbox_b'),
    ];
    const trip = new RefundHarness(pg, first, second);
    await trip.payAccepted({ refund_address: ADDRESS });
    await trip.verified(trip.facts({ received_minor: RECEIVED.toString() }));
    for (let attempt = 0; attempt < 2; attempt++) {
      await trip.start();
      await trip.call('submit');
    }
    first.will({ outcome: 'submitted' });
    await trip.attempts.checkAtOnce(trip.id, 1, trip.clock.now());
    await trip.call('watch');
    await trip.grants.run();
    expect(await trip.refundColumn()).toBe('PENDING');
    const [row] = await pg.db.query<{ state: string }>('select state from refunds where transaction_id = $1', [
      trip.id,
    ]);
    expect([row?.state, await trip.openIncidents()]).toEqual(['HELD', [['submitted', 1]]]);
  });

  it('is not granted while its partner owes, and is once that is settled', async () => {
    const { trip, refundId } = await failedPay();
    const owe = (minor: number) =>
      pg.admin.query(
        `insert into accounts (name, kind, partner_id, asset, balance_minor, created_at) values ('receivable:' || $1::integer || ':UGX', 'receivable', $1::integer, 'UGX', $2, now()) on conflict (name) do update set balance_minor = $2`,
        [trip.partner, minor],
      );
    await owe(-1);
    await trip.grants.run();
    expect((await trip.refundCheck(refundId)).state).toBe('HELD');
    await owe(0);
    await trip.grants.run();
    expect((await trip.refundCheck(refundId)).state).toBe('GRANTED');
  });

  it('ends where its deposit vanishes before the grant, and offramp is told so', async () => {
    const { trip, deposit, refundId } = await failedPay();
    await trip.reverted(deposit);
    await trip.grants.run();
    expect((await trip.refundCheck(refundId)).state).toBe('FAILED');
    expect(await trip.toldOf(refundId)).toEqual(['refund.held', 'refund.withdrawn']);
  });
});

describe('a payment that is known before the grant', () => {
  it('ends the refund: the value is behind the payout again, nobody owes, and the status stays', async () => {
    const failed = await failedPay();
    const { trip, refundId } = failed;
    await says(failed, paid());
    await trip.grants.run();
    expect(await states(failed)).toMatchObject({
      transaction: 'FAILED',
      refund: { state: 'FAILED', failure: 'paid_after_all' },
      deposits: [[failed.deposit.deposit_id, 'funding']],
    });
    expect(await trip.money()).toEqual({
      unapplied: 0n,
      refunding: 0n,
      wallet: WORTH - AMOUNT,
      chain: -RECEIVED,
      owed: 0n,
    });
    expect(await trip.flow('rail:sandbox:main:KES')).toBe(AMOUNT);
    expect(await trip.held()).toBe(0n);
    expect(await trip.toldOf(refundId)).toEqual(['refund.held', 'refund.withdrawn']);
    expect(await trip.openIncidents()).toEqual([]);
    expect(await trip.refundColumn()).toBe('FAILED');
  });

  it('is posted once, for repeated reports from any source', async () => {
    const failed = await failedPay();
    await Promise.all([says(failed, paid()), failed.trip.grants.run()]);
    for (let again = 0; again < 3; again++) await says(failed, paid());
    const once = await failed.trip.money();
    await says(failed, paid());
    expect(await failed.trip.money()).toEqual(once);
    expect(
      (await failed.trip.posted()).filter((kind) => kind === 'payout_settled' || kind === 'duplicate_payment'),
    ).toHaveLength(1);
  });

  it('and comes back later: payout_reversed gives it to the wallet, and the deposit is credited', async () => {
    const failed = await failedPay();
    const { trip, deposit } = failed;
    await says(failed, paid());
    await says(failed, reversed());
    await says(failed, reversed());
    expect(await trip.state()).toBe('FAILED');
    expect(await trip.depositStates()).toEqual([[deposit.deposit_id, 'credited']]);
    expect(await trip.money()).toEqual({ unapplied: 0n, refunding: 0n, wallet: WORTH, chain: -RECEIVED, owed: 0n });
    expect(await trip.flow('rail:sandbox:main:KES')).toBe(0n);
  });

  it('of an attempt that another one followed settles it as well', async () => {
    const [first, second] = [
      new ScriptedProvider([{ ...REFUSED, routeLeft: true }]),
      new ScriptedProvider([REFUSED], false, 'sandbox_b'),
    ];
    const trip = new RefundHarness(pg, first, second);
    const deposit = trip.facts({ received_minor: RECEIVED.toString() });
    await trip.payAccepted({ refund_address: ADDRESS });
    await trip.verified(deposit);
    for (let attempt = 0; attempt < 2; attempt++) {
      await trip.start();
      await trip.call('submit');
    }
    expect(await trip.state()).toBe('FAILED');
    first.will(paid());
    await trip.attempts.checkAtOnce(trip.id, 1, trip.clock.now());
    await trip.call('watch');
    expect(await trip.depositStates()).toEqual([[deposit.deposit_id, 'funding']]);
    expect(await trip.money()).toMatchObject({ refunding: 0n, wallet: WORTH - AMOUNT, owed: 0n });
  });

  it('and comes back after its deposit has vanished: the wallet has the payment, and the partner owes the deposit', async () => {
    const failed = await failedPay();
    const { trip, deposit } = failed;
    await says(failed, paid());
    await trip.reverted(deposit);
    await says(failed, reversed());
    expect((await trip.posted()).filter((kind) => kind === 'payout_reversed')).toHaveLength(1);
    const { wallet = 0n, owed = 0n } = await trip.money();
    expect(wallet + owed).toBe(0n);
  });

  it('a second payment beside it is ours to settle with the provider; the vanished deposit is owed', async () => {
    const failed = await failedPay();
    const { trip, deposit } = failed;
    await says(failed, paid());
    await says(failed, paid('R2'));
    expect(await trip.posted()).toContain('duplicate_payment_ours');
    await trip.reverted(deposit);
    expect(await trip.posted()).toContain('deposit_vanished_paid');
    expect((await trip.money()).owed).toBe(-WORTH);
  });

  it('keeps the refund from being granted at the same moment: one of the two comes first, never both', async () => {
    for (let round = 0; round < 12; round++) {
      const failed = await failedPay();
      const { trip, refundId } = failed;
      const order =
        round % 2 === 0 ? [says(failed, paid()), trip.grants.run()] : [trip.grants.run(), says(failed, paid())];
      await Promise.all(order);
      const { state } = await trip.refundCheck(refundId);
      const owed = (await trip.money()).owed ?? 0n;
      expect([state, owed]).toEqual(state === 'GRANTED' ? ['GRANTED', -AMOUNT] : ['FAILED', 0n]);
    }
  });
});

describe('a payment that is known after the grant', () => {
  it('is owed, opens an incident and freezes the partner until people have looked', async () => {
    const failed = await failedPay();
    const { trip, refundId } = failed;
    await trip.grants.run();
    await says(failed, paid());
    expect(await trip.money()).toMatchObject({ refunding: RECEIVED, wallet: 0n, owed: -AMOUNT });
    expect(await trip.openIncidents()).toEqual([['succeeded', 1]]);
    expect(await trip.frozen.whyNow(trip.partner)).toBe('sent_back');
    await trip.tellRefund('refund.signed', refundId);
    await trip.tellRefund('refund.confirmed', refundId);
    expect(await trip.money()).toMatchObject({ refunding: 0n, chain: 0n, owed: -AMOUNT });
    await pg.db.query(
      `update incidents set resolved_at = now(), resolved_by = 'ann', resolution = 'seen' where transaction_id = $1`,
      [trip.id],
    );
    expect(await trip.frozen.whyNow(trip.partner)).toBeNull();
  });

  it('is collected from the wallet where the refund is not sent after all', async () => {
    const failed = await failedPay();
    const { trip, refundId } = failed;
    await trip.grants.run();
    await says(failed, paid());
    await trip.tellRefund('refund.failed', refundId);
    expect(await trip.money()).toMatchObject({ refunding: 0n, wallet: WORTH, owed: -AMOUNT });
    expect(await trip.frozen.whyNow(trip.partner)).toBeNull();
  });
});

describe('a refund that is signed without a grant', () => {
  it('is an incident, and what a payment had settled is owed', async () => {
    const failed = await failedPay();
    const { trip, refundId } = failed;
    await says(failed, paid());
    await trip.records.run(trip.refundEvent('refund.signed', refundId));
    await trip.records.run(trip.refundEvent('refund.confirmed', refundId));
    expect((await trip.openIncidents()).map(([event]) => event)).toEqual(['refund.signed', 'refund.confirmed']);
    expect(await trip.money()).toMatchObject({ chain: 0n, owed: -WORTH });
  });
});

describe('a credit that overtakes refund.failed', () => {
  it('is carried out when that comes, once', async () => {
    const trip = new RefundHarness(pg, new ScriptedProvider([]));
    const deposit = await trip.underpaid();
    const refundId = await trip.refunded();
    await trip.tellRefund('refund.signed', refundId);
    trip.clock.advance(60_000);
    const failed = trip.refundEvent('refund.failed', refundId);
    await trip.credited(deposit);
    expect(await trip.on('wallet', 'KES')).toBe(0n);
    await trip.records.run(failed);
    expect(await trip.depositStates()).toEqual([[deposit.deposit_id, 'credited']]);
    expect(await trip.on('wallet', 'KES')).toBe(129_35n);
    await trip.records.run(failed);
    await trip.credited(deposit);
    expect(await trip.on('wallet', 'KES')).toBe(129_35n);
  });

  it('also while the refund waits for its grant or its signature, and at the same moment', async () => {
    for (const at of ['HELD', 'GRANTED', 'at once'] as const) {
      const trip = new RefundHarness(pg, new ScriptedProvider([]));
      const deposit = await trip.underpaid();
      const refundId = await trip.refunded();
      if (at !== 'HELD') await trip.grants.run();
      trip.clock.advance(60_000);
      const failed = trip.refundEvent('refund.failed', refundId, { reason: 'cancelled' });
      if (at === 'at once') await Promise.all([trip.credited(deposit), trip.records.run(failed)]);
      else for (const tell of [() => trip.credited(deposit), () => trip.records.run(failed)]) await tell();
      expect([at, await trip.depositStates()]).toEqual([at, [[deposit.deposit_id, 'credited']]]);
    }
  });

  it('is dropped where the partner asked for the value after policy had spoken: that refund has the word', async () => {
    const trip = new RefundHarness(pg, new ScriptedProvider([]));
    const deposit = await trip.underpaid();
    const credited = trip.event('deposit.credited', { deposit, currency: 'KES', rate: '129.3517' });
    trip.clock.advance(1_000);
    const refundId = await trip.refunded();
    await trip.credits.run(credited);
    await trip.tellRefund('refund.failed', refundId);
    expect(await trip.depositStates()).toEqual([[deposit.deposit_id, 'unapplied']]);
    await trip.credited(deposit);
    expect(await trip.depositStates()).toEqual([[deposit.deposit_id, 'credited']]);
  });
});
