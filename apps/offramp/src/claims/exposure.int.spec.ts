import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { CHECK_LIMITS } from '../claim-work/check-deposits.js';
import {
  paidShallow,
  PAST,
  recheckerOf,
  recheckRound,
  SHALLOW,
  tenOn,
  YOUNG,
} from '../rechecks/recheck-fixture.spec-support.js';
import { CheckFixture } from '../testing/check-fixture.spec-support.js';
import { hashOf } from '../testing/offramp.spec-support.js';

/** Three deposits of ten dollars. */
const LIMIT = { limitCents: 30_00n };
let fixture: CheckFixture;

beforeAll(async () => {
  fixture = await CheckFixture.open();
}, 60_000);
afterAll(() => fixture.close());
beforeEach(() => fixture.reset());

async function claimed(ids: readonly number[], partner = 1, chain = 'CELO'): Promise<void> {
  await fixture.addresses.ofPartner(partner, 'evm');
  for (const id of ids) {
    fixture.reader(chain).says(hashOf(id), tenOn(chain, SHALLOW, fixture.clock.now()));
    await fixture.take({ transactionId: id, partner_id: partner, chain });
  }
}

const stateOf = async (): Promise<string[]> => (await fixture.states()).map(({ state }) => state);

describe('the limit of what may vanish', () => {
  it('pays deposits up to it; the rest is reported as seen, and waits until its block is final', async () => {
    await claimed([1, 2, 3, 4]);
    for (let round = 0; round < 3; round += 1) {
      await fixture.round(fixture.checker(LIMIT));
      fixture.clock.advance(60_000);
    }
    expect((await stateOf()).sort()).toEqual(['seen', 'verified', 'verified', 'verified']);
    const waiting = (await fixture.states()).find(({ state }) => state === 'seen')?.id ?? 0;
    expect(await fixture.watch.exposed()).toEqual([{ chain: 'CELO', count: 1 }]);
    expect(await fixture.metrics.text()).toContain('vuka_offramp_exposed_claims{chain="CELO",service="offramp"} 1');
    fixture.reader().says(hashOf(waiting), tenOn('CELO', PAST, fixture.clock.now()));
    await fixture.round(fixture.checker(LIMIT));
    expect(await stateOf()).toEqual(['verified', 'verified', 'verified', 'verified']);
    expect(await fixture.watch.exposed()).toEqual([]);
  });

  it('counts each partner by itself, over all chains, and only what may still vanish', async () => {
    await claimed([1, 2], 1);
    await claimed([3, 4], 2);
    await fixture.round(fixture.checker(LIMIT));
    fixture.reader('BNB').says(hashOf(5), tenOn('BNB', YOUNG, fixture.clock.now()));
    await fixture.take({ transactionId: 5, chain: 'BNB' });
    await claimed([6], 1);
    await fixture.round(fixture.checker(LIMIT));
    fixture.clock.advance(60_000);
    await fixture.round(fixture.checker(LIMIT));
    const states = await stateOf();
    expect(states.slice(0, 4)).toEqual(['verified', 'verified', 'verified', 'verified']);
    expect(states.slice(4).sort()).toEqual(['seen', 'verified']);
    for (const id of [1, 2]) fixture.reader().says(hashOf(id), tenOn('CELO', PAST, fixture.clock.now()));
    await recheckRound(recheckerOf(fixture));
    fixture.clock.advance(60_000);
    await fixture.round(fixture.checker(LIMIT));
    expect(await stateOf()).toEqual(Array.from({ length: 6 }, () => 'verified'));
  });

  it('holds if all are judged at the same moment, in several processes', async () => {
    const ids = Array.from({ length: 12 }, (_, n) => n + 1);
    await claimed(ids);
    for (let round = 0; round < 3; round += 1) {
      await fixture.round(
        ...Array.from({ length: 4 }, () => fixture.checker({ ...LIMIT, limits: { ...CHECK_LIMITS, perChain: 3 } })),
      );
    }
    const states = await stateOf();
    expect(states.filter((state) => state === 'verified')).toHaveLength(3);
    expect(states.filter((state) => state === 'seen')).toHaveLength(9);
    expect((await fixture.kinds()).filter((kind) => kind.startsWith('deposit.seen'))).toHaveLength(9);
    expect(await fixture.db.query('select 1 from deposits')).toHaveLength(3);
  });

  it('counts what waits to be sent back: a failed payout may have been paid after all', async () => {
    for (const id of [1, 2, 3]) await paidShallow(fixture, id);
    await fixture.db.query(`update deposits set state = 'refunding'`);
    await claimed([4]);
    await fixture.round(fixture.checker(LIMIT));
    expect((await fixture.states()).find(({ id }) => id === 4)).toMatchObject({ state: 'seen' });
  });

  it('of nothing has every deposit wait for good', async () => {
    await claimed([1]);
    await fixture.round(fixture.checker({ limitCents: 0n }));
    expect(await stateOf()).toEqual(['seen']);
    fixture.reader().says(hashOf(1), tenOn('CELO', PAST, fixture.clock.now()));
    fixture.clock.advance(60_000);
    await fixture.round(fixture.checker({ limitCents: 0n }));
    expect(await stateOf()).toEqual(['verified']);
  });

  it('is what is open after a deposit vanished, too: it is open no more', async () => {
    for (const id of [1, 2, 3]) await paidShallow(fixture, id);
    await claimed([4]);
    await fixture.round(fixture.checker(LIMIT));
    fixture.reader().says(hashOf(1), { kind: 'not_found' });
    fixture.reader().tellsHeights = PAST;
    for (let round = 0; round < 2; round += 1) {
      fixture.clock.advance(60_000);
      await recheckRound(recheckerOf(fixture));
    }
    fixture.clock.advance(60_000);
    await fixture.round(fixture.checker(LIMIT));
    expect(await stateOf()).toEqual(['verified', 'verified', 'verified', 'verified']);
  });
});
