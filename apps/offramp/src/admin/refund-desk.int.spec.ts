import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Metrics } from '@vuka/runtime';

import { PageRefunds } from '../alerts/page-refunds.js';
import { RefundMetrics } from '../alerts/refund-metrics.js';
import { RefundWatch } from '../alerts/refund-watch.js';
import { RECIPIENT, RefundScene } from '../transfers/refund-scene.spec-support.js';
import { type RefundDesk, type TransfersToSign } from './refund-desk.js';

const HOUR_MS = 60 * 60_000;

let scene: RefundScene;
beforeAll(async () => {
  scene = await RefundScene.open();
}, 60_000);
beforeEach(async () => {
  await scene.reset();
  await scene.db.query('truncate switches');
  scene.offline();
});
afterAll(() => scene.close());

/** Signatures are the scene's. */
const desk = (): RefundDesk => scene.desk();
const signed = (file: TransfersToSign, only: (refundId: number) => boolean = () => true): object => ({
  kind: 'vuka-refunds-signed',
  transfers: file.transfers
    .filter(({ refund_id }) => only(refund_id))
    .map(({ refund_id, version, transfer }) => ({ refund_id, version, raw: `signed ${transfer.payload}` })),
});
const imported = async (file: unknown): Promise<unknown> => {
  const taken = await desk().take(file, { by: 'Ann', reason: 'signed today' });
  return taken.ok ? taken.value.map(({ refund_id, taken: is, why }) => [refund_id, is, why]) : taken.error;
};

/** With rising places. */
async function preparedInTurn(...ids: readonly number[]): Promise<void> {
  for (const id of ids) {
    await scene.held(id);
    await scene.rounds(2, scene.worker());
  }
}

describe('a refund whose key is elsewhere', () => {
  it('waits, is taken out, signed, brought in, and goes out by that', async () => {
    await preparedInTurn(1, 2);
    expect(await scene.state(1)).toBe('prepared');
    const file = await desk().toSign();
    expect(JSON.parse(JSON.stringify(file))).toMatchObject({
      kind: 'vuka-refunds-to-sign',
      transfers: [
        { refund_id: 1, version: 1, transfer: { place: '7', to: expect.any(String), amountMinor: '12500000' } },
        { refund_id: 2, transfer: { place: '8' } },
      ],
    });
    expect(await imported(signed(file))).toEqual([
      [1, true, ''],
      [2, true, ''],
    ]);
    expect(scene.chain.broadcasts).toEqual([]);
    await scene.rounds(2, scene.worker());
    scene.chain.mine();
    await scene.rounds(1, scene.worker());
    expect([await scene.state(1), await scene.state(2)]).toEqual(['confirmed', 'confirmed']);
    expect(scene.chain.paid).toHaveLength(2);
    expect(await imported(signed(file))).toEqual([
      [1, false, expect.stringContaining('not wait')],
      [2, false, expect.stringContaining('not wait')],
    ]);
  });

  it('is taken in the order of the nonces, whatever stands in the file, and not out of it', async () => {
    await preparedInTurn(1, 2);
    const file = await desk().toSign();
    expect(await imported(signed(file, (id) => id === 2))).toEqual([
      [2, false, expect.stringContaining('lower nonce')],
    ]);
    expect(await imported({ ...signed({ ...file, transfers: [...file.transfers].reverse() }) })).toEqual([
      [1, true, ''],
      [2, true, ''],
    ]);
  });

  it('is listed whatever its number is', async () => {
    await scene.held(1);
    await scene.db.query('update refunds set refund_id = 3000000000, partner_id = 2500000000');
    expect(await desk().open(10)).toMatchObject([{ refund_id: 3_000_000_000, partner_id: 2_500_000_000 }]);
  });

  it('takes nothing that was not asked for', async () => {
    await scene.held(1);
    await scene.rounds(3, scene.worker());
    const file = await desk().toSign();
    const [one] = file.transfers;
    expect(
      await imported({
        kind: 'vuka-refunds-signed',
        transfers: [
          { refund_id: 1, version: 1, raw: `signed ${one!.transfer.payload} and more` },
          { refund_id: 9, version: 1, raw: 'x' },
        ],
      }),
    ).toEqual(
      expect.arrayContaining([
        [1, false, 'another one was signed'],
        [9, false, expect.any(String)],
      ]),
    );
    for (const wrong of [null, [], file, { kind: 'vuka-refunds-signed' }, 'text'])
      expect(await imported(wrong)).toMatch(/no file of signed refunds/);
    expect(await scene.state()).toBe('prepared');
  });

  it('of a token that is switched off is neither shown nor taken', async () => {
    await scene.held(1);
    await scene.rounds(3, scene.worker());
    const file = await desk().toSign();
    await scene.db.query(
      `insert into switches (chain, asset, reason, off_by, off_since) values ('CELO', 'USDC', 'off its peg', 'Ann', now())`,
    );
    expect((await desk().toSign()).transfers).toEqual([]);
    expect(await imported(signed(file))).toEqual([[1, false, expect.stringContaining('switched off')]]);
  });

  it.each(['its value', 'its recipient'])(
    'is neither prepared, shown nor taken where screening has %s on its list, before somebody lets it go',
    async (what) => {
      const deposit = await scene.held(1);
      const mark = async (): Promise<unknown> =>
        what === 'its value' ? scene.marked(deposit) : scene.listed.add(RECIPIENT);
      await scene.rounds(3, scene.worker());
      const file = await desk().toSign();
      await mark();
      expect(await desk().clear(1, { by: 'Ann', reason: 'too early' })).toMatchObject({ ok: false });
      await scene.rounds(3, scene.worker());
      expect(await scene.state()).toMatch(/^prepared screening: /);
      expect((await desk().toSign()).transfers).toEqual([]);
      expect(await imported(signed(file))).toEqual([[1, false, expect.stringContaining('screening')]]);
      scene.lines = [];
      await new PageRefunds(new RefundWatch(scene.db), scene.clock, scene.log).run();
      expect(scene.lines).toMatchObject([{ code: 'refund_screened', chain: 'CELO', refunds: 1 }]);
      expect(await desk().clear(1, { by: 'Ann', reason: 'name alike only' })).toEqual({ ok: true, value: undefined });
      await scene.rounds(2, scene.worker());
      expect(await imported(signed(await desk().toSign()))).toEqual([[1, true, '']]);
      await scene.rounds(2, scene.worker());
      scene.chain.mine();
      await scene.rounds(1, scene.worker());
      expect(await scene.state()).toBe('confirmed');
      expect(await desk().clear(1, { by: 'Ann', reason: 'too late' })).toMatchObject({
        ok: false,
        error: 'it has ended',
      });
    },
  );

  it('that waits for what screening says, and was shown to nobody, keeps no nonce that others wait behind', async () => {
    const deposit = await scene.held(1);
    await scene.rounds(2, scene.worker());
    await scene.held(2);
    await scene.rounds(2, scene.worker());
    expect((await scene.versions()).map(({ refund, place }) => [refund, place])).toEqual([
      [1, 7],
      [2, 8],
    ]);
    await scene.marked(deposit);
    await scene.rounds(4, scene.worker());
    const file = await desk().toSign();
    expect(file.transfers).toMatchObject([{ refund_id: 2, transfer: { place: '7' } }]);
    expect(await imported(signed(file))).toEqual([[2, true, '']]);
    expect(await scene.state(1)).toMatch(/^queued screening: /);
  });

  it('that waits for people once it was shown says to those behind it for whose signature they wait', async () => {
    const deposit = await scene.held(1);
    await scene.rounds(2, scene.worker());
    await preparedInTurn(2);
    const file = await desk().toSign();
    expect([await scene.state(1), await scene.state(2)]).toEqual(['prepared', 'prepared']);
    await scene.marked(deposit);
    await scene.rounds(3, scene.worker());
    expect([await scene.state(1), await scene.state(2)]).toEqual([
      expect.stringMatching(/^prepared screening: /),
      'prepared waits for the signature of refund 1',
    ]);
    expect(await imported(signed(file, (id) => id === 2))).toEqual([
      [2, false, expect.stringMatching(/lower nonce .* refund 1; or give it up \(refund-cancel\)$/)],
    ]);
    expect(await desk().cancel(1, { by: 'Ann', reason: 'ticket 91' })).toMatchObject({ ok: true });
    await scene.rounds(2, scene.worker());
    expect(await scene.state(2)).toBe('prepared');
    expect(await imported(signed(file, (id) => id === 2))).toEqual([[2, true, '']]);
  });

  it('whose deposit was taken back is not taken, and has failed where nobody was shown it; else not before its chain has proven it dead', async () => {
    const deposit = await scene.held(1);
    await scene.rounds(2, scene.worker());
    const unshown = await scene.held(2);
    await scene.rounds(2, scene.worker());
    await scene.revert(unshown);
    await scene.rounds(2, scene.worker());
    expect(await scene.state(2)).toBe('failed deposit_reverted');
    const file = await desk().toSign();
    expect(file.transfers).toMatchObject([{ refund_id: 1, transfer: { place: '7' } }]);
    await scene.revert(deposit);
    expect(await imported(signed(file))).toEqual([[1, false, expect.stringContaining('took its deposit back')]]);
    await scene.rounds(3, scene.worker());
    expect(await scene.state(1)).toMatch(
      /^prepared ending: its chain took its deposit back, .* once nonce 7 of the wallet is used/,
    );
    scene.chain.overtake();
    await scene.rounds(2, scene.worker());
    expect(await desk().settle(1, null, { by: 'Ann', reason: 'it is a sweep' })).toMatchObject({ ok: true });
    await scene.rounds(2, scene.worker());
    expect(await scene.state(1)).toBe('failed deposit_reverted');
  });

  it('can be given up until it is signed: at once where nobody was shown it; else the next one takes its place, and it ends when that one is final', async () => {
    await preparedInTurn(1, 2, 4);
    expect(await desk().cancel(4, { by: 'Ann', reason: 'asked' })).toEqual({ ok: true, value: { ends: null } });
    expect(await scene.state(4)).toBe('failed cancelled');
    const file = await desk().toSign();
    expect(await desk().cancel(1, { by: 'Ann', reason: 'asked' })).toEqual({
      ok: true,
      value: { ends: expect.stringContaining('once nonce 7 ') },
    });
    await scene.rounds(3, scene.worker());
    await scene.held(3);
    await scene.rounds(3, scene.worker());
    expect((await scene.versions()).map(({ refund, state, place }) => [refund, state, place])).toEqual([
      [1, 'prepared', 7],
      [2, 'prepared', 8],
      [3, 'prepared', 7],
      [4, 'void', 9],
    ]);
    expect(await imported(signed(file))).toEqual([
      [1, false, expect.stringContaining('given up')],
      [2, false, expect.stringContaining('lower nonce')],
    ]);
    expect(await imported(signed(await desk().toSign()))).toEqual([
      [3, true, ''],
      [2, true, ''],
    ]);
    expect(await scene.state(1)).toMatch(/^prepared ending: it is given up/);
    await scene.rounds(2, scene.worker());
    scene.chain.mine();
    await scene.rounds(3, scene.worker());
    expect([await scene.state(1), await scene.state(2), await scene.state(3)]).toEqual([
      'failed cancelled',
      'confirmed',
      'confirmed',
    ]);
    await preparedInTurn(5);
    await imported(signed(await desk().toSign()));
    expect(await desk().cancel(5, { by: 'Ann', reason: 'asked' })).toMatchObject({
      ok: false,
      error: expect.stringContaining('signed'),
    });
    expect(await desk().cancel(9, { by: 'Ann', reason: 'asked' })).toMatchObject({ ok: false });
  });

  it('whose nonce is used while a replacement is out with a signer waits for people: that one may be what got in', async () => {
    await preparedInTurn(1);
    await imported(signed(await desk().toSign()));
    await scene.rounds(2, scene.worker());
    scene.clock.advance(15 * 60_000);
    await scene.rounds(2, scene.worker());
    const file = await desk().toSign();
    expect(file.transfers).toMatchObject([{ refund_id: 1, version: 2, transfer: { place: '7' } }]);
    scene.chain.overtake();
    await scene.rounds(4, scene.worker());
    expect(await scene.state()).toMatch(/^broadcast unsure: its nonce is used/);
    scene.lines = [];
    await new PageRefunds(new RefundWatch(scene.db), scene.clock, scene.log).run();
    expect(scene.lines).toMatchObject([{ code: 'refund_fate_unsure', chain: 'CELO', refunds: 1 }]);
    expect(await desk().settle(1, null, { by: 'Ann', reason: 'it is a sweep' })).toMatchObject({ ok: true });
    await scene.rounds(3, scene.worker());
    expect((await scene.versions()).map(({ state, place }) => [state, place])).toEqual([
      ['dead', 7],
      ['void', 7],
      ['prepared', 8],
    ]);
  });

  it('is not settled by the transfer of another, and says of one whose signature was never handed in that nothing here shows it', async () => {
    await preparedInTurn(1, 2);
    await imported(signed(await desk().toSign()));
    await scene.rounds(2, scene.worker());
    const other = scene.chain.broadcasts.find(({ reference }) => reference === 'refund-2')!.transactionId;
    scene.clock.advance(15 * 60_000);
    await scene.rounds(2, scene.worker());
    await desk().toSign();
    scene.chain.overtake();
    await scene.rounds(4, scene.worker());
    expect(await scene.state()).toMatch(/^broadcast unsure: /);
    expect(await desk().settle(1, other, { by: 'Ann', reason: 'explorer' })).toEqual({
      ok: false,
      error: 'that is the transfer of another refund',
    });
    const foreign = `0x${'7'.repeat(64)}`;
    expect(await desk().settle(1, foreign, { by: 'Ann', reason: 'explorer' })).toEqual({
      ok: true,
      value: { isHeld: false },
    });
    // One that is known by what people said is nobody else's either.
    await scene.db.query(`update refunds set unsure_since = $1 where refund_id = 2`, [scene.clock.now()]);
    expect(await desk().settle(2, foreign, { by: 'Ann', reason: 'explorer' })).toEqual({
      ok: false,
      error: 'that is the transfer of another refund',
    });
  });

  it('is prepared again and again where a transfer lives a minute, and leaves nothing behind that nobody was shown', async () => {
    scene.chain.livesForMs = 60_000;
    await scene.held(1);
    await scene.rounds(20, scene.worker());
    expect(await scene.versions()).toHaveLength(1);
    const late = await desk().toSign();
    scene.clock.advance(120_000);
    scene.chain.says = { kind: 'dead', reason: 'not among what left the wallet' };
    await scene.rounds(3, scene.worker());
    scene.chain.says = undefined;
    expect(await imported(signed(late))).toEqual([[1, false, expect.stringContaining('not wait')]]);
    expect(await imported(signed(await desk().toSign()))).toEqual([[1, true, '']]);
    expect((await scene.versions()).map(({ version, state }) => [version, state])).toEqual([
      [1, 'void'],
      [2, 'signed'],
    ]);
  });

  it('is called for when it has waited long, as is one that is not final, and a wallet that is short', async () => {
    await scene.held(1);
    await scene.rounds(3, scene.worker());
    const watch = new RefundWatch(scene.db);
    const page = new PageRefunds(watch, scene.clock, scene.log);
    const codes = async (): Promise<unknown[]> => {
      scene.lines = [];
      await page.run();
      return scene.lines.map(({ code }) => code);
    };
    expect(await codes()).toEqual([]);
    scene.clock.advance(5 * HOUR_MS);
    expect(await codes()).toEqual(['refunds_unsigned']);
    await imported(signed(await desk().toSign()));
    scene.clock.advance(2 * HOUR_MS);
    expect(await codes()).toEqual(['refunds_not_final']);
    await scene.held(2);
    scene.chain.short = 'token';
    await scene.rounds(2, scene.worker());
    expect(await codes()).toEqual(expect.arrayContaining(['refund_wallet_short']));
    scene.chain.isDown = true;
    await scene.rounds(20, scene.worker());
    expect(await codes()).toEqual(expect.arrayContaining(['refunds_in_trouble']));
    const metrics = new Metrics('offramp');
    new RefundMetrics(metrics, watch, scene.clock);
    expect(await metrics.text()).toMatch(/vuka_offramp_open_refunds\{chain="CELO",state="queued"[^}]*\} 1/);
    expect((await desk().open(10)).map(({ refund_id, state }) => [refund_id, state])).toEqual([
      [1, expect.any(String)],
      [2, 'queued'],
    ]);
  });
});
