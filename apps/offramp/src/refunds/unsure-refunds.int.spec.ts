import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { RefundDesk } from './refund-desk.js';
import { RefundScene } from './refund-scene.spec-support.js';
import { FORGOTTEN_AFTER_MS } from './refund-turn.js';

let scene: RefundScene;
beforeAll(async () => {
  scene = await RefundScene.open();
}, 60_000);
beforeEach(() => scene.reset());
afterAll(() => scene.close());

describe('a refund that is signed', () => {
  it('that was final while nobody looked is not paid again by endpoints that have forgotten it: people say that it got in', async () => {
    const deposit = await scene.held(1);
    await scene.rounds(3, scene.worker());
    const [sent] = scene.chain.broadcasts;
    scene.chain.mine();
    scene.chain.isForgetful = true;
    scene.clock.advance(FORGOTTEN_AFTER_MS + 60_000);
    await scene.rounds(4, scene.worker());
    expect(await scene.state()).toMatch(/^broadcast unsure: its chain says that it never got in, after 12\d minutes/);
    const desk = new RefundDesk(scene.db, scene.clock);
    expect(await desk.settle(1, '0x'.padEnd(66, '7'), { by: 'Ann', reason: 'explorer' })).toEqual({ ok: false, error: 'none of its transfers has this hash' });
    expect(await desk.settle(1, sent!.transactionId, { by: 'Ann', reason: 'explorer' })).toEqual({ ok: true, value: { isHeld: true } });
    expect([await scene.state(), await scene.depositState(deposit), (await scene.kinds()).at(-1)]).toEqual(['confirmed', 'refunded', 'refund.confirmed 1_3']);
    expect(scene.chain.paid).toHaveLength(1);
    expect(await desk.settle(1, null, { by: 'Ann', reason: 'explorer' })).toEqual({ ok: false, error: 'it has ended' });
  });

  it('that was final while nobody looked is paid again by no word of an endpoint that proves nothing', async () => {
    await scene.held(1);
    await scene.rounds(3, scene.worker());
    const { chain } = scene;
    chain.mine();
    chain.isForgetful = true;
    scene.clock.advance(FORGOTTEN_AFTER_MS + 60_000);
    // Agreed to be nowhere, before anybody asks what has its place; then as ever, and once more.
    for (const says of [{ kind: 'unknown' }, undefined, { kind: 'unknown' }, { kind: 'trouble', reason: 'down' }] as const) {
      chain.says = says;
      await scene.rounds(2, scene.worker());
      chain.says = undefined;
      await scene.rounds(2, scene.worker());
      expect(await scene.state()).toMatch(/^broadcast unsure: its chain says that it never got in/);
      chain.says = says;
      await scene.rounds(1, scene.worker());
      expect(await scene.state()).toMatch(/^broadcast unsure: /);
    }
    // Replaced for its fee at most, which excludes what got in.
    expect([new Set((await scene.versions()).map(({ state, place }) => `${state} ${String(place)}`)), chain.paid.length]).toEqual([new Set(['signed 7']), 1]);
    // Seen again, nobody has to say anything.
    chain.says = { kind: 'included', block: { number: 1, hash: '0xb' } };
    await scene.rounds(1, scene.worker());
    expect(await scene.state()).toBe('broadcast');
  });

  it('of which endpoints disagree for hours waits for people', async () => {
    await scene.held(1);
    await scene.rounds(3, scene.worker());
    const [sent] = scene.chain.broadcasts;
    scene.chain.mine();
    scene.chain.says = { kind: 'trouble', reason: '1 seen, 2 absent, 3 absent' };
    await scene.rounds(2, scene.worker());
    expect(await scene.state()).toBe('broadcast 1 seen, 2 absent, 3 absent');
    scene.clock.advance(FORGOTTEN_AFTER_MS + 60_000);
    await scene.rounds(2, scene.worker());
    expect(await scene.state()).toBe('broadcast unsure: 1 seen, 2 absent, 3 absent');
    expect(await new RefundDesk(scene.db, scene.clock).settle(1, sent!.transactionId, { by: 'Ann', reason: 'explorer' })).toMatchObject({ ok: true });
    expect(await scene.state()).toBe('confirmed');
  });

  it('that never got in while nobody looked is prepared anew once people say so, and only where its chain says so too', async () => {
    await scene.held(1);
    await scene.rounds(3, scene.worker());
    const desk = new RefundDesk(scene.db, scene.clock);
    expect(await desk.settle(1, null, { by: 'Ann', reason: 'explorer' })).toEqual({ ok: false, error: expect.stringContaining('is believed') });
    scene.chain.overtake();
    scene.clock.advance(FORGOTTEN_AFTER_MS + 60_000);
    await scene.rounds(4, scene.worker());
    expect(await scene.versions()).toHaveLength(1);
    expect(await desk.settle(1, null, { by: 'Ann', reason: 'explorer' })).toMatchObject({ ok: true });
    await scene.rounds(4, scene.worker());
    expect((await scene.versions()).map(({ state }) => state)).toEqual(['dead', 'signed']);
    scene.chain.mine();
    await scene.rounds(1, scene.worker());
    expect(scene.chain.paid).toHaveLength(1);
  });

  it('of which a transfer got in that was held for dead has gone back by that one', async () => {
    await scene.held(1);
    await scene.rounds(3, scene.worker());
    const [first] = scene.chain.broadcasts;
    scene.chain.overtake();
    await scene.rounds(4, scene.worker());
    scene.chain.mine();
    scene.chain.isForgetful = true;
    scene.clock.advance(FORGOTTEN_AFTER_MS + 60_000);
    await scene.rounds(2, scene.worker());
    expect((await scene.versions()).map(({ state }) => state)).toEqual(['dead', 'signed']);
    expect(await new RefundDesk(scene.db, scene.clock).settle(1, first!.transactionId, { by: 'Ann', reason: 'archive node' })).toEqual({ ok: true, value: { isHeld: true } });
    expect([await scene.state(), ...(await scene.versions()).map(({ state }) => state)]).toEqual(['confirmed', 'final', 'dead']);
  });

  it('whose chain is silent for hours and then answers as it was is followed on, and nobody is asked', async () => {
    await scene.held(1);
    await scene.rounds(3, scene.worker());
    scene.chain.isDown = true;
    await scene.rounds(2, scene.worker());
    scene.clock.advance(FORGOTTEN_AFTER_MS + 60_000);
    scene.chain.isDown = false;
    await scene.rounds(1, scene.worker());
    scene.chain.overtake();
    await scene.rounds(4, scene.worker());
    expect((await scene.versions()).map(({ state, place }) => [state, place])).toEqual([['dead', 7], ['void', 7], ['signed', 8]]);
    scene.chain.mine();
    await scene.rounds(1, scene.worker());
    expect(scene.chain.paid).toHaveLength(1);
  });
});
