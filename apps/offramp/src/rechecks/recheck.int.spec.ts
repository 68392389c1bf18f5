import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ChainHeights, Sighting } from '@vuka/domain';
import { until } from '@vuka/testing';

import { LookScene } from '../testing/look-scene.spec-support.js';
import { found, hashOf, reverted as failedOnChain } from '../testing/offramp.spec-support.js';
import { RECHECK_LEASE_MS } from './chain-looks.js';
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
} from './recheck-scene.spec-support.js';

const WITHIN = { withinMs: 10_000, what: 'it comes to that' };
let scene: LookScene;

beforeAll(async () => {
  scene = await LookScene.open();
}, 60_000);
afterAll(() => scene.close());
beforeEach(() => scene.reset());

const rounds = (count: number): Promise<void> => recheckRounds(scene, count);
const says = (id: number, sighting: Sighting, heights?: ChainHeights, chain?: string): void =>
  chainSays(scene, id, sighting, heights, chain);

describe('a deposit that was told of', () => {
  it('is looked at again until its block stays for good, and then never more', async () => {
    await paidShallow(scene, 1);
    expect(await depositRows(scene)).toMatchObject([{ state: 'consumed', final: false, due: true }]);
    await rounds(3);
    expect(await depositRows(scene)).toMatchObject([{ final: false, due: true, missing: false }]);
    says(1, tenOn('CELO', PAST, scene.clock.now()));
    await rounds(1);
    expect(await depositRows(scene)).toMatchObject([{ final: true, due: false }]);
    const { length } = scene.reader().reads;
    await rounds(5);
    expect(scene.reader().reads).toHaveLength(length);
    expect(await scene.kinds()).toEqual(['deposit.verified 1_1']);
  });

  it('whose block stays for good when it is judged is not looked at again', async () => {
    scene.reader().says(hashOf(1), scene.enoughOn('CELO'));
    await scene.addresses.ofPartner(1, 'evm');
    await scene.take({ transactionId: 1 });
    await scene.round(scene.looker());
    expect(await depositRows(scene)).toMatchObject([{ final: true, due: false }]);
  });

  it('of which nobody said when is looked at as well, whatever it was used for', async () => {
    await paidShallow(scene, 1);
    await scene.db.query(`update deposits set recheck_at = default, state = 'unapplied'`);
    says(1, tenOn('CELO', PAST, scene.clock.now()));
    await recheckRound(recheckerOf(scene));
    expect(await depositRows(scene)).toMatchObject([{ final: true }]);
  });
});

describe('a deposit that vanishes', () => {
  it('calls somebody at once, and is taken back when the chain has gone past its block for good: once', async () => {
    await paidShallow(scene, 1);
    const [before] = await depositRows(scene);
    says(1, GONE, SHALLOW);
    await rounds(5);
    expect(scene.alarms()).toEqual(['deposit_vanished']);
    expect(await depositRows(scene)).toMatchObject([{ missing: true, due: true }]);
    says(1, GONE, PAST);
    await rounds(3);
    expect(scene.alarms()).toEqual(['deposit_vanished', 'deposit_reverted']);
    expect(await depositRows(scene)).toEqual([]);
    expect(await scene.kinds()).toEqual(['deposit.verified 1_1', 'deposit.reverted 1_2']);
    expect(await toldOf(scene, 'deposit.reverted')).toMatchObject([
      {
        claim_id: 1,
        partner_id: 1,
        deposit: { deposit_id: before?.id, asset: 'USDC@CELO', received_minor: '10000000', block_number: 100 },
      },
    ]);
    expect(await scene.db.query('select id::integer as id, state from reverted_deposits')).toEqual([
      { id: before?.id, state: 'consumed' },
    ]);
  });

  it('is never taken back by one look alone, however final the chain is', async () => {
    await paidShallow(scene, 1);
    says(1, GONE, PAST);
    await rounds(1);
    expect(await depositRows(scene)).toMatchObject([{ missing: true }]);
    says(1, tenOn('CELO', SHALLOW, scene.clock.now()));
    await rounds(1);
    says(1, GONE, PAST);
    await rounds(1);
    expect(await depositRows(scene)).toMatchObject([{ missing: true }]);
    expect(scene.alarms()).toEqual(['deposit_vanished', 'deposit_vanished']);
    await rounds(1);
    expect(await depositRows(scene)).toEqual([]);
  });

  it.each<[string, (now: Date) => Sighting]>([
    ['its transfer brings less', (now) => tenOn('CELO', PAST, now, { value: 9_999_999n, block: 101 })],
    ['its transfer brings it to nobody of ours', (now) => found({ at: now, heights: PAST, transfers: [], block: 101 })],
    ['its transfer fails', (now) => failedOnChain(now)],
  ])('is also one where %s in another block', async (_what, sighting) => {
    await paidShallow(scene, 1);
    says(1, sighting(scene.clock.now()), PAST);
    await rounds(2);
    expect(await scene.kinds()).toEqual(['deposit.verified 1_1', 'deposit.reverted 1_2']);
  });

  it('leaves what it had arrived by to be claimed again', async () => {
    await paidShallow(scene, 1);
    const [address] = await scene.db.query<{ address: string }>('select address from deposits');
    await scene.db.query(
      `insert into arrivals (chain, transaction_hash, address, ordinal, token, symbol, amount_minor, sender, is_dust, block_number, block_hash, block_time, seen_at, claimed_at)
       select 'CELO', $1, $2, 0, 't', 'USDC', 1, 's', false, 100, 'b', $3, $3, $3`,
      [hashOf(1), address?.address, scene.clock.now()],
    );
    says(1, GONE, PAST);
    await rounds(2);
    expect(await scene.kinds()).toContain('deposit.reverted 1_2');
    expect(await scene.db.query('select claimed_at from arrivals')).toEqual([{ claimed_at: null }]);
    await scene.db.query('truncate arrivals');
  });

  it('takes what came beside it along, each told by itself', async () => {
    await scene.addresses.ofPartner(1, 'evm');
    const both = (heights: ChainHeights): Sighting =>
      found({
        at: scene.clock.now(),
        heights,
        transfers: [
          { token: '0xcebA9300f2b948710d2653dD7B07f33A8B32118C', value: 10n ** 7n },
          { token: '0x48065fbBE25f71C9282ddf5e1cD6D6A887483D5e', value: 5n, ordinal: 1 },
        ],
      });
    says(1, both(SHALLOW));
    await scene.take({ transactionId: 1 });
    await scene.round(scene.looker());
    expect(await depositRows(scene)).toMatchObject([{ state: 'consumed' }, { state: 'unapplied' }]);
    says(1, GONE, PAST);
    await rounds(2);
    expect(await scene.kinds()).toEqual(['deposit.verified 1_1', 'deposit.reverted 1_2', 'deposit.reverted 1_3']);
    expect(await depositRows(scene)).toEqual([]);
  });

  it('was only moved: it goes on in its new block, which is the one that has to stay', async () => {
    await paidShallow(scene, 1);
    const heights = { latest: 200, safe: 150, finalized: 140 };
    says(1, tenOn('CELO', heights, scene.clock.now(), { block: 150 }));
    await rounds(1);
    expect(await depositRows(scene)).toMatchObject([{ block: 150, final: false, missing: false }]);
    says(1, tenOn('CELO', { ...heights, finalized: 150 }, scene.clock.now(), { block: 150 }));
    await rounds(1);
    expect(await depositRows(scene)).toMatchObject([{ block: 150, final: true }]);
    expect(scene.alarms()).toEqual([]);
  });

  it('is recorded once where two processes look at the same time, one dies, or one sleeps past its lease', async () => {
    await paidShallow(scene, 1);
    says(1, GONE, PAST);
    await rounds(1);
    let wakeUp: (() => void) | undefined;
    says(1, GONE);
    scene.reader().says(hashOf(1), () => new Promise((resolve) => (wakeUp = () => resolve(GONE))));
    const slow = recheckerOf(scene);
    scene.clock.advance(60_000);
    await slow.rechecks.tick();
    await until(() => wakeUp !== undefined, WITHIN);
    says(1, GONE);
    scene.clock.advance(RECHECK_LEASE_MS);
    await recheckRound(recheckerOf(scene), recheckerOf(scene));
    wakeUp?.();
    await slow.rechecks.drain();
    expect(await scene.kinds()).toEqual(['deposit.verified 1_1', 'deposit.reverted 1_2']);
  });
});

describe('a chain that is slow, or a partner with a thousand deposits', () => {
  it('holds up no other', async () => {
    for (let id = 1; id <= 12; id += 1) await paidShallow(scene, id, 'BNB', 66);
    await paidShallow(scene, 100, 'BNB', 2);
    await paidShallow(scene, 101, 'CELO', 3);
    const stuck: (() => void)[] = [];
    for (let id = 1; id <= 12; id += 1)
      scene
        .reader('BNB')
        .says(
          hashOf(id),
          () => new Promise((resolve) => stuck.push(() => resolve(tenOn('BNB', YOUNG, scene.clock.now())))),
        );
    for (const [id, chain] of [
      [100, 'BNB'],
      [101, 'CELO'],
    ] as const)
      says(id, tenOn(chain, { latest: 400, safe: 300, finalized: 300 }, scene.clock.now()), undefined, chain);
    scene.clock.advance(60_000);
    const one = recheckerOf(scene);
    await one.rechecks.tick();
    await until(async () => (await depositRows(scene)).filter(({ final }) => final).length === 2, WITHIN);
    expect((await depositRows(scene)).filter(({ final }) => final).map(({ claim }) => claim)).toEqual([100, 101]);
    for (const answer of stuck) answer();
    await one.rechecks.drain();
  });
});

describe('a transfer that comes back', () => {
  async function vanished(): Promise<void> {
    await paidShallow(scene, 1);
    says(1, GONE, PAST);
    await rounds(2);
  }

  it('is another deposit, too late for what it was sent for, once it is there for good', async () => {
    await vanished();
    says(1, tenOn('CELO', { latest: 220, safe: 150, finalized: 150 }, scene.clock.now(), { block: 205 }));
    await rounds(2);
    expect(await depositRows(scene)).toEqual([]);
    says(1, tenOn('CELO', { latest: 300, safe: 250, finalized: 250 }, scene.clock.now(), { block: 205 }));
    await rounds(3);
    const [reverted] = await toldOf(scene, 'deposit.reverted');
    const [back] = await depositRows(scene);
    expect(back).toMatchObject({ state: 'unapplied', block: 205, final: true, due: false });
    expect(await scene.kinds()).toEqual(['deposit.verified 1_1', 'deposit.reverted 1_2', 'deposit.unapplied 1_3']);
    expect(await toldOf(scene, 'deposit.unapplied')).toMatchObject([
      { reason: 'deposit_late', also: [], deposit: { deposit_id: back?.id, received_minor: '10000000' } },
    ]);
    expect(reverted).not.toMatchObject({ deposit: { deposit_id: back?.id } });
  });

  const BACK: ChainHeights = { latest: 300, safe: 250, finalized: 250 };

  it('is looked for for a day', async () => {
    await vanished();
    scene.clock.advance(24 * 3_600_000);
    await rounds(1);
    const { length } = scene.reader().reads;
    says(1, tenOn('CELO', BACK, scene.clock.now(), { block: 205 }));
    await rounds(10);
    expect(scene.reader().reads).toHaveLength(length);
    expect(await depositRows(scene)).toEqual([]);
  });

  it.each<[string, () => Sighting]>([
    ['in trouble', () => ({ kind: 'trouble', reason: 'endpoints are away' })],
    [
      'on the chain, and not for good',
      () => tenOn('CELO', { ...BACK, finalized: 204 }, scene.clock.now(), { block: 205 }),
    ],
  ])('is looked for longer while it is %s at the end of the day', async (_what, sighting) => {
    await vanished();
    says(1, sighting());
    for (let day = 0; day < 3; day += 1) {
      scene.clock.advance(24 * 3_600_000);
      await rounds(1);
    }
    says(1, tenOn('CELO', BACK, scene.clock.now(), { block: 205 }));
    await rounds(5);
    expect(await scene.kinds()).toEqual(['deposit.verified 1_1', 'deposit.reverted 1_2', 'deposit.unapplied 1_3']);
  });

  it('and that screening had marked is marked still', async () => {
    await scene.addresses.ofPartner(1, 'evm');
    says(1, tenOn('CELO', SHALLOW, scene.clock.now()));
    await scene.take({ transactionId: 1 });
    await scene.round(scene.looker({ screening: { isHit: async () => true } }));
    says(1, GONE, PAST);
    await rounds(2);
    says(1, tenOn('CELO', { latest: 300, safe: 250, finalized: 250 }, scene.clock.now(), { block: 205 }));
    await rounds(1);
    expect(await scene.db.query('select screening_hit, state from deposits')).toEqual([
      { screening_hit: true, state: 'unapplied' },
    ]);
  });
});
