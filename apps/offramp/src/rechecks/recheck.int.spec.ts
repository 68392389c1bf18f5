import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ChainHeights, Sighting } from '@vuka/domain';
import { until } from '@vuka/testing';

import { LookScene } from '../testing/look-scene.spec-support.js';
import { hashOf, reverted as failedOnChain, found, type ScriptedReader } from '../testing/offramp.spec-support.js';
import { PageByAge } from '../claim-work/page-by-age.js';
import { RECHECK_LEASE_MS } from './chain-looks.js';
import {
  depositRows,
  paidShallow,
  PAST,
  recheckerOf,
  recheckRound,
  SHALLOW,
  tenOn,
  toldOf,
  YOUNG,
} from './recheck-scene.spec-support.js';

const WITHIN = { withinMs: 10_000, what: 'it comes to that' };
const GONE: Sighting = { kind: 'not_found' };
let scene: LookScene;

beforeAll(async () => {
  scene = await LookScene.open();
}, 60_000);
afterAll(() => scene.close());
beforeEach(() => scene.reset());

/** So many rounds, a minute apart. */
async function rounds(count: number): Promise<void> {
  for (let round = 0; round < count; round += 1) {
    scene.clock.advance(60_000);
    await recheckRound(recheckerOf(scene));
  }
}

function says(id: number, sighting: Sighting, heights?: ChainHeights, chain = 'CELO'): void {
  scene.reader(chain).says(hashOf(id), sighting);
  if (heights) scene.reader(chain).tellsHeights = heights;
}

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

  it('from a release before is looked at as well, whatever it was used for', async () => {
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

describe('what endpoints have forgotten takes nothing back', () => {
  const SAME = { kind: 'block', hash: `0x${'b'.repeat(64)}` } as const;

  it('where the chain has its block still: somebody is called, once, until they tell of it again', async () => {
    await paidShallow(scene, 1);
    says(1, GONE, PAST);
    scene.reader().tellsBlock = SAME;
    // A look that a busy database broke off says nothing, and the next one says it.
    await until(() => rounds(1).then(() => scene.alarms().length > 0), WITHIN);
    await rounds(5);
    expect(scene.alarms()).toEqual(['deposit_untold']);
    expect(await depositRows(scene)).toMatchObject([{ missing: false, final: false, due: true }]);
    expect(await scene.kinds()).toEqual(['deposit.verified 1_1']);
    says(1, tenOn('CELO', PAST, scene.clock.now()));
    await until(() => rounds(1).then(async () => (await depositRows(scene))[0]?.final), WITHIN);
    expect(await depositRows(scene)).toMatchObject([{ final: true, due: false }]);
  }, 20_000);

  it('also where they tell less of the same block than before', async () => {
    await paidShallow(scene, 1);
    says(1, tenOn('CELO', PAST, scene.clock.now(), { value: 9_999_999n }));
    await rounds(5);
    expect([scene.alarms(), await scene.kinds()]).toEqual([['deposit_untold'], ['deposit.verified 1_1']]);
  });

  it('and what was untold at first goes as any other once its block has: by two looks', async () => {
    await paidShallow(scene, 1);
    says(1, GONE, PAST);
    scene.reader().tellsBlock = SAME;
    await rounds(3);
    scene.reader().tellsBlock = { kind: 'block', hash: null };
    await rounds(1);
    expect(await depositRows(scene)).toMatchObject([{ missing: true }]);
    await rounds(1);
    expect(scene.alarms()).toEqual(['deposit_untold', 'deposit_vanished', 'deposit_reverted']);
  });

  it.each<[string, (reader: ScriptedReader) => unknown]>([
    [
      'where one endpoint has it in a block',
      (reader) => (reader.readByAll = async () => ({ kind: 'trouble', reason: '1 seen' })),
    ],
    [
      'where it is found when all are asked',
      (reader) => (reader.readByAll = async () => tenOn('CELO', SHALLOW, scene.clock.now())),
    ],
    [
      'where its block has been pruned',
      (reader) => (reader.tellsBlock = { kind: 'trouble', reason: '2 no such block' }),
    ],
    [
      'where nobody says in time which block there is',
      (reader) => (reader.blockAt = () => new Promise(() => undefined)),
    ],
  ])('%s', async (_what, hurt) => {
    await paidShallow(scene, 1);
    says(1, GONE, PAST);
    hurt(scene.reader());
    scene.clock.advance(60_000);
    await recheckRound(recheckerOf(scene, 1));
    expect(await depositRows(scene)).toMatchObject([{ missing: false, due: true }]);
    expect(await scene.kinds()).toEqual(['deposit.verified 1_1']);
  });
});

describe('trouble takes nothing back', () => {
  it.each<[string, Sighting, ChainHeights | undefined]>([
    ['endpoints that disagree', { kind: 'trouble', reason: '1 of 2 endpoints agree' }, PAST],
    ['too few that tell how far the chain is', GONE, undefined],
    ['finality that stands still', GONE, { latest: 10_000, safe: 99, finalized: 99 }],
    ['a chain that tells no finality', GONE, { latest: 10_000, safe: null, finalized: null }],
  ])('%s', async (_what, sighting, heights) => {
    await paidShallow(scene, 1);
    says(1, sighting);
    scene.reader().tellsHeights = heights;
    await rounds(60);
    expect(await depositRows(scene)).toMatchObject([{ final: false, due: true }]);
    expect(await scene.kinds()).toEqual(['deposit.verified 1_1']);
  });

  it('and a chain that is switched off is not asked, until it is on again', async () => {
    await paidShallow(scene, 1);
    says(1, GONE, PAST);
    await scene.db.query(
      `insert into switches (chain, off_since, reason, off_by) values ('CELO', $1, 'endpoints lie', 'Ann')`,
      [scene.clock.now()],
    );
    const { length } = scene.reader().reads;
    await rounds(5);
    expect([scene.reader().reads.length, scene.alarms()]).toEqual([length, []]);
    await scene.db.query('truncate switches');
    await rounds(2);
    expect(await scene.kinds()).toEqual(['deposit.verified 1_1', 'deposit.reverted 1_2']);
  });

  it.each(['first', 'second'])(
    'and what a chain said that is switched off while the %s look at a missing deposit goes on is not believed',
    async (which) => {
      await paidShallow(scene, 1);
      says(1, GONE, PAST);
      if (which === 'second') await rounds(1);
      const reader = scene.reader();
      reader.blockAt = async () => {
        await scene.db.query(
          `insert into switches (chain, off_since, reason, off_by) values ('CELO', $1, 'endpoints lie', 'Ann')`,
          [scene.clock.now()],
        );
        scene.clock.advance(1_000);
        return reader.tellsBlock;
      };
      const alarms = scene.alarms();
      await rounds(1);
      expect(scene.alarms()).toEqual(alarms);
      expect(await depositRows(scene)).toMatchObject([{ missing: which === 'second', due: true }]);
      expect(await scene.kinds()).toEqual(['deposit.verified 1_1']);
    },
  );

  it('and is called out by its age, chain by chain', async () => {
    await paidShallow(scene, 1);
    scene.clock.advance(59 * 60_000);
    const pager = new PageByAge(scene.watch, { all: async () => [] }, new Set(['CELO', 'BNB']), scene.clock, scene.log);
    await pager.run();
    expect(scene.alarms()).toEqual([]);
    scene.clock.advance(60_000);
    await pager.run();
    expect(scene.lines.find(({ code }) => code === 'deposits_not_final')).toMatchObject({
      chain: 'CELO',
      deposits: 1,
      minutes: 60,
    });
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
