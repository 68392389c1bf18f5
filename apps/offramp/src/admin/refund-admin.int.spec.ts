import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Metrics } from '@vuka/runtime';

import { PageRefunds } from '../alerts/page-refunds.js';
import { RefundMetrics } from '../alerts/refund-metrics.js';
import { RefundWatch } from '../alerts/refund-watch.js';
import { RECIPIENT, RefundFixture } from '../transfers/refund-fixture.spec-support.js';
import { type RefundAdmin, type TransfersToSign } from './refund-admin.js';

const HOUR_MS = 60 * 60_000;

let fixture: RefundFixture;
beforeAll(async () => {
  fixture = await RefundFixture.open();
}, 60_000);
beforeEach(async () => {
  await fixture.reset();
  await fixture.db.query('truncate switches');
  fixture.offline();
});
afterAll(() => fixture.close());

const admin = (): RefundAdmin => fixture.admin();
const signed = (file: TransfersToSign, only: (refundId: number) => boolean = () => true): object => ({
  kind: 'vuka-refunds-signed',
  transfers: file.transfers
    .filter(({ refund_id }) => only(refund_id))
    .map(({ refund_id, version, transfer }) => ({ refund_id, version, raw: `signed ${transfer.payload}` })),
});
const imported = async (file: unknown): Promise<unknown> => {
  const taken = await admin().take(file, { by: 'Ann', reason: 'signed today' });
  return taken.ok ? taken.value.map(({ refund_id, taken: is, why }) => [refund_id, is, why]) : taken.error;
};

async function preparedInTurn(...ids: readonly number[]): Promise<void> {
  for (const id of ids) {
    await fixture.held(id);
    await fixture.rounds(2, fixture.worker());
  }
}

describe('a refund whose key is elsewhere', () => {
  it('waits, is exported, signed, imported, and then sent', async () => {
    await preparedInTurn(1, 2);
    expect(await fixture.state(1)).toBe('prepared');
    const file = await admin().toSign();
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
    expect(fixture.chain.broadcasts).toEqual([]);
    await fixture.rounds(2, fixture.worker());
    fixture.chain.mine();
    await fixture.rounds(1, fixture.worker());
    expect([await fixture.state(1), await fixture.state(2)]).toEqual(['confirmed', 'confirmed']);
    expect(fixture.chain.paid).toHaveLength(2);
    expect(await imported(signed(file))).toEqual([
      [1, false, expect.stringContaining('no longer waits')],
      [2, false, expect.stringContaining('no longer waits')],
    ]);
  });

  it('is imported in the order of the nonces, whatever the order of the file', async () => {
    await preparedInTurn(1, 2);
    const file = await admin().toSign();
    expect(await imported(signed(file, (id) => id === 2))).toEqual([
      [2, false, expect.stringContaining('lower nonce')],
    ]);
    expect(await imported({ ...signed({ ...file, transfers: [...file.transfers].reverse() }) })).toEqual([
      [1, true, ''],
      [2, true, ''],
    ]);
  });

  it('is listed whatever its number is', async () => {
    await fixture.held(1);
    await fixture.db.query('update refunds set refund_id = 3000000000, partner_id = 2500000000');
    expect(await admin().open(10)).toMatchObject([{ refund_id: 3_000_000_000, partner_id: 2_500_000_000 }]);
  });

  it('refuses every transfer that differs from its request', async () => {
    await fixture.held(1);
    await fixture.rounds(3, fixture.worker());
    const file = await admin().toSign();
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
      expect(await imported(wrong)).toMatch(/not a file of signed refunds/);
    expect(await fixture.state()).toBe('prepared');
  });

  it('of a token that is switched off is neither shown nor taken', async () => {
    await fixture.held(1);
    await fixture.rounds(3, fixture.worker());
    const file = await admin().toSign();
    await fixture.db.query(
      `insert into switches (chain, asset, reason, off_by, off_since) values ('CELO', 'USDC', 'off its peg', 'Ann', now())`,
    );
    expect((await admin().toSign()).transfers).toEqual([]);
    expect(await imported(signed(file))).toEqual([[1, false, expect.stringContaining('switched off')]]);
  });

  it.each(['its value', 'its recipient'])(
    'is neither prepared, exported nor imported while screening lists %s, until a person clears it',
    async (what) => {
      const deposit = await fixture.held(1);
      const mark = async (): Promise<unknown> =>
        what === 'its value' ? fixture.marked(deposit) : fixture.listed.add(RECIPIENT);
      await fixture.rounds(3, fixture.worker());
      const file = await admin().toSign();
      await mark();
      expect(await admin().clear(1, { by: 'Ann', reason: 'too early' })).toMatchObject({ ok: false });
      await fixture.rounds(3, fixture.worker());
      expect(await fixture.state()).toMatch(/^prepared screening: /);
      expect((await admin().toSign()).transfers).toEqual([]);
      expect(await imported(signed(file))).toEqual([[1, false, expect.stringContaining('screening')]]);
      fixture.lines = [];
      await new PageRefunds(new RefundWatch(fixture.db), fixture.clock, fixture.log).run();
      expect(fixture.lines).toMatchObject([{ code: 'refund_screened', chain: 'CELO', refunds: 1 }]);
      expect(await admin().clear(1, { by: 'Ann', reason: 'name alike only' })).toEqual({ ok: true, value: undefined });
      await fixture.rounds(2, fixture.worker());
      expect(await imported(signed(await admin().toSign()))).toEqual([[1, true, '']]);
      await fixture.rounds(2, fixture.worker());
      fixture.chain.mine();
      await fixture.rounds(1, fixture.worker());
      expect(await fixture.state()).toBe('confirmed');
      expect(await admin().clear(1, { by: 'Ann', reason: 'too late' })).toMatchObject({
        ok: false,
        error: 'it has ended',
      });
    },
  );

  it('that waits for screening and was never exported blocks no nonce of others', async () => {
    const deposit = await fixture.held(1);
    await fixture.rounds(2, fixture.worker());
    await fixture.held(2);
    await fixture.rounds(2, fixture.worker());
    expect((await fixture.versions()).map(({ refund, place }) => [refund, place])).toEqual([
      [1, 7],
      [2, 8],
    ]);
    await fixture.marked(deposit);
    await fixture.rounds(4, fixture.worker());
    const file = await admin().toSign();
    expect(file.transfers).toMatchObject([{ refund_id: 2, transfer: { place: '7' } }]);
    expect(await imported(signed(file))).toEqual([[2, true, '']]);
    expect(await fixture.state(1)).toMatch(/^queued screening: /);
  });

  it('that waits for people after its export makes those behind it name the signature they wait for', async () => {
    const deposit = await fixture.held(1);
    await fixture.rounds(2, fixture.worker());
    await preparedInTurn(2);
    const file = await admin().toSign();
    expect([await fixture.state(1), await fixture.state(2)]).toEqual(['prepared', 'prepared']);
    await fixture.marked(deposit);
    await fixture.rounds(3, fixture.worker());
    expect([await fixture.state(1), await fixture.state(2)]).toEqual([
      expect.stringMatching(/^prepared screening: /),
      'prepared waits for the signature of refund 1',
    ]);
    expect(await imported(signed(file, (id) => id === 2))).toEqual([
      [2, false, expect.stringMatching(/lower nonce .* refund 1\. Or cancel that refund \(refund-cancel\)$/)],
    ]);
    expect(await admin().cancel(1, { by: 'Ann', reason: 'ticket 91' })).toMatchObject({ ok: true });
    await fixture.rounds(2, fixture.worker());
    expect(await fixture.state(2)).toBe('prepared');
    expect(await imported(signed(file, (id) => id === 2))).toEqual([[2, true, '']]);
  });

  it('whose deposit was taken back is not taken, and has failed where nobody was shown it; else not before its chain has proven it dead', async () => {
    const deposit = await fixture.held(1);
    await fixture.rounds(2, fixture.worker());
    const unshown = await fixture.held(2);
    await fixture.rounds(2, fixture.worker());
    await fixture.revert(unshown);
    await fixture.rounds(2, fixture.worker());
    expect(await fixture.state(2)).toBe('failed deposit_reverted');
    const file = await admin().toSign();
    expect(file.transfers).toMatchObject([{ refund_id: 1, transfer: { place: '7' } }]);
    await fixture.revert(deposit);
    expect(await imported(signed(file))).toEqual([[1, false, expect.stringContaining('its deposit vanished')]]);
    await fixture.rounds(3, fixture.worker());
    expect(await fixture.state(1)).toMatch(
      /^prepared ending: its deposit vanished, .* when nonce 7 of the wallet is used/,
    );
    fixture.chain.overtake();
    await fixture.rounds(2, fixture.worker());
    expect(await admin().settle(1, null, { by: 'Ann', reason: 'it is a sweep' })).toMatchObject({ ok: true });
    await fixture.rounds(2, fixture.worker());
    expect(await fixture.state(1)).toBe('failed deposit_reverted');
  });

  it('can be given up until it is signed: at once where nobody was shown it; else the next one takes its place, and it ends when that one is final', async () => {
    await preparedInTurn(1, 2, 4);
    expect(await admin().cancel(4, { by: 'Ann', reason: 'asked' })).toEqual({ ok: true, value: { ends: null } });
    expect(await fixture.state(4)).toBe('failed cancelled');
    const file = await admin().toSign();
    expect(await admin().cancel(1, { by: 'Ann', reason: 'asked' })).toEqual({
      ok: true,
      value: { ends: expect.stringContaining('when nonce 7 ') },
    });
    await fixture.rounds(3, fixture.worker());
    await fixture.held(3);
    await fixture.rounds(3, fixture.worker());
    expect((await fixture.versions()).map(({ refund, state, place }) => [refund, state, place])).toEqual([
      [1, 'prepared', 7],
      [2, 'prepared', 8],
      [3, 'prepared', 7],
      [4, 'void', 9],
    ]);
    expect(await imported(signed(file))).toEqual([
      [1, false, expect.stringContaining('is cancelled')],
      [2, false, expect.stringContaining('lower nonce')],
    ]);
    expect(await imported(signed(await admin().toSign()))).toEqual([
      [3, true, ''],
      [2, true, ''],
    ]);
    expect(await fixture.state(1)).toMatch(/^prepared ending: it is cancelled/);
    await fixture.rounds(2, fixture.worker());
    fixture.chain.mine();
    await fixture.rounds(3, fixture.worker());
    expect([await fixture.state(1), await fixture.state(2), await fixture.state(3)]).toEqual([
      'failed cancelled',
      'confirmed',
      'confirmed',
    ]);
    await preparedInTurn(5);
    await imported(signed(await admin().toSign()));
    expect(await admin().cancel(5, { by: 'Ann', reason: 'asked' })).toMatchObject({
      ok: false,
      error: expect.stringContaining('signed'),
    });
    expect(await admin().cancel(9, { by: 'Ann', reason: 'asked' })).toMatchObject({ ok: false });
  });

  it('whose nonce is used while a replacement is out with a signer waits for people: that one may be what got in', async () => {
    await preparedInTurn(1);
    await imported(signed(await admin().toSign()));
    await fixture.rounds(2, fixture.worker());
    fixture.clock.advance(15 * 60_000);
    await fixture.rounds(2, fixture.worker());
    const file = await admin().toSign();
    expect(file.transfers).toMatchObject([{ refund_id: 1, version: 2, transfer: { place: '7' } }]);
    fixture.chain.overtake();
    await fixture.rounds(4, fixture.worker());
    expect(await fixture.state()).toMatch(/^broadcast unsure: its nonce is used/);
    fixture.lines = [];
    await new PageRefunds(new RefundWatch(fixture.db), fixture.clock, fixture.log).run();
    expect(fixture.lines).toMatchObject([{ code: 'refund_fate_unsure', chain: 'CELO', refunds: 1 }]);
    expect(await admin().settle(1, null, { by: 'Ann', reason: 'it is a sweep' })).toMatchObject({ ok: true });
    await fixture.rounds(3, fixture.worker());
    expect((await fixture.versions()).map(({ state, place }) => [state, place])).toEqual([
      ['dead', 7],
      ['void', 7],
      ['prepared', 8],
    ]);
  });

  it('is not settled by the transfer of another, and says of one whose signature was never handed in that nothing here shows it', async () => {
    await preparedInTurn(1, 2);
    await imported(signed(await admin().toSign()));
    await fixture.rounds(2, fixture.worker());
    const other = fixture.chain.broadcasts.find(({ reference }) => reference === 'refund-2')!.transactionId;
    fixture.clock.advance(15 * 60_000);
    await fixture.rounds(2, fixture.worker());
    await admin().toSign();
    fixture.chain.overtake();
    await fixture.rounds(4, fixture.worker());
    expect(await fixture.state()).toMatch(/^broadcast unsure: /);
    expect(await admin().settle(1, other, { by: 'Ann', reason: 'explorer' })).toEqual({
      ok: false,
      error: 'that is the transfer of another refund',
    });
    const foreign = `0x${'7'.repeat(64)}`;
    expect(await admin().settle(1, foreign, { by: 'Ann', reason: 'explorer' })).toEqual({
      ok: true,
      value: { isHeld: false },
    });
    // A hash that people reported is taken too.
    await fixture.db.query(`update refunds set unsure_since = $1 where refund_id = 2`, [fixture.clock.now()]);
    expect(await admin().settle(2, foreign, { by: 'Ann', reason: 'explorer' })).toEqual({
      ok: false,
      error: 'that is the transfer of another refund',
    });
  });

  it('is prepared again whenever its transfer expires, and leaves no version that was never exported', async () => {
    fixture.chain.livesForMs = 60_000;
    await fixture.held(1);
    await fixture.rounds(20, fixture.worker());
    expect(await fixture.versions()).toHaveLength(1);
    const late = await admin().toSign();
    fixture.clock.advance(120_000);
    fixture.chain.says = { kind: 'dead', reason: 'not among the transfers of the wallet' };
    await fixture.rounds(3, fixture.worker());
    fixture.chain.says = undefined;
    expect(await imported(signed(late))).toEqual([[1, false, expect.stringContaining('no longer waits')]]);
    expect(await imported(signed(await admin().toSign()))).toEqual([[1, true, '']]);
    expect((await fixture.versions()).map(({ version, state }) => [version, state])).toEqual([
      [1, 'void'],
      [2, 'signed'],
    ]);
  });

  it('raises an alarm when it waited long, as does one that is not final, and a wallet that is short', async () => {
    await fixture.held(1);
    await fixture.rounds(3, fixture.worker());
    const watch = new RefundWatch(fixture.db);
    const page = new PageRefunds(watch, fixture.clock, fixture.log);
    const codes = async (): Promise<unknown[]> => {
      fixture.lines = [];
      await page.run();
      return fixture.lines.map(({ code }) => code);
    };
    expect(await codes()).toEqual([]);
    fixture.clock.advance(5 * HOUR_MS);
    expect(await codes()).toEqual(['refunds_unsigned']);
    await imported(signed(await admin().toSign()));
    fixture.clock.advance(2 * HOUR_MS);
    expect(await codes()).toEqual(['refunds_not_final']);
    await fixture.held(2);
    fixture.chain.short = 'token';
    await fixture.rounds(2, fixture.worker());
    expect(await codes()).toEqual(expect.arrayContaining(['refund_wallet_short']));
    fixture.chain.isDown = true;
    await fixture.rounds(20, fixture.worker());
    expect(await codes()).toEqual(expect.arrayContaining(['refunds_in_trouble']));
    const metrics = new Metrics('offramp');
    new RefundMetrics(metrics, watch, fixture.clock);
    expect(await metrics.text()).toMatch(/vuka_offramp_open_refunds\{chain="CELO",state="queued"[^}]*\} 1/);
    expect((await admin().open(10)).map(({ refund_id, state }) => [refund_id, state])).toEqual([
      [1, expect.any(String)],
      [2, 'queued'],
    ]);
  });
});
