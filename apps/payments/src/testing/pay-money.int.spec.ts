import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { money } from '@vuka/domain';
import type { ProviderAnswer } from '@vuka/payouts';

import { DepositReader } from '../admin/readers/deposit-reader.js';
import type { AcceptPayInput } from '../payouts/accept/accept-pay.js';
import { fundProviders, PayHarness } from './pay-harness.spec-support.js';
import { ScriptedProvider } from './payout-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from './payments-database.spec-support.js';
import { StatementStore } from '../wallets/statement.store.js';

let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
  await fundProviders(pg, ['KES', 'UGX']);
}, 60_000);
afterAll(() => pg.stopWhole());

const PAID: ProviderAnswer = {
  outcome: 'succeeded',
  receipt: 'R1',
  publicName: null,
  amount: money(500_00n, 'KES'),
  recipient: '1',
};
const NOT_PAID: ProviderAnswer = { outcome: 'not_paid', code: 'recipient_rejected', routeLeft: false, detail: '' };
const CAME_BACK: ProviderAnswer = { outcome: 'reversed', receipt: 'R1', detail: '' };

const harness = (...script: ProviderAnswer[]): PayHarness => new PayHarness(pg, new ScriptedProvider(script));

/** Accepted, verified, started and answered once. */
async function through(trip: PayHarness, received: string, more: Partial<AcceptPayInput> = {}): Promise<PayHarness> {
  await trip.payAccepted(more);
  await trip.verified(trip.facts({ received_minor: received }));
  await trip.start();
  await trip.call('submit');
  return trip;
}

describe('a deposit that covers the amount', () => {
  it.each([
    // 3.866 × 129.3517 = 500.0736…
    ['a surplus', '3866000', {}, { held: 50007n, provider: 50000n, wallet: 7n, fx: -50007n }],
    // 3.865431 × 129.3517 = 500.0000…
    ['exactly', '3865431', {}, { held: 50000n, provider: 50000n, wallet: 0n, fx: -50000n }],
    // 3.865 × 129.3517 = 499.9443…: 6 cents short, ours beyond the markup.
    ['short within tolerance', '3865000', {}, { held: 50000n, provider: 50000n, wallet: 0n, fx: -50000n }],
    [
      'a markup, and a surplus beside it',
      '3866000',
      { fee_minor: '2000' },
      { held: 50007n, provider: 48000n, wallet: 2007n, fx: -50007n },
    ],
    [
      'a markup, and short: the markup pays for it',
      '3865000',
      { fee_minor: '2000' },
      { held: 49994n, provider: 48000n, wallet: 1994n, fx: -49994n },
    ],
    [
      'a markup of less than what is short',
      '3865000',
      { fee_minor: '4' },
      { held: 49996n, provider: 49996n, wallet: 0n, fx: -49996n },
    ],
    ['far too much', '400000000', {}, { held: 5174068n, provider: 50000n, wallet: 5124068n, fx: -5174068n }],
  ] as const)('%s: to the cent', async (_, received, more, { held, provider, wallet, fx }) => {
    const trip = await harness(PAID).payAccepted(more);
    const deposit = trip.facts({ received_minor: received });
    await trip.verified(deposit);
    expect([await trip.state(), await trip.held(), (await trip.store.byId(trip.id))?.held.minor]).toEqual([
      'QUEUED',
      held,
      held,
    ]);
    expect([
      await trip.flow('chain:CELO:USDC@CELO'),
      await trip.flow('fx:USDC@CELO'),
      await trip.on('unapplied'),
    ]).toEqual([-BigInt(received), BigInt(received), 0n]);
    await trip.start();
    await trip.call('submit');
    expect([await trip.state(), await trip.held()]).toEqual(['COMPLETE', 0n]);
    expect([
      await trip.flow('rail:sandbox:main:KES'),
      await trip.on('wallet', 'KES'),
      await trip.flow('fx:KES'),
    ]).toEqual([provider, wallet, fx]);
    expect(await trip.depositStates()).toEqual([[deposit.deposit_id, 'funding']]);
    expect(await trip.told()).toEqual([
      ['transaction.processing', 1, 'PROCESSING'],
      ['transaction.complete', 2, 'COMPLETE'],
    ]);
  });

  it('of 18 decimals is floored once, and every wei of it stands in the ledger', async () => {
    const trip = await harness(PAID).payAccepted({ chain: 'BNB' });
    const received = '3866000000000000000000000000000000001'.slice(0, 19);
    await trip.verified(trip.facts({ chain: 'BNB', asset: 'USDC@BNB', decimals: 18, received_minor: received }));
    expect(await trip.held()).toBe(50007n);
    expect([await trip.flow('chain:BNB:USDC@BNB'), await trip.flow('fx:USDC@BNB')]).toEqual([
      -BigInt(received),
      BigInt(received),
    ]);
    expect((await trip.row()).asset).toBe('USDC');
  });

  it('of more than a bigint of the database holds is counted whole', async () => {
    const trip = await harness().payAccepted({ chain: 'BNB' });
    // Twenty billion tokens of 18 decimals: 29 digits.
    const received = '20000000000123456789012345678';
    await trip.verified(trip.facts({ chain: 'BNB', asset: 'USDC@BNB', decimals: 18, received_minor: received }));
    expect(await trip.flow('fx:USDC@BNB')).toBe(BigInt(received));
    // 20000000000.123456789012345678 × 129.3517, floored.
    expect(await trip.held()).toBe(258703400001596n);
  });

  it('pays a currency without decimals in whole units', async () => {
    const trip = await harness().payAccepted({
      currency: 'UGX',
      amount_minor: '5000',
      destination: { kind: 'mobile', phone: '+256772123456', mobile_network: 'MTN' },
    });
    await trip.verified(trip.facts({ received_minor: '1400000' }), { rate: '3650.9' });
    // 1.4 × 3650.9 = 5111.26
    expect((await trip.store.byId(trip.id))?.held.minor).toBe(5111n);
    // 5000 / 3650.9 = 1.3695…
    expect(await trip.row()).toMatchObject({ amount: '5000', amount_in_usd: '1.37', rate: '3650.9' });
  });

  it('refuses a verdict that would have us pay more than the tolerance', async () => {
    const trip = await harness().payAccepted();
    // 3.865431 are due; 0.01 may be missing.
    const deposit = trip.facts({ received_minor: '3855430' });
    await expect(trip.verified(deposit)).rejects.toThrow(/tolerance/);
    expect([await trip.state(), await trip.depositStates()]).toEqual(['AWAITING_FUNDS', []]);
    await trip.verified(trip.facts({ received_minor: '3855431' }));
    expect(await trip.state()).toBe('QUEUED');
  });
});

describe('a payout that fails for good', () => {
  it.each([
    ['a surplus', '3866000', 50007n, -50007n],
    ['a shortfall, which goes back', '3865000', 49994n, -49994n],
  ] as const)('gives the whole value to the wallet, with %s (payout_released)', async (_, received, wallet, fx) => {
    const trip = await through(harness(NOT_PAID), received, { fee_minor: '1000' });
    expect([await trip.state(), await trip.held(), await trip.on('wallet', 'KES'), await trip.flow('fx:KES')]).toEqual([
      'FAILED',
      0n,
      wallet,
      fx,
    ]);
    expect([await trip.on('refunding'), (await trip.depositStates())[0]?.[1]]).toEqual([0n, 'credited']);
    expect(await trip.row()).toMatchObject({ status: 'FAILED', failure_code: 'recipient_rejected', refund: '' });
  });

  it.each(['3866000', '3865000'])(
    'with a refund address gives the tokens back and nothing to the wallet (refund_held), of %s',
    async (received) => {
      const trip = await through(harness(NOT_PAID), received, {
        refund_address: '0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B',
      });
      expect([
        await trip.state(),
        await trip.held(),
        await trip.on('wallet', 'KES'),
        await trip.flow('fx:KES'),
      ]).toEqual(['FAILED', 0n, 0n, 0n]);
      expect([await trip.on('refunding'), await trip.flow('fx:USDC@CELO')]).toEqual([BigInt(received), 0n]);
      expect((await trip.depositStates())[0]?.[1]).toBe('refunding');
      expect(await trip.row()).toMatchObject({ status: 'FAILED', refund: 'PENDING' });
      // People see that it waits.
      const waiting = (await new DepositReader(pg.db).unapplied(1_000)).find(
        ({ transaction_id }) => transaction_id === trip.id,
      );
      expect(waiting).toMatchObject({
        state: 'refunding',
        why: expect.stringMatching(/^to be sent back, refund \d+: recipient_rejected$/),
      });
    },
  );

  it('goes to the next provider first, as every payout does', async () => {
    const trip = await new PayHarness(
      pg,
      new ScriptedProvider([{ ...NOT_PAID, routeLeft: true }]),
      new ScriptedProvider([PAID], true, 'sandbox_b'),
    ).payAccepted();
    await trip.verified(trip.facts());
    await trip.start();
    await trip.call('submit');
    await trip.start();
    await trip.call('submit');
    expect(await trip.state()).toBe('COMPLETE');
  });

  it("and one that came back gives the provider's part to the wallet (payout_reversed)", async () => {
    const trip = await through(harness(PAID, CAME_BACK), '3866000', { fee_minor: '2000' });
    trip.clock.advance(10_000);
    await trip.call('watch');
    // The wallet's since COMPLETE.
    expect([await trip.state(), await trip.on('wallet', 'KES')]).toEqual(['REVERSED', 50007n]);
    expect((await trip.depositStates())[0]?.[1]).toBe('funding');
  });
});

describe('value that cannot be used', () => {
  it('waits on unapplied, with what came beside it, and fails the payout with its reason', async () => {
    const trip = await harness().payAccepted({ asset: 'USDT' });
    const [main, beside] = [
      trip.facts({ received_minor: '1000000' }),
      trip.facts({ asset: 'USDT@CELO', received_minor: '2000000' }),
    ];
    await trip.seen();
    await trip.unapplied(main, { also: [beside], reason: 'wrong_asset' });
    expect([
      await trip.state(),
      await trip.on('unapplied'),
      await trip.on('unapplied', 'USDT@CELO'),
      await trip.held(),
    ]).toEqual(['FAILED', 1000000n, 2000000n, 0n]);
    expect(await trip.posted()).toEqual(['deposit_unapplied', 'deposit_unapplied']);
    expect(await trip.row()).toMatchObject({
      status: 'FAILED',
      failure_code: 'wrong_asset',
      asset: 'USDC',
      rate: '129.3517',
      amount_in_usd: '3.87',
    });
    expect(await trip.told()).toEqual([
      ['transaction.processing', 1, 'PROCESSING'],
      ['transaction.failed', 2, 'FAILED'],
    ]);
  });

  it('says of an underpaid one what it is', async () => {
    const trip = await harness().payAccepted();
    await trip.unapplied(trip.facts({ received_minor: '1000000' }));
    expect(await trip.row()).toMatchObject({
      failure_code: 'underpaid',
      message: expect.stringContaining('mismatch equivalent amount in USD'),
    });
    expect(await trip.told()).toEqual([['transaction.failed', 1, 'FAILED']]);
  });

  it('stays beside a deposit that pays', async () => {
    const trip = await harness(PAID).payAccepted();
    const [main, beside] = [trip.facts(), trip.facts({ asset: 'USDT@CELO', received_minor: '5' })];
    await trip.verified(main, { also: [beside] });
    await trip.start();
    await trip.call('submit');
    expect([await trip.state(), await trip.on('unapplied'), await trip.on('unapplied', 'USDT@CELO')]).toEqual([
      'COMPLETE',
      0n,
      5n,
    ]);
    expect(await trip.depositStates()).toEqual([
      [main.deposit_id, 'funding'],
      [beside.deposit_id, 'unapplied'],
    ]);
  });

  it('that arrives after the end waits too: late for a claim that was released, new beside one that was paid', async () => {
    const late = await harness().payAccepted();
    await late.unusable('no_matching_transfer', true);
    await late.unapplied(late.facts({ received_minor: '7' }), { reason: 'deposit_late' });
    expect([await late.state(), await late.on('unapplied'), await late.incidents()]).toEqual(['FAILED', 7n, []]);
    const paid = await through(harness(PAID), '3866000');
    await paid.unapplied(paid.facts({ received_minor: '9' }), { reason: 'deposit_late' });
    expect([await paid.state(), await paid.on('unapplied')]).toEqual(['COMPLETE', 9n]);
    expect(await paid.incidents()).toEqual([{ event: 'deposit.unapplied', times: 1 }]);
  });

  it('goes to the wallet at the rate of its day, once, and the statement says what it is (unapplied_credited)', async () => {
    const trip = await harness().payAccepted();
    const deposit = trip.facts({ received_minor: '1000000' });
    await trip.unapplied(deposit);
    const credit = trip.event('deposit.credited', { deposit, currency: 'KES', rate: '130.456' });
    await Promise.all([trip.credits.run(credit), trip.credits.run(credit), trip.credited(deposit, { rate: '131' })]);
    await trip.credits.run(credit);
    await trip.credited(deposit, { rate: '131' });
    const wallet = await trip.on('wallet', 'KES');
    expect([13045n, 13100n]).toContain(wallet);
    expect([await trip.on('unapplied'), await trip.depositStates()]).toEqual([0n, [[deposit.deposit_id, 'credited']]]);
    const statement = new StatementStore(pg.db);
    const account = (await statement.walletAccount(trip.partner, 'KES'))!;
    const legs = await statement.page({
      account,
      from: '2000-01-01T00:00:00Z',
      before: '2100-01-01T00:00:00Z',
      behind: null,
      limit: 10,
    });
    expect(legs).toMatchObject([
      { kind: 'unapplied_credited', transactionCode: trip.code, amount: { minor: wallet }, balance: { minor: wallet } },
    ]);
  });

  it('of less than a cent is credited as nothing, and is gone from unapplied', async () => {
    const trip = await harness().payAccepted();
    const dust = trip.facts({ received_minor: '1' });
    await trip.unapplied(dust);
    await trip.credited(dust);
    expect([await trip.on('unapplied'), await trip.on('wallet', 'KES'), await trip.depositStates()]).toEqual([
      0n,
      0n,
      [[dust.deposit_id, 'credited']],
    ]);
  });

  it("is credited of nobody else's claim, in no other value, and not where it pays", async () => {
    const trip = await harness().payAccepted();
    const other = await harness().payAccepted();
    const deposit = trip.facts({ received_minor: '1000000' });
    await trip.unapplied(deposit);
    for (const refused of [
      () => other.credited(deposit),
      () => trip.credited({ ...deposit, received_minor: '1000001' }),
      () => trip.credited({ ...deposit, deposit_id: 999_999 }),
      () => trip.credited(deposit, { currency: 'XXX' }),
      () => trip.credited(deposit, { rate: '0' }),
      () => trip.credited(deposit, { partner_id: trip.partner + 1 }),
    ])
      await expect(refused()).rejects.toMatchObject({ name: 'PermanentEventError' });
    const funding = other.facts();
    await other.verified(funding);
    await expect(other.credited(funding)).rejects.toMatchObject({ name: 'PermanentEventError' });
    expect([await trip.on('unapplied'), await trip.on('wallet', 'KES')]).toEqual([1000000n, 0n]);
  });
});

describe('the row of a pay', () => {
  it('shows the rate that was frozen, what arrived, and why the quote was not used for as long as it is processed', async () => {
    const quote_id = '0193f1c2-7c1e-7a40-9d7e-2f5a3b9c0d11';
    const trip = await harness({ outcome: 'submitted' }, PAID).payAccepted({ quote_id });
    await trip.verified(trip.facts({ received_minor: '3866000' }), { rate: '129.3517', quote_passed_over: 'expired' });
    expect(await trip.row()).toMatchObject({
      status: 'PROCESSING',
      asset: 'USDC',
      rate: '129.3517',
      amount_in_usd: '3.87',
      quote_id,
      message: 'Waiting for a payment rail. The quote had expired: the current rate is used',
    });
    await trip.start();
    await trip.call('submit');
    expect((await trip.row()).message).toMatch(/working on the payment\. The quote had expired/);
    trip.clock.advance(10_000);
    await trip.call('poll');
    expect(await trip.row()).toMatchObject({
      status: 'COMPLETE',
      message: 'The payment was delivered',
      amount_in_usd: '3.87',
    });
  });

  it.each([
    ['129.3517', '3.87'],
    ['100', '5.00'],
    ['100000', '0.01'],
    ['99999', '0.01'],
    ['100000.0000001', '0.00'],
    ['0.5', '1000.00'],
  ])('at %s is %s in USD, half up', async (rate, usd) => {
    const trip = await harness().payAccepted();
    await trip.unapplied(trip.facts(), { rate });
    expect((await trip.row()).amount_in_usd).toBe(usd);
  });
});

describe("a verdict that is not this claim's", () => {
  it('is refused for good, and changes nothing', async () => {
    const trip = await harness().payAccepted();
    const wallet = await new PayHarness(pg).accepted();
    const verdict = (deposit = trip.facts(), ids = {}) =>
      trip.event(
        'deposit.verified',
        { deposit, also: [], rate: '129.3517', quote_passed_over: null, screening_hit: false },
        ids,
      );
    for (const event of [
      verdict(trip.facts(), { claim_id: 987_654_321 }),
      verdict(trip.facts(), { claim_id: wallet.id, partner_id: wallet.partner }),
      verdict(trip.facts(), { partner_id: trip.partner + 1 }),
      verdict(trip.facts({ chain: 'BASE', asset: 'USDC@BASE' })),
      verdict(trip.facts({ asset: 'USDC@BASE' })),
      verdict(trip.facts({ received_minor: '0' })),
    ])
      await expect(trip.tell(event)).rejects.toMatchObject({ name: 'PermanentEventError' });
    expect([await trip.state(), await trip.posted(), await wallet.state()]).toEqual(['AWAITING_FUNDS', [], 'ACCEPTED']);
  });
});
