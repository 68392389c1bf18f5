import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { type RefundAdmin } from '../admin/refund-admin.js';
import { PageRefunds } from '../alerts/page-refunds.js';
import { RefundWatch } from '../alerts/refund-watch.js';
import { RefundFixture } from './refund-fixture.spec-support.js';
import { FORGOTTEN_AFTER_MS } from './turn-waits.js';

let fixture: RefundFixture;
beforeAll(async () => {
  fixture = await RefundFixture.open();
}, 60_000);
beforeEach(() => fixture.reset());
afterAll(() => fixture.close());

describe('a refund that is signed', () => {
  it('that was final while nobody looked is not paid again by endpoints that have forgotten it: people say that it got in', async () => {
    const deposit = await fixture.held(1);
    await fixture.rounds(3, fixture.worker());
    const [sent] = fixture.chain.broadcasts;
    fixture.chain.mine();
    fixture.chain.isForgetful = true;
    fixture.clock.advance(FORGOTTEN_AFTER_MS + 60_000);
    await fixture.rounds(4, fixture.worker());
    expect(await fixture.state()).toMatch(
      /^broadcast unsure: its chain says that it never arrived, but nobody followed it for 12\d minutes/,
    );
    const admin = fixture.admin();
    expect(await admin.settle(1, '0x'.padEnd(66, '7'), { by: 'Ann', reason: 'explorer' })).toEqual({
      ok: false,
      error: 'none of its transfers has this hash',
    });
    expect(await admin.settle(1, sent!.transactionId, { by: 'Ann', reason: 'explorer' })).toEqual({
      ok: true,
      value: { isHeld: true },
    });
    expect([await fixture.state(), await fixture.depositState(deposit), (await fixture.kinds()).at(-1)]).toEqual([
      'confirmed',
      'refunded',
      'refund.confirmed 1_3',
    ]);
    expect(fixture.chain.paid).toHaveLength(1);
    expect(await admin.settle(1, null, { by: 'Ann', reason: 'explorer' })).toEqual({
      ok: false,
      error: 'it has ended',
    });
  });

  it('that was final while nobody looked is paid again by no word of an endpoint that proves nothing', async () => {
    await fixture.held(1);
    await fixture.rounds(3, fixture.worker());
    const { chain } = fixture;
    chain.mine();
    chain.isForgetful = true;
    fixture.clock.advance(FORGOTTEN_AFTER_MS + 60_000);
    // Nowhere, before anybody asks for its place; then normal; then nowhere again.
    for (const says of [
      { kind: 'unknown' },
      undefined,
      { kind: 'unknown' },
      { kind: 'trouble', reason: 'down' },
    ] as const) {
      chain.says = says;
      await fixture.rounds(2, fixture.worker());
      chain.says = undefined;
      await fixture.rounds(2, fixture.worker());
      expect(await fixture.state()).toMatch(/^broadcast unsure: its chain says that it never arrived/);
      chain.says = says;
      await fixture.rounds(1, fixture.worker());
      expect(await fixture.state()).toMatch(/^broadcast unsure: /);
    }
    // At most replaced for its fee, which excludes a second payment.
    expect([
      new Set((await fixture.versions()).map(({ state, place }) => `${state} ${String(place)}`)),
      chain.paid.length,
    ]).toEqual([new Set(['signed 7']), 1]);
    // Once it is seen, people need not decide.
    chain.says = { kind: 'included', block: { number: 1, hash: '0xb' } };
    await fixture.rounds(1, fixture.worker());
    expect(await fixture.state()).toBe('broadcast');
  });

  it('of which endpoints disagree for hours waits for people', async () => {
    await fixture.held(1);
    await fixture.rounds(3, fixture.worker());
    const [sent] = fixture.chain.broadcasts;
    fixture.chain.mine();
    fixture.chain.says = { kind: 'trouble', reason: '1 seen, 2 absent, 3 absent' };
    await fixture.rounds(2, fixture.worker());
    expect(await fixture.state()).toBe('broadcast 1 seen, 2 absent, 3 absent');
    fixture.clock.advance(FORGOTTEN_AFTER_MS + 60_000);
    await fixture.rounds(2, fixture.worker());
    expect(await fixture.state()).toBe('broadcast unsure: 1 seen, 2 absent, 3 absent');
    expect(await fixture.admin().settle(1, sent!.transactionId, { by: 'Ann', reason: 'explorer' })).toMatchObject({
      ok: true,
    });
    expect(await fixture.state()).toBe('confirmed');
  });

  it('that never got in while nobody checked is prepared anew once people say so, and only where its chain says so too', async () => {
    await fixture.held(1);
    await fixture.rounds(3, fixture.worker());
    const admin = fixture.admin();
    expect(await admin.settle(1, null, { by: 'Ann', reason: 'explorer' })).toEqual({
      ok: false,
      error: expect.stringContaining('still follows it on its chain'),
    });
    fixture.chain.overtake();
    fixture.clock.advance(FORGOTTEN_AFTER_MS + 60_000);
    await fixture.rounds(4, fixture.worker());
    expect(await fixture.versions()).toHaveLength(1);
    expect(await admin.settle(1, null, { by: 'Ann', reason: 'explorer' })).toMatchObject({ ok: true });
    await fixture.rounds(4, fixture.worker());
    expect((await fixture.versions()).map(({ state }) => state)).toEqual(['dead', 'signed']);
    fixture.chain.mine();
    await fixture.rounds(1, fixture.worker());
    expect(fixture.chain.paid).toHaveLength(1);
  });

  it('of which a transfer got in that was held for dead has gone back by that one', async () => {
    await fixture.held(1);
    await fixture.rounds(3, fixture.worker());
    const [first] = fixture.chain.broadcasts;
    fixture.chain.overtake();
    await fixture.rounds(4, fixture.worker());
    fixture.chain.mine();
    fixture.chain.isForgetful = true;
    fixture.clock.advance(FORGOTTEN_AFTER_MS + 60_000);
    await fixture.rounds(2, fixture.worker());
    expect((await fixture.versions()).map(({ state }) => state)).toEqual(['dead', 'signed']);
    expect(
      await fixture.admin().settle(1, first!.transactionId, {
        by: 'Ann',
        reason: 'archive node',
      }),
    ).toEqual({ ok: true, value: { isHeld: true } });
    expect([await fixture.state(), ...(await fixture.versions()).map(({ state }) => state)]).toEqual([
      'confirmed',
      'final',
      'dead',
    ]);
  });

  it('whose chain is silent for hours and then answers as it was is followed on, and nobody is asked', async () => {
    await fixture.held(1);
    await fixture.rounds(3, fixture.worker());
    fixture.chain.isDown = true;
    await fixture.rounds(2, fixture.worker());
    fixture.clock.advance(FORGOTTEN_AFTER_MS + 60_000);
    fixture.chain.isDown = false;
    await fixture.rounds(1, fixture.worker());
    fixture.chain.overtake();
    await fixture.rounds(4, fixture.worker());
    expect((await fixture.versions()).map(({ state, place }) => [state, place])).toEqual([
      ['dead', 7],
      ['void', 7],
      ['signed', 8],
    ]);
    fixture.chain.mine();
    await fixture.rounds(1, fixture.worker());
    expect(fixture.chain.paid).toHaveLength(1);
  });
});

describe('a refund that was exported and never imported', () => {
  const MINUTE = 60_000;
  const admin = (): RefundAdmin => fixture.admin();
  const unclear = (more: object = {}): void => {
    fixture.chain.says = { kind: 'unclear', reason: 'nobody can tell', found: null, alike: [], ...more };
  };
  const word = { by: 'Ann', reason: 'explorer' };
  const HASH = '0x'.padEnd(66, '7');
  const exported = async (livesForMs: number | null = MINUTE): Promise<number> => {
    fixture.offline();
    fixture.chain.livesForMs = livesForMs;
    const deposit = await fixture.held(1);
    await fixture.rounds(2, fixture.worker());
    expect((await admin().toSign()).transfers).toHaveLength(1);
    fixture.clock.advance(livesForMs ?? 0);
    return deposit;
  };

  it('is dead, and prepared anew, where its chain proves it', async () => {
    await exported();
    fixture.chain.says = { kind: 'dead', reason: 'its sequence number is not used' };
    await fixture.rounds(1, fixture.worker());
    fixture.chain.says = undefined;
    await fixture.rounds(2, fixture.worker());
    expect((await fixture.versions()).map(({ version, state }) => [version, state])).toEqual([
      [1, 'void'],
      [2, 'prepared'],
    ]);
  });

  it('waits for people where its chain cannot prove it: nothing is prepared, shown or ended meanwhile, not by its deposit either', async () => {
    const deposit = await exported();
    unclear();
    await fixture.rounds(6, fixture.worker());
    expect(await fixture.state()).toBe('prepared unsure: it was exported and never imported: nobody can tell');
    expect([(await admin().toSign()).transfers, (await fixture.versions()).length]).toEqual([[], 1]);
    await fixture.revert(deposit);
    await fixture.rounds(3, fixture.worker());
    expect([await fixture.state(), await fixture.kinds()]).toEqual([expect.stringMatching(/^prepared unsure: /), []]);
    fixture.lines = [];
    await new PageRefunds(new RefundWatch(fixture.db), fixture.clock, fixture.log).run();
    expect(fixture.lines).toMatchObject([{ code: 'refund_fate_unsure', chain: 'CELO', refunds: 1 }]);
  });

  it('has gone back by the transfer that people name', async () => {
    const deposit = await exported();
    unclear({ found: HASH });
    await fixture.rounds(2, fixture.worker());
    expect(await fixture.state()).toBe(`prepared unsure: it was exported and never imported: nobody can tell: ${HASH}`);
    expect(await admin().settle(1, HASH, word)).toEqual({ ok: true, value: { isHeld: false } });
    expect([await fixture.state(), await fixture.depositState(deposit), await fixture.kinds()]).toEqual([
      'confirmed',
      'refunded',
      ['refund.confirmed 1_1'],
    ]);
  });

  it('is prepared anew where people say that it was not sent, but never while its chain has it', async () => {
    await exported();
    unclear({ found: HASH });
    await fixture.rounds(2, fixture.worker());
    expect(await admin().settle(1, null, word)).toMatchObject({ ok: true });
    await fixture.rounds(4, fixture.worker());
    expect([await fixture.state(), (await fixture.versions()).length]).toEqual([
      expect.stringMatching(/^prepared unsure: /),
      1,
    ]);
    unclear();
    await fixture.rounds(1, fixture.worker());
    fixture.chain.says = undefined;
    await fixture.rounds(2, fixture.worker());
    expect((await fixture.versions()).map(({ version, state }) => [version, state])).toEqual([
      [1, 'void'],
      [2, 'prepared'],
    ]);
  });

  it("beside another refund of the same value is dead where all that moved the same is known to be the other's, and else waits for people", async () => {
    await fixture.held(2);
    await fixture.rounds(3, fixture.worker());
    const [theirs] = fixture.chain.broadcasts;
    fixture.chain.mine();
    await fixture.rounds(1, fixture.worker());
    await exported();
    unclear({ alike: [theirs!.transactionId, HASH] });
    await fixture.rounds(2, fixture.worker());
    expect(await fixture.state()).toMatch(/^prepared unsure: it was exported/);
    unclear({ alike: [theirs!.transactionId] });
    await fixture.rounds(1, fixture.worker());
    fixture.chain.says = undefined;
    await fixture.rounds(2, fixture.worker());
    expect((await fixture.versions()).map(({ refund, version, state }) => [refund, version, state])).toEqual([
      [1, 1, 'void'],
      [1, 2, 'prepared'],
      [2, 1, 'final'],
    ]);
  });

  it('whose nonce something has used waits for people, though it never ends', async () => {
    await exported(null);
    await fixture.rounds(2, fixture.worker());
    expect(await fixture.state()).toBe('prepared');
    fixture.chain.overtake();
    await fixture.rounds(2, fixture.worker());
    expect(await fixture.state()).toBe('prepared unsure: it was exported and never imported: nonce used');
    expect(await admin().settle(1, null, word)).toMatchObject({ ok: true });
    await fixture.rounds(3, fixture.worker());
    expect((await fixture.versions()).map(({ state, place }) => [state, place])).toEqual([
      ['void', 7],
      ['prepared', 8],
    ]);
  });

  it('and whose signature comes late after all is followed by it', async () => {
    fixture.offline();
    await fixture.held(1);
    await fixture.rounds(2, fixture.worker());
    const [one] = (await admin().toSign()).transfers;
    const raw = `signed ${one!.transfer.payload}`;
    const signed = fixture.chain.signer.verify(one!.transfer, raw);
    if (!signed.ok) throw new Error(signed.error);
    // Sent by hand.
    await fixture.chain.broadcast(signed.value);
    fixture.chain.mine();
    await fixture.rounds(2, fixture.worker());
    expect(await fixture.state()).toMatch(/^prepared unsure: /);
    const file = { kind: 'vuka-refunds-signed', transfers: [{ refund_id: 1, version: 1, raw }] };
    expect(await admin().take(file, word)).toMatchObject({ ok: true, value: [{ taken: true }] });
    await fixture.rounds(2, fixture.worker());
    expect([await fixture.state(), fixture.chain.paid.length]).toEqual(['confirmed', 1]);
  });
});
