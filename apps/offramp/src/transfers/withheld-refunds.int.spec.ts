import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { type RefundDesk, type TransfersToSign } from '../admin/refund-desk.js';
import { PageRefunds } from '../alerts/page-refunds.js';
import { RefundWatch } from '../alerts/refund-watch.js';
import { DEBTS_COME_WITHIN_MS } from '../refunds/refund.store.js';
import { RefundScene } from './refund-scene.spec-support.js';

let scene: RefundScene;
beforeAll(async () => {
  scene = await RefundScene.open();
}, 60_000);
beforeEach(() => scene.reset());
afterAll(() => scene.close());

const desk = (): RefundDesk => scene.desk();

async function bringIn({ transfers }: TransfersToSign): Promise<unknown> {
  const signed = transfers.map(({ refund_id, version, transfer }) => ({
    refund_id,
    version,
    raw: `signed ${transfer.payload}`,
  }));
  const taken = await desk().take(
    { kind: 'vuka-refunds-signed', transfers: signed },
    { by: 'Ann', reason: 'signed today' },
  );
  return taken.ok ? taken.value.map(({ taken: isTaken, why }) => [isTaken, why]) : taken.error;
}

describe('a refund of a partner of which another deposit vanishes', () => {
  it('is neither shown nor taken, before somebody lets it go; somebody is called', async () => {
    scene.offline();
    await scene.held(1);
    const other = await scene.deposit(2, 'consumed');
    await scene.rounds(3, scene.worker());
    const file = await desk().toSign();
    expect(file.transfers).toHaveLength(1);
    await scene.vanish(other);
    expect((await desk().toSign()).transfers).toEqual([]);
    expect(await bringIn(file)).toEqual([[false, expect.stringContaining('refund-clear')]]);
    await scene.rounds(2, scene.worker());
    expect(await scene.state()).toMatch(/^prepared withheld: /);
    scene.lines = [];
    await new PageRefunds(new RefundWatch(scene.db), scene.clock, scene.log).run();
    expect(scene.lines).toMatchObject([{ code: 'refund_withheld', chain: 'CELO', refunds: 1 }]);
    expect(await desk().clear(1, { by: 'Ann', reason: 'the debt is paid' })).toEqual({ ok: true, value: undefined });
    await scene.rounds(1, scene.worker());
    expect(await bringIn(await desk().toSign())).toEqual([[true, '']]);
  });

  it.each(['credited', 'consumed'])(
    "is not prepared, whatever screening was told before, where that was %s; given up, it is the partner's again",
    async (state) => {
      const deposit = await scene.held(1);
      const other = await scene.deposit(2, state);
      await scene.marked(deposit);
      await scene.rounds(1, scene.worker());
      expect(await desk().clear(1, { by: 'Ann', reason: 'alike' })).toMatchObject({ ok: true });
      await scene.vanish(other);
      await scene.rounds(3, scene.worker());
      expect(await scene.state()).toMatch(/^queued withheld: /);
      expect(await desk().cancel(1, { by: 'Ann', reason: 'it owes' })).toMatchObject({ ok: true });
      expect(await scene.depositState(deposit)).toBe('unapplied');
      expect(scene.chain.broadcasts).toEqual([]);
    },
  );

  it("goes where nothing is owed by that, or where it is another partner's", async () => {
    await scene.held(1);
    const unused = await scene.deposit(2, 'unapplied');
    const strange = await scene.deposit(3, 'consumed');
    await scene.db.query('update deposits set partner_id = 2 where id = $1', [strange]);
    await scene.vanish(unused);
    await scene.vanish(strange);
    await scene.rounds(3, scene.worker());
    expect(await scene.state()).toBe('broadcast');
  });

  it('that was signed by then is followed; proven dead, it is not signed again by itself', async () => {
    await scene.held(1);
    const other = await scene.deposit(2, 'consumed');
    await scene.rounds(3, scene.worker());
    await scene.vanish(other);
    scene.chain.overtake();
    await scene.rounds(4, scene.worker());
    expect(await scene.state()).toMatch(/^queued withheld: /);
  });

  it('is withheld as well where it was held before payments had heard of that, and not days later', async () => {
    await scene.vanish(await scene.deposit(2, 'credited'));
    await scene.held(1);
    await scene.rounds(2, scene.worker());
    expect(await scene.state()).toMatch(/^queued withheld: /);
    scene.clock.advance(DEBTS_COME_WITHIN_MS);
    await scene.held(3);
    await scene.rounds(3, scene.worker());
    expect(await scene.state(3)).toBe('broadcast');
  });

  it('is withheld whichever of the two is committed first', async () => {
    for (let n = 1; n <= 20; n += 2) {
      const [deposit, other] = [await scene.deposit(n, 'unapplied'), await scene.deposit(n + 1, 'consumed')];
      await scene.db.query('update deposits set partner_id = $2 where id = any ($1)', [[deposit, other], n]);
      const event = scene.heldEvent(n, deposit);
      await Promise.all([
        scene.intake().run({ ...event, data: { ...event.data, partner_id: n } }),
        scene.vanish(other),
      ]);
      await scene.hold().granted(scene.grantedEvent(n));
    }
    expect(await scene.db.query('select refund_id::integer as id from refunds where withheld_since is null')).toEqual(
      [],
    );
  });
});
