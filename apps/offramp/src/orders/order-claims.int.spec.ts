import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { IncomingTransferStore } from '../incoming-transfers/incoming-transfer.store.js';
import { depositRows, PAST, recheckerOf, recheckRound, SHALLOW } from '../rechecks/recheck-fixture.spec-support.js';
import { ListScreening } from '../screening/screening.js';
import { SwitchStore } from '../switches/switch.store.js';
import { CheckFixture, usdcOn } from '../testing/check-fixture.spec-support.js';
import { found, hashOf, type ScriptedReader, SENDER } from '../testing/offramp.spec-support.js';
import {
  type Came,
  comes,
  FIRST,
  kindsOf,
  checks,
  reserved,
  scanFinds,
  sightingOf,
  toldOfOrder,
} from './order-fixture.spec-support.js';

let fixture: CheckFixture;
let address: string;
beforeAll(async () => {
  fixture = await CheckFixture.open();
}, 60_000);
afterAll(() => fixture.close());
beforeEach(async () => {
  await fixture.reset();
  ({ address } = await reserved(fixture, FIRST));
});

const states = async (): Promise<string[]> =>
  (await fixture.states()).map(({ state, reason }) => [state, reason].filter(Boolean).join(' '));
const says = (id: number, came: Came | 'not_found', chain = 'CELO'): void =>
  fixture
    .reader(chain)
    .says(hashOf(id), came === 'not_found' ? { kind: 'not_found' } : sightingOf(fixture, { chain, ...came }));
const YOUNG: Came = { isYoung: true };

describe('what a chain brings to the address of an order', () => {
  it('is one claim for each transfer and chain, however often and by how many it is found', async () => {
    const pages = Array.from({ length: 4 }, () => scanFinds(fixture, 1, address));
    expect((await Promise.all(pages)).filter(Boolean)).toHaveLength(1);
    expect(await scanFinds(fixture, 1, address)).toBe(false);
    expect(await scanFinds(fixture, 2, address)).toBe(true);
    expect(await scanFinds(fixture, 1, address, { chain: 'BNB' })).toBe(true);
    const rows = await fixture.db.query(
      `select order_number::text as number, partner_id::integer as partner, chain, asset, currency, amount_minor::text as amount, rate, deadline - accepted_at = interval '45 minutes' as long, state,
              next_check_at = accepted_at as due, transaction_id >= 6000000000000000 as far, correlation_id from claims order by transaction_id limit 1`,
    );
    expect(rows).toEqual([
      {
        number: String(FIRST),
        partner: 1,
        chain: 'CELO',
        asset: null,
        currency: 'KES',
        amount: '129350',
        rate: '129.35',
        long: true,
        state: 'open',
        due: true,
        far: true,
        correlation_id: 'request-1',
      },
    ]);
    expect(await states()).toHaveLength(3);
  });

  it("is none where it is dust, of no listed token, of another family, or came to an address that is no order's", async () => {
    const { address: partners } = await fixture.addresses
      .ofPartner(1, 'evm')
      .then((one) => (one.ok ? one.value : never()));
    expect(await scanFinds(fixture, 1, address, { isDust: true })).toBe(false);
    expect(await scanFinds(fixture, 2, address, { isListed: false })).toBe(false);
    expect(await scanFinds(fixture, 3, address, { chain: 'SOLANA' })).toBe(false);
    expect(await scanFinds(fixture, 4, partners)).toBe(false);
    expect(await states()).toEqual([]);
  });

  it("is told as seen, then as confirmed, with deposits and the order's rate", async () => {
    const at = fixture.clock.now();
    await comes(fixture, 1, address, { ...YOUNG, at });
    await checks(fixture, 3);
    expect(await kindsOf(fixture, FIRST)).toEqual(['deposit.seen 1']);
    says(1, { at });
    await checks(fixture);
    const [seen, confirmed, ...more] = await toldOfOrder(fixture, FIRST);
    const [{ id: claim } = never()] = await fixture.states();
    const order = { order_number: FIRST, partner_id: 1, claim_id: claim };
    const value = { asset: 'USDC@CELO', decimals: 6, received_minor: '10000000' };
    expect(seen).toMatchObject({
      type: 'order-deposit.seen',
      sequence: 1,
      correlationId: 'request-1',
      data: { ...order, chain: 'CELO', transaction_hash: hashOf(1), block_time: at.toISOString(), values: [value] },
    });
    const [{ id } = never()] = await depositRows(fixture);
    expect(confirmed).toMatchObject({
      type: 'order-deposit.confirmed',
      sequence: 2,
      data: {
        ...order,
        screening_hit: false,
        rate: '129.35',
        deposits: [
          {
            ...value,
            deposit_id: id,
            chain: 'CELO',
            transaction_hash: hashOf(1),
            block_number: 100,
            block_time: at.toISOString(),
          },
        ],
      },
    });
    expect(more).toEqual([]);
    expect(await fixture.db.query('select state, used_minor::text as used, address, rate from deposits')).toEqual([
      { state: 'consumed', used: '0', address, rate: '129.35' },
    ]);
    expect(await states()).toEqual(['verified']);
    expect(fixture.reader().reads.every((read) => read.address === address)).toBe(true);
  });

  it('is confirmed on another chain of the family too, and all that one transfer brought is told together', async () => {
    fixture.reader('BNB').says(hashOf(1), sightingOf(fixture, { chain: 'BNB' }));
    await scanFinds(fixture, 1, address, { chain: 'BNB' });
    const both = ['USDC', 'USDT'].flatMap((symbol) => {
      const one = sightingOf(fixture, { symbol });
      return one.kind === 'found' ? one.transfers : [];
    });
    fixture.reader().says(hashOf(2), found({ at: fixture.clock.now(), transfers: both }));
    await scanFinds(fixture, 2, address);
    await checks(fixture);
    const told = await toldOfOrder<'order-deposit.confirmed'>(fixture, FIRST);
    expect(told.map(({ data }) => data.deposits.map(({ asset }) => asset)).sort()).toEqual([
      ['USDC@BNB'],
      ['USDC@CELO', 'USDT@CELO'],
    ]);
    expect(told.map(({ sequence }) => sequence)).toEqual([1, 2]);
  });

  it('is told as seen again where it moved to another block with another time or value, and not else', async () => {
    const at = fixture.clock.now();
    await comes(fixture, 1, address, { ...YOUNG, at });
    await checks(fixture);
    says(1, { ...YOUNG, at, block: 99 });
    await checks(fixture);
    says(1, 'not_found');
    await checks(fixture);
    expect(await kindsOf(fixture, FIRST)).toEqual(['deposit.seen 1']);
    const later = new Date(at.getTime() + 12_000);
    says(1, { ...YOUNG, at: later });
    await checks(fixture);
    says(1, { ...YOUNG, at: later, tokens: 9 });
    await checks(fixture, 2);
    const told = await toldOfOrder<'order-deposit.seen'>(fixture, FIRST);
    expect(told.map(({ data, sequence }) => [sequence, data.block_time, data.values[0]?.received_minor])).toEqual([
      [1, at.toISOString(), '10000000'],
      [2, later.toISOString(), '10000000'],
      [3, later.toISOString(), '9000000'],
    ]);
  });

  it('ends silently if it was ours or never reported, is reported as gone if it was reported, and as seen when it returns', async () => {
    const partners = await fixture.addresses.ofPartner(2, 'evm');
    await comes(fixture, 1, address, { from: partners.ok ? partners.value.address : never() });
    await comes(fixture, 2, address, YOUNG);
    await scanFinds(fixture, 3, address);
    await checks(fixture);
    says(2, 'not_found');
    fixture.clock.advance(44 * 60_000);
    await checks(fixture, 2);
    expect(await states()).toEqual([
      'unusable no_matching_transfer',
      'unusable no_matching_transfer',
      'unusable no_matching_transfer',
    ]);
    expect(await kindsOf(fixture, FIRST)).toEqual(['deposit.seen 1', 'deposit.gone 2']);
    const [, second] = await fixture.states();
    expect((await toldOfOrder(fixture, FIRST))[1]?.data).toEqual({
      order_number: FIRST,
      partner_id: 1,
      claim_id: second?.id,
    });
    await comes(fixture, 2, address, YOUNG);
    await checks(fixture);
    says(2, {});
    await checks(fixture);
    expect(await kindsOf(fixture, FIRST)).toEqual([
      'deposit.seen 1',
      'deposit.gone 2',
      'deposit.seen 3',
      'deposit.confirmed 4',
    ]);
  });

  it('waits as long as it is in a block, whatever the deadline', async () => {
    await comes(fixture, 1, address, { ...YOUNG, at: fixture.clock.now() });
    const at = fixture.clock.now();
    await checks(fixture);
    fixture.clock.advance(5 * 3_600_000);
    await checks(fixture, 2);
    expect(await states()).toEqual(['seen']);
    says(1, { at });
    fixture.clock.advance(5 * 60_000);
    await checks(fixture);
    expect(await kindsOf(fixture, FIRST)).toEqual(['deposit.seen 1', 'deposit.confirmed 2']);
  });

  it('that screening marks is told as such; what is switched off waits, past any deadline', async () => {
    await comes(fixture, 1, address);
    await checks(fixture, 1, { screening: new ListScreening([SENDER]) });
    expect((await toldOfOrder(fixture, FIRST)).map(({ data }) => data)).toMatchObject([{ screening_hit: true }]);
    await new SwitchStore(fixture.db).switchOff({
      chain: 'CELO',
      asset: 'USDC',
      reason: 'halted',
      offBy: 'somebody',
      offSince: fixture.clock.now(),
    });
    await comes(fixture, 2, address);
    fixture.clock.advance(3_600_000);
    await checks(fixture, 2);
    expect(await states()).toEqual(['verified', 'open']);
    await new SwitchStore(fixture.db).switchOn(
      { chain: 'CELO', asset: 'USDC' },
      { by: 'somebody', why: 'it runs', at: fixture.clock.now() },
    );
    fixture.clock.advance(5 * 60_000);
    await checks(fixture);
    expect(await states()).toEqual(['verified', 'verified']);
  });

  it('is judged once by however many look at it at the same time', async () => {
    for (const id of [1, 2, 3, 4, 5, 6]) await comes(fixture, id, address);
    await fixture.round(fixture.checker(), fixture.checker(), fixture.checker());
    // With several writers the log may have the later first.
    expect((await kindsOf(fixture, FIRST)).sort()).toEqual([1, 2, 3, 4, 5, 6].map((n) => `deposit.confirmed ${n}`));
    expect(await depositRows(fixture)).toHaveLength(6);
  });

  it('is seen, and waits, where its partner has as much open as it may', async () => {
    const limit = { limitCents: 15_00n };
    await comes(fixture, 1, address, { heights: SHALLOW });
    await comes(fixture, 2, address, { heights: SHALLOW });
    await checks(fixture, 2, limit);
    expect((await states()).sort()).toEqual(['seen', 'verified']);
    expect((await kindsOf(fixture, FIRST)).sort()).toEqual(['deposit.confirmed 1', 'deposit.seen 2'].sort());
    for (const id of [1, 2]) says(id, { heights: PAST });
    await checks(fixture, 1, limit);
    expect(await states()).toEqual(['verified', 'verified']);
  });

  it("that has a claim is nobody's to claim", async () => {
    const store = new IncomingTransferStore(fixture.db);
    const { chain, token, symbol } = { chain: 'CELO', token: usdcOn('CELO'), symbol: 'USDC' };
    const incomingTransfer = {
      transactionHash: hashOf(1),
      address,
      ordinal: 0,
      token,
      symbol,
      amountMinor: 10_000_000n,
      sender: SENDER,
      isDust: false,
      block: { number: 100, hash: hashOf(100), time: fixture.clock.now() },
    };
    await fixture.db.inTransaction((tx) =>
      IncomingTransferStore.keep(tx, chain, [incomingTransfer], fixture.clock.now()),
    );
    expect(await store.unclaimed(fixture.clock.now(), 10)).toHaveLength(1);
    await comes(fixture, 1, address, YOUNG);
    expect(await store.unclaimed(fixture.clock.now(), 10)).toEqual([]);
    await checks(fixture);
    says(1, {});
    await checks(fixture);
    expect(await store.unclaimed(fixture.clock.now(), 10)).toEqual([]);
  });
});

describe('a deposit of an order that its chain takes back', () => {
  const reader = (): ScriptedReader => fixture.reader();
  async function rounds(count: number): Promise<void> {
    for (let round = 0; round < count; round += 1) {
      fixture.clock.advance(60_000);
      await recheckRound(recheckerOf(fixture), recheckerOf(fixture));
    }
  }

  it('is told of the order, once, and as confirmed again when it is there again for good', async () => {
    const at = fixture.clock.now();
    await comes(fixture, 1, address, { heights: SHALLOW, at });
    await checks(fixture);
    const [before = never()] = await depositRows(fixture);
    says(1, 'not_found');
    reader().tellsHeights = PAST;
    await rounds(4);
    expect(await kindsOf(fixture, FIRST)).toEqual(['deposit.confirmed 1', 'deposit.reverted 2']);
    const [, reverted] = await toldOfOrder(fixture, FIRST);
    expect(reverted?.data).toMatchObject({
      order_number: FIRST,
      partner_id: 1,
      claim_id: before.claim,
      deposit: { deposit_id: before.id, asset: 'USDC@CELO', received_minor: '10000000' },
    });
    expect(await depositRows(fixture)).toEqual([]);
    says(1, { at, block: 150, heights: { latest: 400, safe: 350, finalized: 340 } });
    await rounds(3);
    const [after = never(), ...others] = await depositRows(fixture);
    expect(others).toEqual([]);
    expect(after).toMatchObject({ claim: before.claim, state: 'consumed', final: true });
    expect(after.id).not.toBe(before.id);
    expect(await kindsOf(fixture, FIRST)).toEqual(['deposit.confirmed 1', 'deposit.reverted 2', 'deposit.confirmed 3']);
    const [, , returned] = await toldOfOrder(fixture, FIRST);
    expect(returned?.data).toMatchObject({
      claim_id: before.claim,
      rate: '129.35',
      screening_hit: false,
      deposits: [{ deposit_id: after.id, block_number: 150 }],
    });
    expect(await fixture.db.query(`select used_minor::text as used from deposits`)).toEqual([{ used: '0' }]);
  });

  it('that only moved to another block goes on there', async () => {
    const at = fixture.clock.now();
    await comes(fixture, 1, address, { heights: SHALLOW, at });
    await checks(fixture);
    says(1, { at, block: 120, heights: { latest: 400, safe: 350, finalized: 340 } });
    await rounds(2);
    expect(await kindsOf(fixture, FIRST)).toEqual(['deposit.confirmed 1']);
    expect(await depositRows(fixture)).toMatchObject([{ block: 120, final: true }]);
  });
});

function never(): never {
  throw new Error('there is none');
}
