import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { type RefundDesk } from '../admin/refund-desk.js';
import { PageRefunds } from '../alerts/page-refunds.js';
import { RefundWatch } from '../alerts/refund-watch.js';
import { RefundScene } from './refund-scene.spec-support.js';
import { FORGOTTEN_AFTER_MS } from './turn-waits.js';

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
    const desk = scene.desk();
    expect(await desk.settle(1, '0x'.padEnd(66, '7'), { by: 'Ann', reason: 'explorer' })).toEqual({
      ok: false,
      error: 'none of its transfers has this hash',
    });
    expect(await desk.settle(1, sent!.transactionId, { by: 'Ann', reason: 'explorer' })).toEqual({
      ok: true,
      value: { isHeld: true },
    });
    expect([await scene.state(), await scene.depositState(deposit), (await scene.kinds()).at(-1)]).toEqual([
      'confirmed',
      'refunded',
      'refund.confirmed 1_3',
    ]);
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
    for (const says of [
      { kind: 'unknown' },
      undefined,
      { kind: 'unknown' },
      { kind: 'trouble', reason: 'down' },
    ] as const) {
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
    expect([
      new Set((await scene.versions()).map(({ state, place }) => `${state} ${String(place)}`)),
      chain.paid.length,
    ]).toEqual([new Set(['signed 7']), 1]);
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
    expect(await scene.desk().settle(1, sent!.transactionId, { by: 'Ann', reason: 'explorer' })).toMatchObject({
      ok: true,
    });
    expect(await scene.state()).toBe('confirmed');
  });

  it('that never got in while nobody looked is prepared anew once people say so, and only where its chain says so too', async () => {
    await scene.held(1);
    await scene.rounds(3, scene.worker());
    const desk = scene.desk();
    expect(await desk.settle(1, null, { by: 'Ann', reason: 'explorer' })).toEqual({
      ok: false,
      error: expect.stringContaining('is believed'),
    });
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
    expect(
      await scene.desk().settle(1, first!.transactionId, {
        by: 'Ann',
        reason: 'archive node',
      }),
    ).toEqual({ ok: true, value: { isHeld: true } });
    expect([await scene.state(), ...(await scene.versions()).map(({ state }) => state)]).toEqual([
      'confirmed',
      'final',
      'dead',
    ]);
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
    expect((await scene.versions()).map(({ state, place }) => [state, place])).toEqual([
      ['dead', 7],
      ['void', 7],
      ['signed', 8],
    ]);
    scene.chain.mine();
    await scene.rounds(1, scene.worker());
    expect(scene.chain.paid).toHaveLength(1);
  });
});

describe('a refund that was exported and never imported', () => {
  const MINUTE = 60_000;
  const desk = (): RefundDesk => scene.desk();
  const unclear = (more: object = {}): void => {
    scene.chain.says = { kind: 'unclear', reason: 'nobody can tell', found: null, alike: [], ...more };
  };
  const word = { by: 'Ann', reason: 'explorer' };
  const HASH = '0x'.padEnd(66, '7');
  const exported = async (livesForMs: number | null = MINUTE): Promise<number> => {
    scene.offline();
    scene.chain.livesForMs = livesForMs;
    const deposit = await scene.held(1);
    await scene.rounds(2, scene.worker());
    expect((await desk().toSign()).transfers).toHaveLength(1);
    scene.clock.advance(livesForMs ?? 0);
    return deposit;
  };

  it('is dead, and prepared anew, where its chain proves it', async () => {
    await exported();
    scene.chain.says = { kind: 'dead', reason: 'its sequence number is not used' };
    await scene.rounds(1, scene.worker());
    scene.chain.says = undefined;
    await scene.rounds(2, scene.worker());
    expect((await scene.versions()).map(({ version, state }) => [version, state])).toEqual([
      [1, 'void'],
      [2, 'prepared'],
    ]);
  });

  it('waits for people where its chain cannot prove it: nothing is prepared, shown or ended meanwhile, not by its deposit either', async () => {
    const deposit = await exported();
    unclear();
    await scene.rounds(6, scene.worker());
    expect(await scene.state()).toBe('prepared unsure: it was exported and never imported: nobody can tell');
    expect([(await desk().toSign()).transfers, (await scene.versions()).length]).toEqual([[], 1]);
    await scene.revert(deposit);
    await scene.rounds(3, scene.worker());
    expect([await scene.state(), await scene.kinds()]).toEqual([expect.stringMatching(/^prepared unsure: /), []]);
    scene.lines = [];
    await new PageRefunds(new RefundWatch(scene.db), scene.clock, scene.log).run();
    expect(scene.lines).toMatchObject([{ code: 'refund_fate_unsure', chain: 'CELO', refunds: 1 }]);
  });

  it('has gone back by the transfer that people name', async () => {
    const deposit = await exported();
    unclear({ found: HASH });
    await scene.rounds(2, scene.worker());
    expect(await scene.state()).toBe(`prepared unsure: it was exported and never imported: nobody can tell: ${HASH}`);
    expect(await desk().settle(1, HASH, word)).toEqual({ ok: true, value: { isHeld: false } });
    expect([await scene.state(), await scene.depositState(deposit), await scene.kinds()]).toEqual([
      'confirmed',
      'refunded',
      ['refund.confirmed 1_1'],
    ]);
  });

  it('is prepared anew where people say that it was not sent, but never while its chain has it', async () => {
    await exported();
    unclear({ found: HASH });
    await scene.rounds(2, scene.worker());
    expect(await desk().settle(1, null, word)).toMatchObject({ ok: true });
    await scene.rounds(4, scene.worker());
    expect([await scene.state(), (await scene.versions()).length]).toEqual([
      expect.stringMatching(/^prepared unsure: /),
      1,
    ]);
    unclear();
    await scene.rounds(1, scene.worker());
    scene.chain.says = undefined;
    await scene.rounds(2, scene.worker());
    expect((await scene.versions()).map(({ version, state }) => [version, state])).toEqual([
      [1, 'void'],
      [2, 'prepared'],
    ]);
  });

  it("beside another refund of the same value is dead where all that moved the same is known to be the other's, and else waits for people", async () => {
    await scene.held(2);
    await scene.rounds(3, scene.worker());
    const [theirs] = scene.chain.broadcasts;
    scene.chain.mine();
    await scene.rounds(1, scene.worker());
    await exported();
    unclear({ alike: [theirs!.transactionId, HASH] });
    await scene.rounds(2, scene.worker());
    expect(await scene.state()).toMatch(/^prepared unsure: it was exported/);
    unclear({ alike: [theirs!.transactionId] });
    await scene.rounds(1, scene.worker());
    scene.chain.says = undefined;
    await scene.rounds(2, scene.worker());
    expect((await scene.versions()).map(({ refund, version, state }) => [refund, version, state])).toEqual([
      [1, 1, 'void'],
      [1, 2, 'prepared'],
      [2, 1, 'final'],
    ]);
  });

  it('whose nonce something has used waits for people, though it never ends', async () => {
    await exported(null);
    await scene.rounds(2, scene.worker());
    expect(await scene.state()).toBe('prepared');
    scene.chain.overtake();
    await scene.rounds(2, scene.worker());
    expect(await scene.state()).toBe('prepared unsure: it was exported and never imported: nonce used');
    expect(await desk().settle(1, null, word)).toMatchObject({ ok: true });
    await scene.rounds(3, scene.worker());
    expect((await scene.versions()).map(({ state, place }) => [state, place])).toEqual([
      ['void', 7],
      ['prepared', 8],
    ]);
  });

  it('and whose signature comes late after all is followed by it', async () => {
    scene.offline();
    await scene.held(1);
    await scene.rounds(2, scene.worker());
    const [one] = (await desk().toSign()).transfers;
    const raw = `signed ${one!.transfer.payload}`;
    const signed = scene.chain.signer.verify(one!.transfer, raw);
    if (!signed.ok) throw new Error(signed.error);
    // Sent by hand.
    await scene.chain.broadcast(signed.value);
    scene.chain.mine();
    await scene.rounds(2, scene.worker());
    expect(await scene.state()).toMatch(/^prepared unsure: /);
    const file = { kind: 'vuka-refunds-signed', transfers: [{ refund_id: 1, version: 1, raw }] };
    expect(await desk().take(file, word)).toMatchObject({ ok: true, value: [{ taken: true }] });
    await scene.rounds(2, scene.worker());
    expect([await scene.state(), scene.chain.paid.length]).toEqual(['confirmed', 1]);
  });
});
