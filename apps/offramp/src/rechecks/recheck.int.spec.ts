import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ChainHeights, Sighting } from '@vuka/domain';
import { until } from '@vuka/testing';

import { CheckFixture } from '../testing/check-fixture.spec-support.js';
import { found, hashOf, reverted as failedOnChain } from '../testing/offramp.spec-support.js';
import { RECHECK_LEASE_MS } from './chain-checks.js';
import {
  chainSays,
  depositRows,
  GONE,
  paidShallow,
  PAST,
  recheckerOf,
  recheckRound,
  recheckRounds,
  SHALLOW,
  tenOn,
  toldOf,
  YOUNG,
} from './recheck-fixture.spec-support.js';

const WITHIN = { withinMs: 10_000, what: 'it comes to that' };
let fixture: CheckFixture;

beforeAll(async () => {
  fixture = await CheckFixture.open();
}, 60_000);
afterAll(() => fixture.close());
beforeEach(() => fixture.reset());

const rounds = (count: number): Promise<void> => recheckRounds(fixture, count);
const says = (id: number, sighting: Sighting, heights?: ChainHeights, chain?: string): void =>
  chainSays(fixture, id, sighting, heights, chain);

describe('a deposit that was told of', () => {
  it('is looked at again until its block stays for good, and then never more', async () => {
    await paidShallow(fixture, 1);
    expect(await depositRows(fixture)).toMatchObject([{ state: 'consumed', final: false, due: true }]);
    await rounds(3);
    expect(await depositRows(fixture)).toMatchObject([{ final: false, due: true, missing: false }]);
    says(1, tenOn('CELO', PAST, fixture.clock.now()));
    await rounds(1);
    expect(await depositRows(fixture)).toMatchObject([{ final: true, due: false }]);
    const { length } = fixture.reader().reads;
    await rounds(5);
    expect(fixture.reader().reads).toHaveLength(length);
    expect(await fixture.kinds()).toEqual(['deposit.verified 1_1']);
  });

  it('whose block stays for good when it is judged is not looked at again', async () => {
    fixture.reader().says(hashOf(1), fixture.enoughOn('CELO'));
    await fixture.addresses.ofPartner(1, 'evm');
    await fixture.take({ transactionId: 1 });
    await fixture.round(fixture.checker());
    expect(await depositRows(fixture)).toMatchObject([{ final: true, due: false }]);
  });

  it('of which nobody said when is looked at as well, whatever it was used for', async () => {
    await paidShallow(fixture, 1);
    await fixture.db.query(`update deposits set recheck_at = default, state = 'unapplied'`);
    says(1, tenOn('CELO', PAST, fixture.clock.now()));
    await recheckRound(recheckerOf(fixture));
    expect(await depositRows(fixture)).toMatchObject([{ final: true }]);
  });
});

describe('a deposit that vanishes', () => {
  it('calls somebody at once, and is taken back when the chain has gone past its block for good: once', async () => {
    await paidShallow(fixture, 1);
    const [before] = await depositRows(fixture);
    says(1, GONE, SHALLOW);
    await rounds(5);
    expect(fixture.alarms()).toEqual(['deposit_vanished']);
    expect(await depositRows(fixture)).toMatchObject([{ missing: true, due: true }]);
    says(1, GONE, PAST);
    await rounds(3);
    expect(fixture.alarms()).toEqual(['deposit_vanished', 'deposit_reverted']);
    expect(await depositRows(fixture)).toEqual([]);
    expect(await fixture.kinds()).toEqual(['deposit.verified 1_1', 'deposit.reverted 1_2']);
    expect(await toldOf(fixture, 'deposit.reverted')).toMatchObject([
      {
        claim_id: 1,
        partner_id: 1,
        deposit: { deposit_id: before?.id, asset: 'USDC@CELO', received_minor: '10000000', block_number: 100 },
      },
    ]);
    expect(await fixture.db.query('select id::integer as id, state from reverted_deposits')).toEqual([
      { id: before?.id, state: 'consumed' },
    ]);
  });

  it('is never taken back by one look alone, however final the chain is', async () => {
    await paidShallow(fixture, 1);
    says(1, GONE, PAST);
    await rounds(1);
    expect(await depositRows(fixture)).toMatchObject([{ missing: true }]);
    says(1, tenOn('CELO', SHALLOW, fixture.clock.now()));
    await rounds(1);
    says(1, GONE, PAST);
    await rounds(1);
    expect(await depositRows(fixture)).toMatchObject([{ missing: true }]);
    expect(fixture.alarms()).toEqual(['deposit_vanished', 'deposit_vanished']);
    await rounds(1);
    expect(await depositRows(fixture)).toEqual([]);
  });

  it.each<[string, (now: Date) => Sighting]>([
    ['its transfer brings less', (now) => tenOn('CELO', PAST, now, { value: 9_999_999n, block: 101 })],
    ['its transfer brings it to nobody of ours', (now) => found({ at: now, heights: PAST, transfers: [], block: 101 })],
    ['its transfer fails', (now) => failedOnChain(now)],
  ])('is also one where %s in another block', async (_what, sighting) => {
    await paidShallow(fixture, 1);
    says(1, sighting(fixture.clock.now()), PAST);
    await rounds(2);
    expect(await fixture.kinds()).toEqual(['deposit.verified 1_1', 'deposit.reverted 1_2']);
  });

  it('leaves what it had arrived by to be claimed again', async () => {
    await paidShallow(fixture, 1);
    const [address] = await fixture.db.query<{ address: string }>('select address from deposits');
    await fixture.db.query(
      `insert into incoming_transfers (chain, transaction_hash, address, ordinal, token, symbol, amount_minor, sender, is_dust, block_number, block_hash, block_time, seen_at, claimed_at)
       select 'CELO', $1, $2, 0, 't', 'USDC', 1, 's', false, 100, 'b', $3, $3, $3`,
      [hashOf(1), address?.address, fixture.clock.now()],
    );
    says(1, GONE, PAST);
    await rounds(2);
    expect(await fixture.kinds()).toContain('deposit.reverted 1_2');
    expect(await fixture.db.query('select claimed_at from incoming_transfers')).toEqual([{ claimed_at: null }]);
    await fixture.db.query('truncate incoming_transfers');
  });

  it('takes what came beside it along, each told by itself', async () => {
    await fixture.addresses.ofPartner(1, 'evm');
    const both = (heights: ChainHeights): Sighting =>
      found({
        at: fixture.clock.now(),
        heights,
        transfers: [
          { token: '0xcebA9300f2b948710d2653dD7B07f33A8B32118C', value: 10n ** 7n },
          { token: '0x48065fbBE25f71C9282ddf5e1cD6D6A887483D5e', value: 5n, ordinal: 1 },
        ],
      });
    says(1, both(SHALLOW));
    await fixture.take({ transactionId: 1 });
    await fixture.round(fixture.checker());
    expect(await depositRows(fixture)).toMatchObject([{ state: 'consumed' }, { state: 'unapplied' }]);
    says(1, GONE, PAST);
    await rounds(2);
    expect(await fixture.kinds()).toEqual(['deposit.verified 1_1', 'deposit.reverted 1_2', 'deposit.reverted 1_3']);
    expect(await depositRows(fixture)).toEqual([]);
  });

  it('was only moved: it goes on in its new block, which is the one that has to stay', async () => {
    await paidShallow(fixture, 1);
    const heights = { latest: 200, safe: 150, finalized: 140 };
    says(1, tenOn('CELO', heights, fixture.clock.now(), { block: 150 }));
    await rounds(1);
    expect(await depositRows(fixture)).toMatchObject([{ block: 150, final: false, missing: false }]);
    says(1, tenOn('CELO', { ...heights, finalized: 150 }, fixture.clock.now(), { block: 150 }));
    await rounds(1);
    expect(await depositRows(fixture)).toMatchObject([{ block: 150, final: true }]);
    expect(fixture.alarms()).toEqual([]);
  });

  it('is recorded once where two processes check at the same time, one dies, or one sleeps past its lease', async () => {
    await paidShallow(fixture, 1);
    says(1, GONE, PAST);
    await rounds(1);
    let wakeUp: (() => void) | undefined;
    says(1, GONE);
    fixture.reader().says(hashOf(1), () => new Promise((resolve) => (wakeUp = () => resolve(GONE))));
    const slow = recheckerOf(fixture);
    fixture.clock.advance(60_000);
    await slow.rechecks.tick();
    await until(() => wakeUp !== undefined, WITHIN);
    says(1, GONE);
    fixture.clock.advance(RECHECK_LEASE_MS);
    await recheckRound(recheckerOf(fixture), recheckerOf(fixture));
    wakeUp?.();
    await slow.rechecks.drain();
    expect(await fixture.kinds()).toEqual(['deposit.verified 1_1', 'deposit.reverted 1_2']);
  });
});

describe('a chain that is slow, or a partner with a thousand deposits', () => {
  it('holds up no other', async () => {
    for (let id = 1; id <= 12; id += 1) await paidShallow(fixture, id, 'BNB', 66);
    await paidShallow(fixture, 100, 'BNB', 2);
    await paidShallow(fixture, 101, 'CELO', 3);
    const stuck: (() => void)[] = [];
    for (let id = 1; id <= 12; id += 1)
      fixture
        .reader('BNB')
        .says(
          hashOf(id),
          () => new Promise((resolve) => stuck.push(() => resolve(tenOn('BNB', YOUNG, fixture.clock.now())))),
        );
    for (const [id, chain] of [
      [100, 'BNB'],
      [101, 'CELO'],
    ] as const)
      says(id, tenOn(chain, { latest: 400, safe: 300, finalized: 300 }, fixture.clock.now()), undefined, chain);
    fixture.clock.advance(60_000);
    const one = recheckerOf(fixture);
    await one.rechecks.tick();
    await until(async () => (await depositRows(fixture)).filter(({ final }) => final).length === 2, WITHIN);
    expect((await depositRows(fixture)).filter(({ final }) => final).map(({ claim }) => claim)).toEqual([100, 101]);
    for (const answer of stuck) answer();
    await one.rechecks.drain();
  });
});

describe('a transfer that comes back', () => {
  async function vanished(): Promise<void> {
    await paidShallow(fixture, 1);
    says(1, GONE, PAST);
    await rounds(2);
  }

  it('is another deposit, too late for what it was sent for, once it is there for good', async () => {
    await vanished();
    says(1, tenOn('CELO', { latest: 220, safe: 150, finalized: 150 }, fixture.clock.now(), { block: 205 }));
    await rounds(2);
    expect(await depositRows(fixture)).toEqual([]);
    says(1, tenOn('CELO', { latest: 300, safe: 250, finalized: 250 }, fixture.clock.now(), { block: 205 }));
    await rounds(3);
    const [reverted] = await toldOf(fixture, 'deposit.reverted');
    const [back] = await depositRows(fixture);
    expect(back).toMatchObject({ state: 'unapplied', block: 205, final: true, due: false });
    expect(await fixture.kinds()).toEqual(['deposit.verified 1_1', 'deposit.reverted 1_2', 'deposit.unapplied 1_3']);
    expect(await toldOf(fixture, 'deposit.unapplied')).toMatchObject([
      { reason: 'deposit_late', also: [], deposit: { deposit_id: back?.id, received_minor: '10000000' } },
    ]);
    expect(reverted).not.toMatchObject({ deposit: { deposit_id: back?.id } });
  });

  const BACK: ChainHeights = { latest: 300, safe: 250, finalized: 250 };

  it('is looked for for a day', async () => {
    await vanished();
    fixture.clock.advance(24 * 3_600_000);
    await rounds(1);
    const { length } = fixture.reader().reads;
    says(1, tenOn('CELO', BACK, fixture.clock.now(), { block: 205 }));
    await rounds(10);
    expect(fixture.reader().reads).toHaveLength(length);
    expect(await depositRows(fixture)).toEqual([]);
  });

  it.each<[string, () => Sighting]>([
    ['in trouble', () => ({ kind: 'trouble', reason: 'endpoints are away' })],
    [
      'on the chain, and not for good',
      () => tenOn('CELO', { ...BACK, finalized: 204 }, fixture.clock.now(), { block: 205 }),
    ],
  ])('is looked for longer while it is %s at the end of the day', async (_what, sighting) => {
    await vanished();
    says(1, sighting());
    for (let day = 0; day < 3; day += 1) {
      fixture.clock.advance(24 * 3_600_000);
      await rounds(1);
    }
    says(1, tenOn('CELO', BACK, fixture.clock.now(), { block: 205 }));
    await rounds(5);
    expect(await fixture.kinds()).toEqual(['deposit.verified 1_1', 'deposit.reverted 1_2', 'deposit.unapplied 1_3']);
  });

  it('and that screening had marked is marked still', async () => {
    await fixture.addresses.ofPartner(1, 'evm');
    says(1, tenOn('CELO', SHALLOW, fixture.clock.now()));
    await fixture.take({ transactionId: 1 });
    await fixture.round(fixture.checker({ screening: { isHit: async () => true } }));
    says(1, GONE, PAST);
    await rounds(2);
    says(1, tenOn('CELO', { latest: 300, safe: 250, finalized: 250 }, fixture.clock.now(), { block: 205 }));
    await rounds(1);
    expect(await fixture.db.query('select screening_hit, state from deposits')).toEqual([
      { screening_hit: true, state: 'unapplied' },
    ]);
  });
});
