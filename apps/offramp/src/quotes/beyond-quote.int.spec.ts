import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ChainHeights, Sighting } from '@vuka/domain';
import { WakeSignal } from '@vuka/runtime';

import { CreditUnapplied } from '../claim-work/credit-unapplied.js';
import { PAST, recheckerOf, recheckRound, SHALLOW, toldOf } from '../rechecks/recheck-fixture.spec-support.js';
import { TakeRefund } from '../refund-intake/take-refund.js';
import { SwitchStore } from '../switches/switch.store.js';
import { Switches } from '../switches/switches.js';
import { CheckFixture, NOW, usdcOn } from '../testing/check-fixture.spec-support.js';
import { found, hashOf } from '../testing/offramp.spec-support.js';

const QUOTE_ID = '01930000-0000-7000-8000-000000000001';
/** 1,400 shillings at 140: 10 USDC, of which 10.01 are priced. */
const AMOUNT = '140000';
const [PRICED, BEYOND, ALL] = [10_010_000n, 49_989_990_000n, 50_000n * 10n ** 6n];
/** So few that their block may still vanish. */
const [FIFTY, BEYOND_OF_FIFTY] = [50_000_000n, 39_990_000n];
const GONE: Sighting = { kind: 'not_found' };
const UNLIMITED = { limitCents: 10n ** 12n };

let fixture: CheckFixture;
beforeAll(async () => {
  fixture = await CheckFixture.open();
}, 60_000);
afterAll(() => fixture.close());
beforeEach(async () => {
  await fixture.reset();
  await fixture.db.query(
    `insert into quotes (id, partner_id, currency, amount_minor, chain, asset, rate, created_at, expires_at) values ($1, 1, 'KES', $2, 'CELO', 'USDC', 140, $3, $4)`,
    [QUOTE_ID, AMOUNT, NOW, new Date(NOW.getTime() + 300_000)],
  );
  await fixture.addresses.ofPartner(1, 'evm');
});

const arrived = (value: bigint, heights?: ChainHeights, block = 100): Sighting =>
  found({
    at: fixture.clock.now(),
    block,
    transfers: [{ token: usdcOn('CELO'), value }],
    ...(heights === undefined ? {} : { heights }),
  });

async function overpaid(value = ALL, heights?: ChainHeights): Promise<void> {
  fixture.reader().says(hashOf(1), arrived(value, heights));
  await fixture.take({ transactionId: 1, quote_id: QUOTE_ID, amount_minor: AMOUNT });
  await fixture.round(fixture.checker(UNLIMITED));
}

interface Row {
  readonly id: number;
  readonly state: string;
  readonly received: string;
  readonly beyond: boolean;
  readonly final: boolean;
}
const rows = (): Promise<Row[]> =>
  fixture.db.query(
    'select id::integer as id, state, received_minor::text as received, beyond_quote as beyond, finalized_at is not null as final from deposits order by beyond_quote, id',
  );

async function rechecked(count: number, processes = 1): Promise<void> {
  for (let round = 0; round < count; round += 1) {
    fixture.clock.advance(60_000);
    await recheckRound(...Array.from({ length: processes }, () => recheckerOf(fixture)));
  }
}

const credit = (): Promise<boolean> =>
  new CreditUnapplied(
    fixture.db,
    fixture.rates,
    new Switches(new SwitchStore(fixture.db), fixture.clock),
    new WakeSignal(),
    fixture.clock,
  ).tick();

describe('what comes beyond a quote', () => {
  it('is a deposit of its own, which waits: the quote prices its amount and the tolerance, whatever came', async () => {
    await overpaid();
    const [priced, beyond] = await rows();
    expect([priced, beyond]).toMatchObject([
      { state: 'consumed', received: PRICED.toString(), beyond: false, final: true },
      { state: 'unapplied', received: BEYOND.toString(), beyond: true, final: true },
    ]);
    expect(await toldOf(fixture, 'deposit.verified')).toMatchObject([
      {
        rate: '140',
        quote_passed_over: null,
        deposit: { deposit_id: priced?.id, asset: 'USDC@CELO', received_minor: PRICED.toString() },
        also: [
          {
            deposit_id: beyond?.id,
            asset: 'USDC@CELO',
            received_minor: BEYOND.toString(),
            transaction_hash: hashOf(1),
          },
        ],
      },
    ]);
  });

  it('is none where it is within the tolerance, nor where the quote does not count: then all of it is at the rate of the day', async () => {
    fixture.reader().says(hashOf(1), arrived(PRICED));
    await fixture.take({ transactionId: 1, quote_id: QUOTE_ID, amount_minor: AMOUNT });
    fixture.reader().says(hashOf(2), arrived(ALL));
    await fixture.take({ transactionId: 2, quote_id: QUOTE_ID, amount_minor: AMOUNT });
    await fixture.round(fixture.checker(UNLIMITED));
    const found = (await rows()).map(({ received, beyond }) => [received, beyond]);
    expect(found).toHaveLength(2);
    expect(found).toEqual(
      expect.arrayContaining([
        [PRICED.toString(), false],
        [ALL.toString(), false],
      ]),
    );
  });

  it('of a pay that was accepted over half an hour after the expiry is nothing: the quote is passed over, free, and all is at the rate of the day', async () => {
    fixture.reader().says(hashOf(1), arrived(ALL));
    fixture.clock.advance(35 * 60_000 + 1);
    await fixture.take({ transactionId: 1, quote_id: QUOTE_ID, amount_minor: AMOUNT });
    await fixture.round(fixture.checker(UNLIMITED));
    expect(await toldOf(fixture, 'deposit.verified')).toMatchObject([
      { rate: '129.35', quote_passed_over: 'expired', deposit: { received_minor: ALL.toString() }, also: [] },
    ]);
    expect(await fixture.db.query('select taken_by from quotes')).toEqual([{ taken_by: null }]);
  });

  it('is taken by one of two claims of the same transfer, whole', async () => {
    fixture.reader().says(hashOf(1), arrived(ALL));
    await fixture.take({ transactionId: 1, quote_id: QUOTE_ID, amount_minor: AMOUNT });
    await fixture.take({ transactionId: 2, transaction_hash: hashOf(1), amount_minor: AMOUNT });
    await fixture.round(fixture.checker(UNLIMITED), fixture.checker(UNLIMITED));
    fixture.clock.advance(60_000);
    await fixture.round(fixture.checker(UNLIMITED));
    expect((await fixture.states()).map(({ state }) => state).sort()).toEqual(['unusable', 'verified']);
    const sum = (await rows()).reduce((total, { received }) => total + BigInt(received), 0n);
    expect(sum).toBe(ALL);
  });

  it('counts to how final the transfer has to be, and to what of the partner may vanish, while it is judged', async () => {
    fixture.reader().says(hashOf(1), arrived(ALL, SHALLOW));
    await fixture.take({ transactionId: 1, quote_id: QUOTE_ID, amount_minor: AMOUNT });
    // The priced part alone is far below this limit.
    await fixture.round(fixture.checker({ limitCents: 10_000_00n }));
    expect(await fixture.states()).toMatchObject([{ state: 'seen' }]);
    expect(await rows()).toEqual([]);
    fixture.reader().says(hashOf(1), arrived(ALL, PAST));
    fixture.clock.advance(60_000);
    await fixture.round(fixture.checker({ limitCents: 10_000_00n }));
    expect((await rows()).map(({ state }) => state)).toEqual(['consumed', 'unapplied']);
  });

  it("is credited once by policy, at the rate of the day and not the quote's", async () => {
    await overpaid();
    fixture.rates.rate = '120';
    await Promise.all([credit(), credit(), credit()]);
    await credit();
    const [, beyond] = await rows();
    expect(await toldOf(fixture, 'deposit.credited')).toMatchObject([
      { rate: '120', deposit: { deposit_id: beyond?.id, received_minor: BEYOND.toString() } },
    ]);
    expect((await rows()).map(({ state }) => state)).toEqual(['consumed', 'credited']);
  });

  it('goes back by a refund of just that; what the quote priced stays what it is', async () => {
    await overpaid();
    const [, beyond] = await rows();
    const refund = {
      id: '0199a000-0000-7000-8000-000000000001',
      type: 'refund.held' as const,
      version: 1,
      key: '9',
      sequence: 1,
      occurredAt: NOW.toISOString(),
      correlationId: 'r',
      causationId: 't',
      producer: 'payments',
      data: {
        refund_id: 9,
        partner_id: 1,
        deposit_id: beyond?.id ?? 0,
        chain: 'CELO',
        asset: 'USDC@CELO',
        decimals: 6,
        amount_minor: BEYOND.toString(),
        address: '0x0000000000000000000000000000000000000009',
      },
    };
    const take = new TakeRefund(fixture.db, fixture.clock);
    await take.run(refund);
    await take.run(refund);
    expect((await rows()).map(({ state }) => state)).toEqual(['consumed', 'refunding']);
    expect(await credit()).toBe(false);
    expect(await toldOf(fixture, 'deposit.credited')).toEqual([]);
    await fixture.db.query('truncate refunds cascade');
  });
});

describe('a transfer that a quote had parted', () => {
  it('is final for both parts, once its block stays for good', async () => {
    await overpaid(FIFTY, SHALLOW);
    expect((await rows()).map(({ final }) => final)).toEqual([false, false]);
    fixture.reader().says(hashOf(1), arrived(FIFTY, PAST));
    await rechecked(1);
    expect((await rows()).map(({ final }) => final)).toEqual([true, true]);
    expect(fixture.alarms()).toEqual([]);
  });

  it('stays in another block with all of it', async () => {
    await overpaid(FIFTY, SHALLOW);
    fixture.reader().says(hashOf(1), arrived(FIFTY, PAST, 120));
    await rechecked(1);
    expect(await fixture.kinds()).toEqual(['deposit.verified 1_1']);
    expect((await rows()).map(({ final }) => final)).toEqual([true, true]);
  });

  it.each<[string, number, () => Sighting]>([
    ['vanishes', 1, () => GONE],
    ['vanishes, and three processes look', 3, () => GONE],
    ['brings no more in another block than each part alone', 1, () => arrived(BEYOND_OF_FIFTY, PAST, 101)],
    ['brings a unit less in another block', 3, () => arrived(FIFTY - 1n, PAST, 101)],
  ])('that %s is taken back with both parts in one commit, each told once', async (_, processes, sighting) => {
    await overpaid(FIFTY, SHALLOW);
    const [priced, beyond] = await rows();
    fixture.reader().says(hashOf(1), sighting());
    fixture.reader().tellsHeights = PAST;
    await rechecked(2, processes);
    expect(await rows()).toEqual([]);
    expect(await fixture.kinds()).toEqual(['deposit.verified 1_1', 'deposit.reverted 1_2', 'deposit.reverted 1_3']);
    expect((await toldOf(fixture, 'deposit.reverted')).map(({ deposit }) => deposit)).toMatchObject([
      { deposit_id: priced?.id, received_minor: PRICED.toString() },
      { deposit_id: beyond?.id, received_minor: BEYOND_OF_FIFTY.toString() },
    ]);
    const moments = await fixture.db.query<{ xid: string }>(
      `select distinct xid::text as xid from outbox where envelope::jsonb ->> 'type' = 'deposit.reverted'`,
    );
    expect(moments).toHaveLength(1);
  });

  it('goes whole also where one part is checked at alone', async () => {
    await overpaid(FIFTY, SHALLOW);
    await fixture.db.query(`update deposits set recheck_at = $1 where beyond_quote`, [
      new Date(NOW.getTime() + 3_600_000),
    ]);
    fixture.reader().says(hashOf(1), GONE);
    fixture.reader().tellsHeights = PAST;
    await rechecked(3);
    expect(await rows()).toEqual([]);
    expect(await fixture.kinds()).toEqual(['deposit.verified 1_1', 'deposit.reverted 1_2', 'deposit.reverted 1_3']);
  });

  it('comes back whole: one deposit of all of it, too late', async () => {
    await overpaid(FIFTY, SHALLOW);
    fixture.reader().says(hashOf(1), GONE);
    fixture.reader().tellsHeights = PAST;
    await rechecked(2);
    fixture.reader().says(hashOf(1), arrived(FIFTY, { latest: 300, safe: 250, finalized: 250 }, 205));
    await rechecked(4, 2);
    expect(await rows()).toMatchObject([
      { state: 'unapplied', received: FIFTY.toString(), beyond: false, final: true },
    ]);
    expect(await toldOf(fixture, 'deposit.unapplied')).toMatchObject([
      { reason: 'deposit_late', also: [], deposit: { received_minor: FIFTY.toString() } },
    ]);
    expect(await fixture.db.query('select 1 from reverted_deposits where next_check_at is not null')).toEqual([]);
  });
});
