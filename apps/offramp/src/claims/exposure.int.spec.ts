import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { LOOK_LIMITS } from '../claim-work/look-at-claims.js';
import {
  paidShallow,
  PAST,
  recheckerOf,
  recheckRound,
  SHALLOW,
  tenOn,
  YOUNG,
} from '../rechecks/recheck-scene.spec-support.js';
import { LookScene } from '../testing/look-scene.spec-support.js';
import { hashOf } from '../testing/offramp.spec-support.js';

/** Three deposits of ten dollars. */
const LIMIT = { limitCents: 30_00n };
let scene: LookScene;

beforeAll(async () => {
  scene = await LookScene.open();
}, 60_000);
afterAll(() => scene.close());
beforeEach(() => scene.reset());

async function claimed(ids: readonly number[], partner = 1, chain = 'CELO'): Promise<void> {
  await scene.addresses.ofPartner(partner, 'evm');
  for (const id of ids) {
    scene.reader(chain).says(hashOf(id), tenOn(chain, SHALLOW, scene.clock.now()));
    await scene.take({ transactionId: id, partner_id: partner, chain });
  }
}

const stateOf = async (): Promise<string[]> => (await scene.states()).map(({ state }) => state);

describe('the limit of what may vanish', () => {
  it('lets deposits be paid up to it; what is more is seen, and waits until its block stays for good', async () => {
    await claimed([1, 2, 3, 4]);
    for (let round = 0; round < 3; round += 1) {
      await scene.round(scene.looker(LIMIT));
      scene.clock.advance(60_000);
    }
    expect((await stateOf()).sort()).toEqual(['seen', 'verified', 'verified', 'verified']);
    const waiting = (await scene.states()).find(({ state }) => state === 'seen')?.id ?? 0;
    expect(await scene.watch.exposed()).toEqual([{ chain: 'CELO', count: 1 }]);
    expect(await scene.metrics.text()).toContain('vuka_offramp_exposed_claims{chain="CELO",service="offramp"} 1');
    scene.reader().says(hashOf(waiting), tenOn('CELO', PAST, scene.clock.now()));
    await scene.round(scene.looker(LIMIT));
    expect(await stateOf()).toEqual(['verified', 'verified', 'verified', 'verified']);
    expect(await scene.watch.exposed()).toEqual([]);
  });

  it('counts each partner by itself, over all chains, and only what may still vanish', async () => {
    await claimed([1, 2], 1);
    await claimed([3, 4], 2);
    await scene.round(scene.looker(LIMIT));
    scene.reader('BNB').says(hashOf(5), tenOn('BNB', YOUNG, scene.clock.now()));
    await scene.take({ transactionId: 5, chain: 'BNB' });
    await claimed([6], 1);
    await scene.round(scene.looker(LIMIT));
    scene.clock.advance(60_000);
    await scene.round(scene.looker(LIMIT));
    const states = await stateOf();
    expect(states.slice(0, 4)).toEqual(['verified', 'verified', 'verified', 'verified']);
    expect(states.slice(4).sort()).toEqual(['seen', 'verified']);
    for (const id of [1, 2]) scene.reader().says(hashOf(id), tenOn('CELO', PAST, scene.clock.now()));
    await recheckRound(recheckerOf(scene));
    scene.clock.advance(60_000);
    await scene.round(scene.looker(LIMIT));
    expect(await stateOf()).toEqual(Array.from({ length: 6 }, () => 'verified'));
  });

  it('holds where all are judged at the same moment, in several processes', async () => {
    const ids = Array.from({ length: 12 }, (_, n) => n + 1);
    await claimed(ids);
    for (let round = 0; round < 3; round += 1) {
      await scene.round(
        ...Array.from({ length: 4 }, () => scene.looker({ ...LIMIT, limits: { ...LOOK_LIMITS, perChain: 3 } })),
      );
    }
    const states = await stateOf();
    expect(states.filter((state) => state === 'verified')).toHaveLength(3);
    expect(states.filter((state) => state === 'seen')).toHaveLength(9);
    expect((await scene.kinds()).filter((kind) => kind.startsWith('deposit.seen'))).toHaveLength(9);
    expect(await scene.db.query('select 1 from deposits')).toHaveLength(3);
  });

  it('counts what waits to be sent back: a failed payout may have been paid after all', async () => {
    for (const id of [1, 2, 3]) await paidShallow(scene, id);
    await scene.db.query(`update deposits set state = 'refunding'`);
    await claimed([4]);
    await scene.round(scene.looker(LIMIT));
    expect((await scene.states()).find(({ id }) => id === 4)).toMatchObject({ state: 'seen' });
  });

  it('of nothing has every deposit wait for good', async () => {
    await claimed([1]);
    await scene.round(scene.looker({ limitCents: 0n }));
    expect(await stateOf()).toEqual(['seen']);
    scene.reader().says(hashOf(1), tenOn('CELO', PAST, scene.clock.now()));
    scene.clock.advance(60_000);
    await scene.round(scene.looker({ limitCents: 0n }));
    expect(await stateOf()).toEqual(['verified']);
  });

  it('is what is open after a deposit vanished, too: it is open no more', async () => {
    for (const id of [1, 2, 3]) await paidShallow(scene, id);
    await claimed([4]);
    await scene.round(scene.looker(LIMIT));
    scene.reader().says(hashOf(1), { kind: 'not_found' });
    scene.reader().tellsHeights = PAST;
    for (let round = 0; round < 2; round += 1) {
      scene.clock.advance(60_000);
      await recheckRound(recheckerOf(scene));
    }
    scene.clock.advance(60_000);
    await scene.round(scene.looker(LIMIT));
    expect(await stateOf()).toEqual(['verified', 'verified', 'verified', 'verified']);
  });
});
