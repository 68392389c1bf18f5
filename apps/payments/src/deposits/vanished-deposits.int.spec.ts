import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { money } from '@vuka/domain';
import type { ProviderAnswer } from '@vuka/payouts';

import { MoneyTroubleReader } from '../admin/readers/money-trouble-reader.js';
import { ResolveIncident } from '../admin/resolve-incident.js';
import { RefuseFrozen } from '../controls/frozen-partners.js';
import { fundProviders, PayHarness } from '../testing/pay-harness.spec-support.js';
import { AMOUNT, ScriptedProvider } from '../testing/payout-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';

let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
  await fundProviders(pg);
}, 60_000);
afterAll(() => pg.stopWhole());

const PAID: ProviderAnswer = {
  outcome: 'succeeded',
  receipt: 'R1',
  publicName: null,
  amount: money(AMOUNT, 'KES'),
  recipient: '1',
};
const NOT_PAID: ProviderAnswer = { outcome: 'not_paid', code: 'recipient_not_found', routeLeft: false, detail: '' };

/** 4 tokens at 129.3517: 517.40, of which 17.40 are surplus. */
const VALUE = 517_40n;

async function paid(...script: ProviderAnswer[]): Promise<PayHarness> {
  return new PayHarness(pg, new ScriptedProvider(script)).payAccepted();
}

describe('a deposit that vanishes', () => {
  it('before anything was sent: the payout fails, the hold is gone, nobody owes anything, and the partner is told why', async () => {
    const trip = await paid();
    const deposit = trip.facts();
    await trip.verified(deposit);
    await trip.reverted(deposit);
    expect(await trip.row()).toMatchObject({
      status: 'FAILED',
      message: 'The transfer vanished from the chain before the payment was sent.',
    });
    expect([
      await trip.held(),
      await trip.wallet(),
      await trip.debt(),
      await trip.flow('chain:CELO:USDC@CELO'),
      await trip.flow('fx:KES'),
    ]).toEqual([0n, -1n, 0n, 0n, 0n]);
    expect(await trip.incidents()).toEqual([]);
    expect(await trip.frozen.why(trip.partner)).toBeNull();
    expect(await trip.start().then(() => trip.state())).toBe('FAILED');
  });

  it('after the payout arrived: the partner owes its whole value, and pays from what comes to its wallet, never below nothing', async () => {
    const trip = await paid(PAID);
    const deposit = trip.facts();
    await (await trip.verified(deposit)).start();
    await trip.call('submit');
    expect(await trip.wallet()).toBe(VALUE - AMOUNT);
    await trip.reverted(deposit);
    expect([await trip.state(), await trip.debt(), await trip.flow('chain:CELO:USDC@CELO')]).toEqual([
      'COMPLETE',
      VALUE,
      0n,
    ]);
    await trip.collect();
    expect([await trip.wallet(), await trip.debt()]).toEqual([0n, AMOUNT]);
    const [debt] = (await new MoneyTroubleReader(pg.db).debts(100)).filter(
      ({ partner_id }) => partner_id === trip.partner,
    );
    expect(debt).toMatchObject({ owed: { amount: '500.00' }, transaction_codes: [trip.code] });
  });

  it('while a provider has the payout: the money that comes back is what the partner owes', async () => {
    const trip = await paid({ outcome: 'submitted' }, NOT_PAID);
    const deposit = trip.facts();
    await (await trip.verified(deposit)).start();
    await trip.call('submit');
    await trip.reverted(deposit);
    expect([await trip.state(), await trip.debt(), await trip.held()]).toEqual(['SUBMITTED', VALUE, VALUE]);
    trip.clock.advance(10_000);
    await trip.call('poll');
    await trip.collect();
    expect([await trip.state(), await trip.wallet(), await trip.debt(), await trip.held()]).toEqual([
      'FAILED',
      0n,
      0n,
      0n,
    ]);
    expect(await trip.depositStates()).toEqual([[deposit.deposit_id, 'reverted']]);
  });

  it('and a provider that has not paid yet: no other provider is tried, the payout fails', async () => {
    const refusing = new ScriptedProvider([
      { outcome: 'submitted' },
      { outcome: 'not_paid', code: 'rail_rejected', routeLeft: true, detail: '' },
    ]);
    const trip = await new PayHarness(pg, refusing, new ScriptedProvider([], false, 'sandbox_b')).payAccepted();
    const deposit = trip.facts();
    await (await trip.verified(deposit)).start();
    await trip.call('submit');
    await trip.reverted(deposit);
    trip.clock.advance(10_000);
    await trip.call('poll');
    expect(await trip.state()).toBe('QUEUED');
    trip.clock.advance(60_000);
    await trip.start();
    await trip.collect();
    expect([await trip.state(), await trip.wallet(), await trip.debt()]).toEqual(['FAILED', 0n, 0n]);
    expect(await trip.row()).toMatchObject({
      message: 'The transfer vanished from the chain before the payment was sent.',
    });
  });

  describe('while it waits for a provider, after one that had turned it down paid after all', () => {
    async function paidWhileQueued(): Promise<PayHarness> {
      const trip = await new PayHarness(
        pg,
        new ScriptedProvider([]),
        new ScriptedProvider([], false, 'sandbox_b'),
      ).payAccepted();
      const deposit = trip.facts();
      await (await trip.verified(deposit)).paidWhileQueued();
      await trip.reverted(deposit);
      await trip.reverted(deposit);
      expect([await trip.state(), await trip.posted(), await trip.debt(), await trip.held()]).toEqual([
        'QUEUED',
        ['deposit_received', 'pay_funded', 'duplicate_payment_ours', 'deposit_vanished_paid'],
        VALUE,
        VALUE,
      ]);
      trip.clock.advance(60_000);
      return trip;
    }

    it('is completed by that payment, and owed by the partner, who is frozen', async () => {
      const trip = await paidWhileQueued();
      expect(await trip.frozen.why(trip.partner)).toBe('vanished');
      await trip.start();
      await trip.collect();
      expect(await trip.row()).toMatchObject({ status: 'COMPLETE', receipt_number: 'A1' });
      expect([
        await trip.debt(),
        await trip.wallet(),
        await trip.held(),
        await trip.flow('suspense:KES'),
        await trip.flow('chain:CELO:USDC@CELO'),
      ]).toEqual([AMOUNT, 0n, 0n, 0n, 0n]);
      expect(trip.providers.map(({ submitted }) => submitted.length)).toEqual([1, 1]);
    });

    it('fails where that payment comes back first, and nobody owes anything', async () => {
      const trip = await paidWhileQueued();
      trip.provider?.will({ outcome: 'reversed', receipt: 'A1', publicName: null, detail: '' });
      trip.providers[1]?.will({ outcome: 'not_paid', code: 'rail_rejected', routeLeft: true, detail: '' });
      await trip.attempts.checkAtOnce(trip.id, 1, trip.clock.now());
      await trip.call('watch');
      await trip.start();
      await trip.collect();
      expect([
        await trip.state(),
        await trip.debt(),
        await trip.wallet(),
        await trip.held(),
        await trip.flow('suspense:KES'),
      ]).toEqual(['FAILED', 0n, 0n, 0n, 0n]);
      expect(trip.providers.map(({ submitted }) => submitted.length)).toEqual([1, 1]);
    });
  });

  it('after it was credited to the wallet: owed at the rate of that day, not of its claim', async () => {
    const trip = await paid();
    const deposit = trip.facts();
    await trip.unapplied(deposit);
    await trip.credited(deposit, { rate: '131.9999' });
    expect(await trip.wallet()).toBe(527_99n);
    await trip.reverted(deposit);
    expect(await trip.debt()).toBe(527_99n);
    await trip.collect();
    expect([await trip.wallet(), await trip.debt(), await trip.on('unapplied')]).toEqual([0n, 0n, 0n]);
  });

  it('and comes back is another deposit: its value waits unapplied, and what is owed stays owed', async () => {
    const trip = await paid(PAID);
    const deposit = trip.facts();
    await (await trip.verified(deposit)).start();
    await trip.call('submit');
    await trip.reverted(deposit);
    await trip.collect();
    const again = trip.facts();
    await trip.unapplied(again, { reason: 'deposit_late' });
    expect([await trip.on('unapplied'), await trip.debt()]).toEqual([4_000_000n, AMOUNT]);
    await trip.credited(again);
    await trip.collect();
    expect([await trip.wallet(), await trip.debt()]).toEqual([VALUE - AMOUNT, 0n]);
  });

  it('of two of one transfer goes alone, and each once', async () => {
    const trip = await paid(PAID);
    const [main, beside] = [trip.facts(), trip.facts({ asset: 'USDT@CELO' })];
    await (await trip.verified(main, { also: [beside] })).start();
    await trip.reverted(beside);
    expect([await trip.state(), await trip.on('unapplied', 'USDT@CELO'), await trip.held(), await trip.debt()]).toEqual(
      ['SUBMITTING', 0n, VALUE, 0n],
    );
    await trip.call('submit');
    await trip.reverted(main);
    await trip.reverted(beside);
    expect([await trip.state(), await trip.debt()]).toEqual(['COMPLETE', VALUE]);
  });
});

describe('a partner whose deposit vanished after it had paid', () => {
  let first: PayHarness;

  beforeEach(async () => {
    first = await paid(PAID);
    const deposit = first.facts();
    await (await first.verified(deposit)).start();
    await first.call('submit');
    await first.reverted(deposit);
    first.clock.advance(1_000);
  });

  async function lifted(): Promise<void> {
    const [frozen] = (await new MoneyTroubleReader(pg.db).frozen(1_000)).filter(
      ({ partner_id }) => partner_id === first.partner,
    );
    expect(frozen?.incidents).toMatchObject([
      { transaction_code: first.code, detail: expect.stringContaining('vanished from CELO') },
    ]);
    for (const { id } of frozen?.incidents ?? []) {
      const resolved = await new ResolveIncident(pg.db, first.clock).run(id, 'Ann Otieno', 'talked to the partner');
      expect(resolved.ok).toBe(true);
    }
  }

  it('is refused what is new, not what was accepted before; others are not, and a resolved incident lifts it within a second', async () => {
    const gate = new RefuseFrozen(first.frozen, first.store);
    expect(await gate.run(first.partner, 'new')).toMatchObject({ ok: false, error: { code: 'forbidden' } });
    expect(await gate.run(first.partner, first.code)).toBeNull();
    expect(await gate.run(first.partner + 1_000_000, 'new')).toBeNull();
    await lifted();
    first.clock.advance(999);
    expect(await gate.run(first.partner, 'new')).not.toBeNull();
    first.clock.advance(1);
    expect(await gate.run(first.partner, 'new')).toBeNull();
  });

  it('has its queued payouts held back, past any deadline; lifted, they go', async () => {
    const other = new PayHarness(pg, new ScriptedProvider([PAID]));
    other.partner = first.partner;
    await (await other.payAccepted()).verified(other.facts());
    for (let tries = 0; tries < 10; tries += 1) {
      await other.start();
      expect(await other.state()).toBe('QUEUED');
      other.clock.advance(29_000);
    }
    expect(
      (await new MoneyTroubleReader(pg.db).frozen(1_000)).find(({ partner_id }) => partner_id === first.partner)
        ?.held_back,
    ).toBe(1);
    await lifted();
    other.clock.advance(10_000);
    await other.start();
    await other.call('submit');
    expect(await other.state()).toBe('COMPLETE');
    expect(other.provider?.submitted).toHaveLength(1);
  });
});
