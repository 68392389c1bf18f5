import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { listActs } from '@vuka/persistence';

import { type RefundDesk, type TransfersToSign } from '../admin/refund-desk.js';
import { PageRefunds } from '../alerts/page-refunds.js';
import { RefundWatch } from '../alerts/refund-watch.js';
import { RefundScene } from './refund-scene.spec-support.js';

const ANN = { by: 'Ann', reason: 'ticket 12' };

let scene: RefundScene;
beforeAll(async () => {
  scene = await RefundScene.open();
}, 60_000);
beforeEach(() => scene.reset());
afterAll(() => scene.close());

const desk = (): RefundDesk => scene.desk();
const acts = async (): Promise<string[]> =>
  (await listActs(scene.db, { limit: 500 })).map(({ act, subject }) => `${act} ${subject}`);

async function bringIn({ transfers }: TransfersToSign): Promise<unknown> {
  const signed = transfers.map(({ refund_id, version, transfer }) => ({
    refund_id,
    version,
    raw: `signed ${transfer.payload}`,
  }));
  const taken = await desk().take({ kind: 'vuka-refunds-signed', transfers: signed }, ANN);
  return taken.ok ? taken.value.map(({ taken: isTaken, why }) => [isTaken, why]) : taken.error;
}

describe('a refund of a suspended partner', () => {
  it('is not prepared, however long; people are called; resumed, it goes at once', async () => {
    await scene.partner('suspended', 1);
    await scene.held(1);
    await scene.rounds(20, scene.worker());
    expect(await scene.state()).toMatch(/^queued suspended: /);
    scene.lines = [];
    await new PageRefunds(new RefundWatch(scene.db), scene.clock, scene.log).run();
    expect(scene.lines).toMatchObject([{ code: 'refund_suspended', chain: 'CELO', refunds: 1 }]);
    expect(scene.chain.broadcasts).toEqual([]);
    await scene.partner('active', 2);
    await scene.rounds(3, scene.worker());
    expect(await scene.state()).toBe('broadcast');
  });

  it('is neither shown nor taken where it was prepared, or shown, before; what was signed by then is followed', async () => {
    scene.offline();
    await scene.held(1);
    await scene.rounds(2, scene.worker());
    const file = await desk().toSign();
    expect(file.transfers).toHaveLength(1);
    await scene.partner('suspended', 1);
    expect((await desk().toSign()).transfers).toEqual([]);
    expect(await bringIn(file)).toEqual([[false, 'its partner is suspended: nothing is sent before it is resumed']]);
    await scene.partner('active', 2);
    expect(await bringIn(file)).toEqual([[true, '']]);
    await scene.partner('suspended', 3);
    await scene.rounds(2, scene.worker());
    expect(await scene.state()).toBe('broadcast');
    expect(await acts()).toContain('refund.signature_imported refund 1');
  });

  it('is not let go by people, whatever else they let; given up it is', async () => {
    await scene.partner('suspended', 1);
    const other = await scene.deposit(2, 'credited');
    const deposit = await scene.held(1);
    await scene.vanish(other);
    await scene.rounds(1, scene.worker());
    expect(await scene.state()).toMatch(/^queued withheld: /);
    expect(await desk().clear(1, ANN)).toEqual({ ok: true, value: undefined });
    await scene.rounds(2, scene.worker());
    expect(await scene.state()).toMatch(/^queued suspended: /);
    expect(await desk().clear(1, ANN)).toMatchObject({ ok: false });
    await scene.rounds(2, scene.worker());
    expect(scene.chain.broadcasts).toEqual([]);
    expect(await desk().cancel(1, ANN)).toMatchObject({ ok: true });
    expect(await scene.depositState(deposit)).toBe('unapplied');
    expect((await acts()).slice(0, 2)).toEqual(['refund.given_up refund 1', 'refund.let_go refund 1']);
  });

  it.each([
    [1, 2, 3],
    [3, 1, 2],
    [2, 3, 1],
    [3, 3, 2],
  ])('goes by the newest that is said, told as %i, %i, %i', async (...order) => {
    for (const sequence of order) await scene.partner(sequence === 2 ? 'active' : 'suspended', sequence);
    await scene.held(1);
    await scene.rounds(3, scene.worker());
    expect(await scene.state()).toMatch(/^queued suspended: /);
    await scene.partner('active', 4);
    await scene.rounds(3, scene.worker());
    expect(await scene.state()).toBe('broadcast');
  });

  it('that is suspended while its signature is made has none kept', async () => {
    await scene.held(1);
    await scene.rounds(1, scene.worker());
    await Promise.all([scene.rounds(3, scene.worker()), scene.partner('suspended', 1)]);
    await scene.rounds(3, scene.worker());
    const state = await scene.state();
    // Either it was signed first, or nothing is.
    expect(state === 'broadcast' || state.startsWith('queued suspended')).toBe(true);
    expect(scene.chain.broadcasts.length > 0).toBe(state === 'broadcast');
  });
});
