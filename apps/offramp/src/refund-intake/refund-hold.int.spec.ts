import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PermanentEventError } from '@vuka/messaging';

import { RefundScene } from '../transfers/refund-scene.spec-support.js';

/** Nothing of a refund is prepared, shown or signed before payments grants it, and nothing ever after it was withdrawn. */
let scene: RefundScene;
beforeAll(async () => {
  scene = await RefundScene.open();
}, 60_000);
beforeEach(() => scene.reset());
afterAll(() => scene.close());

const toSign = async (): Promise<readonly unknown[]> => (await scene.desk().toSign()).transfers;

async function ungranted(): Promise<number> {
  const depositId = await scene.deposit(1, 'consumed');
  await scene.intake().run(scene.heldEvent(1, depositId));
  return depositId;
}

describe('a refund that is not granted', () => {
  it('is prepared by nobody and shown to nobody, however often its turn would have come', async () => {
    await ungranted();
    await scene.rounds(5, scene.worker(), scene.worker());
    scene.offline();
    await scene.rounds(5, scene.worker());
    expect([await scene.state(), await scene.versions(), await toSign(), await scene.kinds()]).toEqual([
      'queued',
      [],
      [],
      [],
    ]);
  });

  it('goes out once it is granted, however often that is told', async () => {
    await ungranted();
    const granted = scene.grantedEvent(1);
    await Promise.all([scene.hold().granted(granted), scene.hold().granted(granted)]);
    await scene.hold().granted(scene.grantedEvent(1));
    await scene.rounds(3, scene.worker());
    scene.chain.mine();
    await scene.rounds(1, scene.worker());
    expect([await scene.state(), scene.chain.paid.length]).toEqual(['confirmed', 1]);
  });

  it('ends where it is withdrawn: its deposit is consumed again, and nothing is ever signed', async () => {
    const depositId = await ungranted();
    await scene.hold().withdrawn(scene.withdrawnEvent(1));
    await scene.hold().withdrawn(scene.withdrawnEvent(1));
    await scene.hold().granted(scene.grantedEvent(1));
    await scene.rounds(4, scene.worker());
    expect([
      await scene.state(),
      await scene.depositState(depositId),
      await scene.versions(),
      await scene.kinds(),
    ]).toEqual(['failed cancelled', 'consumed', [], ['refund.failed 1_1']]);
  });

  it('is not signed where its row was prepared all the same: the commit of a signature looks', async () => {
    await scene.held(1);
    scene.offline();
    await scene.rounds(2, scene.worker());
    const file = await scene.desk().toSign();
    await scene.db.query('update refunds set granted_at = null');
    expect(await toSign()).toEqual([]);
    const [one] = file.transfers;
    const taken = await scene.desk().take(
      {
        kind: 'vuka-refunds-signed',
        transfers: [{ refund_id: 1, version: 1, raw: `signed ${one?.transfer.payload ?? ''}` }],
      },
      { by: 'Ann', reason: 'signed today' },
    );
    expect(taken).toMatchObject({ ok: true, value: [{ taken: false, why: expect.stringContaining('granted') }] });
    expect(scene.chain.broadcasts).toEqual([]);
  });

  it('is told of before it was held: the word is kept as a dead letter, for there is nothing to grant', async () => {
    await expect(scene.hold().granted(scene.grantedEvent(7))).rejects.toBeInstanceOf(PermanentEventError);
    await expect(scene.hold().withdrawn(scene.withdrawnEvent(7))).rejects.toBeInstanceOf(PermanentEventError);
  });
});
