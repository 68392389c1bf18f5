import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PermanentEventError } from '@vuka/messaging';
import { armCrashPoint, type CrashPoint } from '@vuka/runtime';
import { until } from '@vuka/testing';

import { TransferStore } from '../refunds/transfer.store.js';
import { REPLACE_AFTER_MS } from './follow-transfer.js';
import { REFUSED_FOR_MS } from './prepare-transfer.js';
import { RECIPIENT, RefundScene } from './refund-scene.spec-support.js';

let scene: RefundScene;
beforeAll(async () => {
  scene = await RefundScene.open();
}, 60_000);
beforeEach(() => scene.reset());
afterAll(() => scene.close());

const placeTaken = (): Promise<unknown> =>
  until(async () => (await scene.db.query('select 1 from refund_places')).length === 1, {
    withinMs: 10_000,
    what: 'a place is taken',
  });

describe('a refund', () => {
  it('is prepared, signed, given to the chain and final; each step is told once', async () => {
    const deposit = await scene.held(1);
    expect(await scene.depositState(deposit)).toBe('refunding');
    await scene.rounds(3, scene.worker());
    expect(await scene.state()).toBe('broadcast');
    expect(await scene.kinds()).toEqual(['refund.signed 1_1', 'refund.broadcast 1_2']);
    expect(scene.chain.paid).toEqual([]);
    scene.chain.mine();
    await scene.rounds(1, scene.worker());
    expect(await scene.state()).toBe('confirmed');
    expect(await scene.depositState(deposit)).toBe('refunded');
    expect(scene.chain.paid).toEqual([`refund-1 12500000 ${RECIPIENT}`]);
    expect(await scene.kinds()).toEqual(['refund.signed 1_1', 'refund.broadcast 1_2', 'refund.confirmed 1_3']);
    await scene.rounds(2, scene.worker());
    expect(scene.chain.broadcasts).toHaveLength(1);
  });

  it('is taken in once, and never beside another of the same deposit', async () => {
    const deposit = await scene.deposit(1, 'consumed');
    const event = scene.heldEvent(1, deposit);
    await scene.intake().run(event);
    await scene.intake().run(event);
    await expect(scene.intake().run(scene.heldEvent(2, deposit))).rejects.toBeInstanceOf(PermanentEventError);
    expect(await scene.states()).toHaveLength(1);
    for (const data of [{ chain: 'NOWHERE' }, { amount_minor: '0' }]) {
      const odd = scene.heldEvent(3, deposit);
      await expect(scene.intake().run({ ...odd, data: { ...odd.data, ...data } })).rejects.toBeInstanceOf(
        PermanentEventError,
      );
    }
  });

  it('of several at once has a place of its own, and all come in', async () => {
    for (const id of [1, 2, 3, 4, 5]) await scene.held(id);
    await scene.rounds(8, scene.worker(), scene.worker());
    scene.chain.mine();
    await scene.rounds(2, scene.worker(), scene.worker());
    expect((await scene.states()).map(({ state }) => state)).toEqual(Array.from({ length: 5 }, () => 'confirmed'));
    expect((await scene.versions()).map(({ place }) => place).sort()).toEqual([10, 11, 7, 8, 9]);
    expect(new Set(scene.chain.paid).size).toBe(5);
  });

  it.each<CrashPoint>(['offramp.before-sign', 'offramp.after-sign', 'offramp.after-broadcast'])(
    'survives a death at %s and pays once',
    async (point) => {
      await scene.held(1);
      armCrashPoint({ point, time: 1 }, () => {
        throw new Error('died');
      });
      await scene.rounds(3, scene.worker(20_000));
      armCrashPoint(undefined);
      await scene.rounds(4, scene.worker(20_000));
      scene.chain.mine();
      await scene.rounds(2, scene.worker());
      expect(await scene.state()).toBe('confirmed');
      expect(scene.chain.paid).toHaveLength(1);
      expect(new Set(scene.chain.broadcasts.map(({ raw }) => raw)).size).toBe(1);
      expect((await scene.kinds()).filter((kind) => kind.startsWith('refund.signed'))).toHaveLength(1);
    },
  );

  it('is given again as it is where the chain has lost it or was not heard', async () => {
    await scene.held(1);
    scene.chain.isDeaf = true;
    await scene.rounds(5, scene.worker());
    expect(await scene.state()).toBe('signed down');
    scene.chain.isDeaf = false;
    await scene.rounds(2, scene.worker());
    scene.chain.pool.clear();
    await scene.rounds(2, scene.worker());
    expect(new Set(scene.chain.broadcasts.map(({ transactionId }) => transactionId)).size).toBe(1);
    expect(await scene.versions()).toHaveLength(1);
    scene.chain.mine();
    await scene.rounds(1, scene.worker());
    expect(scene.chain.paid).toHaveLength(1);
  });

  it('is signed anew only after the first is proven dead, and told of with its new hash', async () => {
    await scene.held(1);
    await scene.rounds(3, scene.worker());
    scene.chain.overtake();
    await scene.rounds(4, scene.worker());
    expect(await scene.versions()).toEqual([
      { refund: 1, version: 1, state: 'dead', place: 7 },
      { refund: 1, version: 2, state: 'signed', place: 8 },
    ]);
    expect(scene.lines.filter(({ code }) => code === 'refund_place_taken')).toMatchObject([
      { refund_id: 1, chain: 'CELO', place: '7' },
    ]);
    scene.chain.mine();
    await scene.rounds(1, scene.worker());
    expect(await scene.kinds()).toEqual([
      'refund.signed 1_1',
      'refund.broadcast 1_2',
      'refund.signed 1_3',
      'refund.broadcast 1_4',
      'refund.confirmed 1_5',
    ]);
    expect(scene.chain.paid).toHaveLength(1);
  });

  it('that waits long in the pool is replaced in its own place, and either of the two counts', async () => {
    await scene.held(1);
    await scene.rounds(3, scene.worker());
    scene.clock.advance(15 * 60_000);
    await scene.rounds(4, scene.worker());
    expect(await scene.versions()).toEqual([
      { refund: 1, version: 1, state: 'signed', place: 7 },
      { refund: 1, version: 2, state: 'signed', place: 7 },
    ]);
    scene.chain.mine();
    await scene.rounds(1, scene.worker());
    expect(await scene.versions()).toEqual([
      { refund: 1, version: 1, state: 'dead', place: 7 },
      { refund: 1, version: 2, state: 'final', place: 7 },
    ]);
    expect(scene.chain.paid).toHaveLength(1);
  });

  it('that every pool refuses for its fee is replaced in its own place, until one is taken', async () => {
    await scene.held(1);
    scene.chain.leastFee = 3;
    await scene.rounds(4, scene.worker());
    expect([await scene.state(), (await scene.versions()).length]).toEqual(['signed underpriced', 1]);
    for (let time = 0; time < 2; time += 1) {
      scene.clock.advance(REPLACE_AFTER_MS);
      await scene.rounds(4, scene.worker());
    }
    expect(await scene.state()).toBe('broadcast');
    scene.chain.mine();
    await scene.rounds(1, scene.worker());
    expect((await scene.versions()).map(({ state, place }) => [state, place])).toEqual([
      ['dead', 7],
      ['dead', 7],
      ['final', 7],
    ]);
    expect(scene.chain.paid).toHaveLength(1);
  });

  it('that reverts on the chain has failed, and its deposit waits again', async () => {
    const [deposit, paid] = [await scene.held(1), await scene.held(2, 'consumed')];
    await scene.rounds(4, scene.worker());
    scene.chain.reverts = true;
    scene.chain.mine();
    await scene.rounds(1, scene.worker());
    expect(await scene.state(1)).toBe('failed transfer_failed');
    expect([await scene.depositState(deposit), await scene.depositState(paid)]).toEqual(['unapplied', 'consumed']);
    scene.chain.reverts = false;
    await scene.intake().run(scene.heldEvent(3, deposit));
    await scene.hold().granted(scene.grantedEvent(3));
    await scene.rounds(3, scene.worker());
    scene.chain.mine();
    await scene.rounds(1, scene.worker());
    expect(await scene.state(3)).toBe('confirmed');
  });

  it.each(['token', 'fee'] as const)(
    'waits while the wallet is short of its %s, and keeps no place meanwhile',
    async (of) => {
      await scene.held(1);
      scene.chain.short = of;
      await scene.rounds(4, scene.worker());
      expect(await scene.state()).toMatch(/^queued wallet_short/);
      expect(await scene.db.query('select 1 from refund_places')).toEqual([]);
      scene.chain.short = undefined;
      await scene.rounds(4, scene.worker());
      expect(await scene.state()).toBe('broadcast');
    },
  );

  it('whose recipient the chain refuses is tried for an hour, and has failed then', async () => {
    await scene.held(1);
    scene.chain.refuses = true;
    await scene.rounds(3, scene.worker());
    expect(await scene.state()).toBe('queued blacklisted');
    scene.clock.advance(REFUSED_FOR_MS);
    await scene.rounds(1, scene.worker());
    expect(await scene.state()).toBe('failed address_refused');
    expect(await scene.kinds()).toEqual(['refund.failed 1_1']);
  });

  it('to an address that is kept in small letters goes to it, spelt as its chain spells it', async () => {
    const event = scene.heldEvent(1, await scene.deposit(1, 'consumed'));
    await scene.intake().run({ ...event, data: { ...event.data, address: RECIPIENT.toLowerCase() } });
    await scene.hold().granted(scene.grantedEvent(1));
    await scene.rounds(3, scene.worker());
    scene.chain.mine();
    await scene.rounds(1, scene.worker());
    expect(scene.chain.paid).toEqual([`refund-1 12500000 ${RECIPIENT}`]);
  });

  it('to an address that is none any more has failed before anything was prepared', async () => {
    await scene.held(1);
    scene.refuseAddress();
    await scene.rounds(1, scene.worker());
    expect(await scene.state()).toBe('failed address_refused');
  });

  it('is not signed while its chain or token is switched off, nor while the chain is silent', async () => {
    await scene.held(1);
    scene.off = 'CELO is switched off';
    await scene.rounds(2, scene.worker());
    expect(await scene.state()).toBe('queued CELO is switched off');
    scene.off = null;
    await scene.rounds(1, scene.worker());
    scene.off = 'CELO is switched off';
    await scene.rounds(3, scene.worker());
    expect(await scene.state()).toBe('queued CELO is switched off');
    scene.chain.isDown = true;
    await scene.held(2);
    scene.off = null;
    await scene.rounds(2, scene.worker());
    expect(await scene.state(2)).toBe('queued down');
  });

  it('that is signed is given to no chain that is switched off, nor replaced there; what the chain has is followed', async () => {
    await scene.held(1);
    scene.chain.isDeaf = true;
    await scene.rounds(3, scene.worker());
    [scene.off, scene.chain.isDeaf] = ['CELO is switched off', false];
    const heard = scene.chain.broadcasts.length;
    await scene.rounds(3, scene.worker());
    expect([await scene.state(), scene.chain.broadcasts.length]).toEqual(['signed CELO is switched off', heard]);
    scene.off = null;
    await scene.rounds(2, scene.worker());
    expect(await scene.state()).toBe('broadcast');
    scene.off = 'CELO is switched off';
    scene.clock.advance(REPLACE_AFTER_MS);
    await scene.rounds(3, scene.worker());
    expect(await scene.versions()).toHaveLength(1);
    scene.chain.mine();
    await scene.rounds(1, scene.worker());
    expect(await scene.state()).toBe('confirmed');
  });

  it('of a deposit that its chain took back has failed, until it is signed and no longer', async () => {
    const [queued, prepared, signed] = [await scene.held(1), await scene.held(2), await scene.held(3)];
    await scene.revert(queued);
    await scene.rounds(1, scene.worker());
    expect(await scene.state(1)).toBe('failed deposit_reverted');
    scene.offline();
    await scene.rounds(3, scene.worker());
    expect([await scene.state(2), await scene.state(3)]).toEqual(['prepared', 'prepared']);
    await scene.revert(prepared);
    scene.wallets = new Map([['evm', { address: scene.wallets.get('evm')!.address, secret: 'secret' }]]);
    await scene.rounds(6, scene.worker());
    expect(await scene.state(2)).toBe('failed deposit_reverted');
    expect(await scene.state(3)).toBe('broadcast');
    await scene.revert(signed);
    scene.chain.mine();
    await scene.rounds(1, scene.worker());
    expect(await scene.state(3)).toBe('confirmed');
    // Its place was that of the one that failed: no gap is left.
    expect((await scene.versions()).at(-1)).toMatchObject({ refund: 3, state: 'final', place: 7 });
  });

  it("of value that screening has marked, or to a recipient on its list, is not signed; one that is given up is the partner's again", async () => {
    const deposit = await scene.deposit(1, 'unapplied');
    await scene.marked(deposit);
    await scene.intake().run(scene.heldEvent(1, deposit));
    await scene.hold().granted(scene.grantedEvent(1));
    scene.listed.add(RECIPIENT);
    await scene.held(2);
    await scene.rounds(5, scene.worker());
    scene.chain.mine();
    await scene.rounds(1, scene.worker());
    expect([await scene.state(1), await scene.state(2)]).toEqual(
      Array.from({ length: 2 }, () => 'queued screening: people decide whether it may be sent'),
    );
    expect([scene.chain.paid, await scene.versions()]).toEqual([[], []]);
    expect(await scene.desk().cancel(1, { by: 'Ann', reason: 'frozen by order' })).toMatchObject({ ok: true });
    expect(await scene.depositState(deposit)).toBe('unapplied');
  });

  it('whose turn died with a place, and which is hindered since, holds no place that others wait for', async () => {
    const deposit = await scene.held(1);
    const prepare = scene.chain.prepare.bind(scene.chain);
    let isAsked = false;
    scene.chain.prepare = () => {
      isAsked = true;
      return new Promise(() => undefined);
    };
    await scene.worker().tick();
    await until(() => isAsked, { withinMs: 10_000, what: 'its turn hangs, with a place' });
    scene.clock.advance(120_000);
    scene.chain.prepare = prepare;
    await scene.held(2);
    await scene.stays(deposit, false);
    await scene.rounds(6, scene.worker());
    expect([await scene.state(1), await scene.state(2)]).toEqual(['queued', 'broadcast']);
    expect((await scene.versions()).map(({ refund, place }) => [refund, place])).toEqual([[2, 7]]);
  });

  it('that cannot be prepared by a fault of ours holds up no other', async () => {
    await scene.held(1);
    const prepare = scene.chain.prepare.bind(scene.chain);
    scene.chain.prepare = async (order, place) =>
      order.reference === 'refund-1' ? Promise.reject(new Error('a fault')) : prepare(order, place);
    await scene.rounds(1, scene.worker());
    await scene.held(2);
    const worker = scene.worker();
    // The one that fails takes turns, too.
    await until(async () => (await scene.rounds(1, worker), (await scene.state(2)) === 'broadcast'), {
      withinMs: 4_000,
      what: 'the other one is sent',
    });
    expect(await scene.state(1)).toBe('queued a fault of ours: the log has it');
  });

  it("that waits for another's place says for whose", async () => {
    await scene.held(1);
    const prepare = scene.chain.prepare.bind(scene.chain);
    let go = (): void => undefined;
    const gone = new Promise<void>((resolve) => (go = resolve));
    scene.chain.prepare = async (order, place) => gone.then(() => prepare(order, place));
    const slow = scene.worker();
    await slow.tick();
    await placeTaken();
    await scene.held(2);
    await scene.rounds(1, scene.worker());
    expect(await scene.state(2)).toBe('queued waits for the place of refund 1');
    go();
    await slow.drain();
    await scene.rounds(4, scene.worker());
    expect((await scene.versions()).map(({ refund, place }) => [refund, place])).toEqual([
      [1, 7],
      [2, 8],
    ]);
  });

  it('waits until its deposit is there to stay', async () => {
    const deposit = await scene.held(1);
    await scene.stays(deposit, false);
    await scene.rounds(5, scene.worker());
    expect(await scene.state()).toBe('queued');
    await scene.stays(deposit, true);
    await scene.rounds(3, scene.worker());
    expect(await scene.state()).toBe('broadcast');
  });

  it('without a wallet waits', async () => {
    await scene.held(1);
    scene.wallets = new Map();
    await scene.rounds(2, scene.worker());
    expect(await scene.state()).toBe('queued no refund wallet of the family evm is set');
  });

  it('keeps what others have of the wallet in mind', async () => {
    await scene.held(1);
    await scene.rounds(3, scene.worker());
    const [{ token } = { token: '' }] = await scene.db.query<{ token: string }>(
      `select unsigned ->> 'token' as token from refund_transfers`,
    );
    const wallet = scene.wallets.get('evm')!.address;
    expect(await new TransferStore(scene.db).reserved(2, 'CELO', wallet, token)).toEqual({
      tokenMinor: 12_500_000n,
      feeMinor: 1n,
    });
    expect(await new TransferStore(scene.db).reserved(1, 'CELO', wallet, token)).toEqual({
      tokenMinor: 0n,
      feeMinor: 0n,
    });
    expect(await new TransferStore(scene.db).reserved(2, 'CELO', wallet, 'another')).toEqual({
      tokenMinor: 0n,
      feeMinor: 1n,
    });
  });
});
