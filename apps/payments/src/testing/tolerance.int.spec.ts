import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { money, shortfallTolerated } from '@vuka/domain';
import type { ProviderAnswer } from '@vuka/payouts';
import { Cipher } from '@vuka/runtime';

import { CONSUMER_GROUP } from '../deposits/consumer-group.js';
import { PageCursors } from '../lists/page-cursor.js';
import { AdjustWallet } from '../wallets/adjust-wallet.js';
import { StatementStore } from '../wallets/statement.store.js';
import { WalletStatement } from '../wallets/wallet-statement.js';
import { fundProviders, PayHarness } from './pay-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from './payments-database.spec-support.js';
import { ScriptedProvider } from './payout-harness.spec-support.js';

/** Who bears a tolerated shortfall, also after the payout comes back. */
let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
  await fundProviders(pg);
}, 60_000);
afterAll(() => pg.stopWhole());

const AMOUNT = 500_00n;
/** 500.00 at 129.3517 are 3.865431 tokens. */
const DUE = 3_865_431n;
const LEAST = DUE - shortfallTolerated(money(DUE, 'USDC@CELO'), { decimals: 6 }).minor;
/** 3.855431 × 129.3517 = 498.7065…: 1.30 are missing. */
const WORTH = 498_70n;
const MISSING = AMOUNT - WORTH;

const paid = (amountMinor: bigint): ProviderAnswer => ({
  outcome: 'succeeded',
  receipt: 'R1',
  publicName: null,
  amount: money(amountMinor, 'KES'),
  recipient: '1',
});
const CAME_BACK: ProviderAnswer = { outcome: 'reversed', receipt: 'R1', detail: '' };

interface Paid {
  readonly trip: PayHarness;
  readonly fx: () => Promise<bigint>;
  readonly goneFromChain: () => Promise<void>;
  readonly cameBack: () => Promise<void>;
}

/** Short by the whole tolerance. `before`: judged when all of it was ours. */
async function complete(feeMinor: bigint, { before = false } = {}): Promise<Paid> {
  const trip = await new PayHarness(pg, new ScriptedProvider([paid(AMOUNT - feeMinor), CAME_BACK])).payAccepted({
    fee_minor: feeMinor.toString(),
  });
  const deposit = trip.facts({ received_minor: LEAST.toString() });
  await (before ? judgedBefore(trip, deposit.deposit_id) : trip.verified(deposit));
  await trip.start();
  await trip.call('submit');
  expect(await trip.state()).toBe('COMPLETE');
  const cameBack = async (): Promise<void> => {
    trip.clock.advance(10_000);
    await trip.call('watch');
    expect(await trip.state()).toBe('REVERSED');
  };
  return { trip, fx: () => trip.flow('fx:KES'), goneFromChain: () => trip.reverted(deposit), cameBack };
}

/** As an older release committed it, without markup for the shortfall. */
async function judgedBefore(trip: PayHarness, depositId: number): Promise<void> {
  const snapshot = await trip.store.byId(trip.id);
  if (!snapshot) throw new Error('it was accepted');
  const deposit = {
    depositId,
    chain: 'CELO',
    received: money(LEAST, 'USDC@CELO'),
    decimals: 6,
    rate: '129.3517',
    shortfall: money(MISSING, 'KES'),
    quoteNotApplied: null,
    transactionHash: trip.hash,
  };
  const mark = {
    group: CONSUMER_GROUP,
    eventId: trip.event('deposit.seen', {}).id,
    occurredAt: trip.clock.now().toISOString(),
  };
  const event = { type: 'deposit.verified', deposit: 'new', screeningHit: false } as const;
  await trip.machine.apply(snapshot, () => ({
    event,
    change: { attemptNo: 0, detail: '', verdict: { deposit, also: [], mark } },
  }));
}

/** By two people, like spending. */
async function empty(trip: PayHarness): Promise<bigint> {
  const minor = await trip.wallet();
  const adjusting = new AdjustWallet(pg.db, trip.writer, trip.clock);
  const said = { reason: 'spent elsewhere', direction: 'debit', currency: 'KES' } as const;
  const proposed = await adjusting.propose({
    ...said,
    partnerId: trip.partner,
    amount: `${minor / 100n}.${String(minor % 100n).padStart(2, '0')}`,
    by: 'Amina Otieno',
  });
  if (!proposed.ok) throw new Error(proposed.error.message);
  const approved = await adjusting.approve({ adjustmentId: proposed.value.id, reason: 'seen', by: 'Brian Mwangi' });
  expect([approved.ok, await trip.wallet()]).toEqual([true, 0n]);
  return minor;
}

describe('a deposit that is short by all that is tolerated', () => {
  it.each([
    ['no markup: all of it is ours', 0n, { wallet: 0n, fx: -AMOUNT }],
    ['a markup of less than that: it goes first', 1_00n, { wallet: 0n, fx: -(AMOUNT - 1_00n) }],
    ['a markup of more than that: nothing is ours', 20_00n, { wallet: 20_00n - MISSING, fx: -WORTH }],
    ['a markup of nearly all', AMOUNT - 1n, { wallet: AMOUNT - 1n - MISSING, fx: -WORTH }],
  ])('with %s', async (_, fee, { wallet, fx }) => {
    const done = await complete(fee);
    expect([
      await done.trip.on('wallet', 'KES'),
      await done.fx(),
      await done.trip.flow('rail:sandbox:main:KES'),
    ]).toEqual([wallet, fx, AMOUNT - fee]);
  });

  it.each([0n, 1_00n, 20_00n, AMOUNT - 1n])(
    'and whose payout comes back leaves the partner what it was worth, with a markup of %d',
    async (fee) => {
      const done = await complete(fee);
      await done.cameBack();
      expect([
        await done.trip.wallet(),
        await done.trip.debt(),
        await done.fx(),
        await done.trip.flow('rail:sandbox:main:KES'),
      ]).toEqual([WORTH, 0n, -WORTH, 0n]);
    },
  );

  it('shows in the statement as what came back, and as nothing that was taken', async () => {
    const { trip, cameBack } = await complete(1_00n);
    await cameBack();
    const statement = new WalletStatement(
      new StatementStore(pg.db),
      new PageCursors(new Cipher([{ id: 'k1', key: Buffer.alloc(32, 7) }])),
    );
    const page = await statement.run({
      partner_id: trip.partner,
      currency: 'KES',
      from: '2000-01-01T00:00:00.000Z',
      before: '2100-01-01T00:00:00.000Z',
      cursor: null,
      limit: 10,
    });
    expect(page.ok && page.value.entries.map(({ kind, amount }) => [kind, amount])).toEqual([['reversal', '498.70']]);
  });

  it('with a markup of nearly all of the amount and an emptied wallet is reversed, and the books are sound', async () => {
    const done = await complete(AMOUNT - 1n);
    const spent = await empty(done.trip);
    await done.cameBack();
    expect([spent + (await done.trip.wallet()), await done.trip.debt(), await done.fx()]).toEqual([WORTH, 0n, -WORTH]);
    expect(await pg.broken()).toEqual([]);
  });

  it('of before the markup paid first, with a markup of nearly all and an emptied wallet: what the provider gives back is not enough, and the rest is owed', async () => {
    const done = await complete(AMOUNT - 1n, { before: true });
    // All its markup, as reported then.
    expect([await done.trip.wallet(), await done.fx()]).toEqual([AMOUNT - 1n, -AMOUNT]);
    await empty(done.trip);
    await done.cameBack();
    expect([await done.trip.wallet(), await done.trip.debt(), await done.fx()]).toEqual([0n, MISSING - 1n, -WORTH]);
    expect(await pg.broken()).toEqual([]);
  });

  it('of before, with its markup still in the wallet: what is owed is taken from that', async () => {
    const done = await complete(AMOUNT - 1n, { before: true });
    await done.cameBack();
    await done.trip.collect();
    expect([await done.trip.wallet(), await done.trip.debt(), await done.fx()]).toEqual([WORTH, 0n, -WORTH]);
  });

  it.each([
    [0n, {}],
    [1_00n, {}],
    [AMOUNT - 1n, {}],
    [AMOUNT - 1n, { before: true }],
  ])('and vanishes after its payout came back is owed once, with a markup of %d %j', async (fee, when) => {
    const done = await complete(fee, when);
    await done.cameBack();
    await done.goneFromChain();
    await done.trip.collect();
    await done.trip.collect();
    expect([await done.trip.wallet(), await done.trip.debt(), await done.fx()]).toEqual([0n, 0n, 0n]);
  });

  it.each([
    [0n, {}],
    [1_00n, {}],
    [AMOUNT - 1n, {}],
    [AMOUNT - 1n, { before: true }],
  ])('and vanishes before its payout comes back is owed once, with a markup of %d %j', async (fee, when) => {
    const done = await complete(fee, when);
    await done.goneFromChain();
    await done.trip.collect();
    await done.cameBack();
    await done.trip.collect();
    expect([await done.trip.wallet(), await done.trip.debt(), await done.fx()]).toEqual([0n, 0n, 0n]);
  });
});

describe('a deposit that is short of very little', () => {
  it('is refused beyond 1 % of what is due, which is less than 0.01 token', async () => {
    // 20.00 at 129.3517 are 0.154618 tokens.
    const trip = await new PayHarness(pg).payAccepted({ amount_minor: '2000' });
    await expect(trip.verified(trip.facts({ received_minor: String(154_618 - 1_546 - 1) }))).rejects.toThrow(
      /tolerance/,
    );
    expect(await trip.state()).toBe('AWAITING_FUNDS');
    await trip.verified(trip.facts({ received_minor: String(154_618 - 1_546) }));
    // 0.153072 × 129.3517 = 19.8001…
    expect([await trip.state(), await trip.held(), await trip.flow('fx:KES')]).toEqual(['QUEUED', 20_00n, -20_00n]);
  });
});
