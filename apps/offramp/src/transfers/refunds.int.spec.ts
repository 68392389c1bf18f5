import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PermanentEventError } from '@vuka/messaging';
import { armCrashPoint, type CrashPoint } from '@vuka/runtime';
import { until } from '@vuka/testing';

import { TransferStore } from '../refunds/transfer.store.js';
import { REPLACE_AFTER_MS } from './follow-transfer.js';
import { REFUSED_FOR_MS } from './prepare-transfer.js';
import { RECIPIENT, RefundFixture } from './refund-fixture.spec-support.js';

let fixture: RefundFixture;
beforeAll(async () => {
  fixture = await RefundFixture.open();
}, 60_000);
beforeEach(() => fixture.reset());
afterAll(() => fixture.close());

const placeTaken = (): Promise<unknown> =>
  until(async () => (await fixture.db.query('select 1 from refund_places')).length === 1, {
    withinMs: 10_000,
    what: 'a place is taken',
  });

describe('a refund', () => {
  it('is prepared, signed, given to the chain and final; each step is told once', async () => {
    const deposit = await fixture.held(1);
    expect(await fixture.depositState(deposit)).toBe('refunding');
    await fixture.rounds(3, fixture.worker());
    expect(await fixture.state()).toBe('broadcast');
    expect(await fixture.kinds()).toEqual(['refund.signed 1_1', 'refund.broadcast 1_2']);
    expect(fixture.chain.paid).toEqual([]);
    fixture.chain.mine();
    await fixture.rounds(1, fixture.worker());
    expect(await fixture.state()).toBe('confirmed');
    expect(await fixture.depositState(deposit)).toBe('refunded');
    expect(fixture.chain.paid).toEqual([`refund-1 12500000 ${RECIPIENT}`]);
    expect(await fixture.kinds()).toEqual(['refund.signed 1_1', 'refund.broadcast 1_2', 'refund.confirmed 1_3']);
    await fixture.rounds(2, fixture.worker());
    expect(fixture.chain.broadcasts).toHaveLength(1);
  });

  it('is accepted once, and never beside another refund of the same deposit', async () => {
    const deposit = await fixture.deposit(1, 'consumed');
    const event = fixture.heldEvent(1, deposit);
    await fixture.intake().run(event);
    await fixture.intake().run(event);
    await expect(fixture.intake().run(fixture.heldEvent(2, deposit))).rejects.toBeInstanceOf(PermanentEventError);
    expect(await fixture.states()).toHaveLength(1);
    for (const data of [{ chain: 'NOWHERE' }, { amount_minor: '0' }]) {
      const odd = fixture.heldEvent(3, deposit);
      await expect(fixture.intake().run({ ...odd, data: { ...odd.data, ...data } })).rejects.toBeInstanceOf(
        PermanentEventError,
      );
    }
  });

  it('has its own place among several, and all are sent', async () => {
    for (const id of [1, 2, 3, 4, 5]) await fixture.held(id);
    await fixture.rounds(8, fixture.worker(), fixture.worker());
    fixture.chain.mine();
    await fixture.rounds(2, fixture.worker(), fixture.worker());
    expect((await fixture.states()).map(({ state }) => state)).toEqual(Array.from({ length: 5 }, () => 'confirmed'));
    expect((await fixture.versions()).map(({ place }) => place).sort()).toEqual([10, 11, 7, 8, 9]);
    expect(new Set(fixture.chain.paid).size).toBe(5);
  });

  it.each<CrashPoint>(['offramp.before-sign', 'offramp.after-sign', 'offramp.after-broadcast'])(
    'survives a death at %s and pays once',
    async (point) => {
      await fixture.held(1);
      armCrashPoint({ point, time: 1 }, () => {
        throw new Error('died');
      });
      await fixture.rounds(3, fixture.worker(20_000));
      armCrashPoint(undefined);
      await fixture.rounds(4, fixture.worker(20_000));
      fixture.chain.mine();
      await fixture.rounds(2, fixture.worker());
      expect(await fixture.state()).toBe('confirmed');
      expect(fixture.chain.paid).toHaveLength(1);
      expect(new Set(fixture.chain.broadcasts.map(({ raw }) => raw)).size).toBe(1);
      expect((await fixture.kinds()).filter((kind) => kind.startsWith('refund.signed'))).toHaveLength(1);
    },
  );

  it('is given again as it is where the chain has lost it or was not heard', async () => {
    await fixture.held(1);
    fixture.chain.isDeaf = true;
    await fixture.rounds(5, fixture.worker());
    expect(await fixture.state()).toBe('signed down');
    fixture.chain.isDeaf = false;
    await fixture.rounds(2, fixture.worker());
    fixture.chain.pool.clear();
    await fixture.rounds(2, fixture.worker());
    expect(new Set(fixture.chain.broadcasts.map(({ transactionId }) => transactionId)).size).toBe(1);
    expect(await fixture.versions()).toHaveLength(1);
    fixture.chain.mine();
    await fixture.rounds(1, fixture.worker());
    expect(fixture.chain.paid).toHaveLength(1);
  });

  it('is signed anew only after the first is proven dead, and told of with its new hash', async () => {
    await fixture.held(1);
    await fixture.rounds(3, fixture.worker());
    fixture.chain.overtake();
    await fixture.rounds(4, fixture.worker());
    expect(await fixture.versions()).toEqual([
      { refund: 1, version: 1, state: 'dead', place: 7 },
      { refund: 1, version: 2, state: 'signed', place: 8 },
    ]);
    expect(fixture.lines.filter(({ code }) => code === 'refund_place_taken')).toMatchObject([
      { refund_id: 1, chain: 'CELO', place: '7' },
    ]);
    fixture.chain.mine();
    await fixture.rounds(1, fixture.worker());
    expect(await fixture.kinds()).toEqual([
      'refund.signed 1_1',
      'refund.broadcast 1_2',
      'refund.signed 1_3',
      'refund.broadcast 1_4',
      'refund.confirmed 1_5',
    ]);
    expect(fixture.chain.paid).toHaveLength(1);
  });

  it('that waits long in the pool is replaced in its own place, and either of the two counts', async () => {
    await fixture.held(1);
    await fixture.rounds(3, fixture.worker());
    fixture.clock.advance(15 * 60_000);
    await fixture.rounds(4, fixture.worker());
    expect(await fixture.versions()).toEqual([
      { refund: 1, version: 1, state: 'signed', place: 7 },
      { refund: 1, version: 2, state: 'signed', place: 7 },
    ]);
    fixture.chain.mine();
    await fixture.rounds(1, fixture.worker());
    expect(await fixture.versions()).toEqual([
      { refund: 1, version: 1, state: 'dead', place: 7 },
      { refund: 1, version: 2, state: 'final', place: 7 },
    ]);
    expect(fixture.chain.paid).toHaveLength(1);
  });

  it('that every pool refuses for its fee is replaced in its own place, until one is taken', async () => {
    await fixture.held(1);
    fixture.chain.leastFee = 3;
    await fixture.rounds(4, fixture.worker());
    expect([await fixture.state(), (await fixture.versions()).length]).toEqual(['signed underpriced', 1]);
    for (let time = 0; time < 2; time += 1) {
      fixture.clock.advance(REPLACE_AFTER_MS);
      await fixture.rounds(4, fixture.worker());
    }
    expect(await fixture.state()).toBe('broadcast');
    fixture.chain.mine();
    await fixture.rounds(1, fixture.worker());
    expect((await fixture.versions()).map(({ state, place }) => [state, place])).toEqual([
      ['dead', 7],
      ['dead', 7],
      ['final', 7],
    ]);
    expect(fixture.chain.paid).toHaveLength(1);
  });

  it('that reverts on the chain has failed, and its deposit waits again', async () => {
    const [deposit, paid] = [await fixture.held(1), await fixture.held(2, 'consumed')];
    await fixture.rounds(4, fixture.worker());
    fixture.chain.reverts = true;
    fixture.chain.mine();
    await fixture.rounds(1, fixture.worker());
    expect(await fixture.state(1)).toBe('failed transfer_failed');
    expect([await fixture.depositState(deposit), await fixture.depositState(paid)]).toEqual(['unapplied', 'consumed']);
    fixture.chain.reverts = false;
    await fixture.intake().run(fixture.heldEvent(3, deposit));
    await fixture.hold().granted(fixture.grantedEvent(3));
    await fixture.rounds(3, fixture.worker());
    fixture.chain.mine();
    await fixture.rounds(1, fixture.worker());
    expect(await fixture.state(3)).toBe('confirmed');
  });

  it.each(['token', 'fee'] as const)(
    'waits while the wallet is short of its %s, and keeps no place meanwhile',
    async (of) => {
      await fixture.held(1);
      fixture.chain.short = of;
      await fixture.rounds(4, fixture.worker());
      expect(await fixture.state()).toMatch(/^queued wallet_short/);
      expect(await fixture.db.query('select 1 from refund_places')).toEqual([]);
      fixture.chain.short = undefined;
      await fixture.rounds(4, fixture.worker());
      expect(await fixture.state()).toBe('broadcast');
    },
  );

  it('whose recipient the chain refuses is tried for an hour, and has failed then', async () => {
    await fixture.held(1);
    fixture.chain.refuses = true;
    await fixture.rounds(3, fixture.worker());
    expect(await fixture.state()).toBe('queued blacklisted');
    fixture.clock.advance(REFUSED_FOR_MS);
    await fixture.rounds(1, fixture.worker());
    expect(await fixture.state()).toBe('failed address_refused');
    expect(await fixture.kinds()).toEqual(['refund.failed 1_1']);
  });

  it('to an address that is kept in small letters goes to it, spelt as its chain spells it', async () => {
    const event = fixture.heldEvent(1, await fixture.deposit(1, 'consumed'));
    await fixture.intake().run({ ...event, data: { ...event.data, address: RECIPIENT.toLowerCase() } });
    await fixture.hold().granted(fixture.grantedEvent(1));
    await fixture.rounds(3, fixture.worker());
    fixture.chain.mine();
    await fixture.rounds(1, fixture.worker());
    expect(fixture.chain.paid).toEqual([`refund-1 12500000 ${RECIPIENT}`]);
  });

  it('to an address that is none any more has failed before anything was prepared', async () => {
    await fixture.held(1);
    fixture.refuseAddress();
    await fixture.rounds(1, fixture.worker());
    expect(await fixture.state()).toBe('failed address_refused');
  });

  it('is not signed while its chain or token is switched off, nor while the chain is silent', async () => {
    await fixture.held(1);
    fixture.off = 'CELO is switched off';
    await fixture.rounds(2, fixture.worker());
    expect(await fixture.state()).toBe('queued CELO is switched off');
    fixture.off = null;
    await fixture.rounds(1, fixture.worker());
    fixture.off = 'CELO is switched off';
    await fixture.rounds(3, fixture.worker());
    expect(await fixture.state()).toBe('queued CELO is switched off');
    fixture.chain.isDown = true;
    await fixture.held(2);
    fixture.off = null;
    await fixture.rounds(2, fixture.worker());
    expect(await fixture.state(2)).toBe('queued down');
  });

  it('that is signed is given to no chain that is switched off, nor replaced there; what the chain has is followed', async () => {
    await fixture.held(1);
    fixture.chain.isDeaf = true;
    await fixture.rounds(3, fixture.worker());
    [fixture.off, fixture.chain.isDeaf] = ['CELO is switched off', false];
    const heard = fixture.chain.broadcasts.length;
    await fixture.rounds(3, fixture.worker());
    expect([await fixture.state(), fixture.chain.broadcasts.length]).toEqual(['signed CELO is switched off', heard]);
    fixture.off = null;
    await fixture.rounds(2, fixture.worker());
    expect(await fixture.state()).toBe('broadcast');
    fixture.off = 'CELO is switched off';
    fixture.clock.advance(REPLACE_AFTER_MS);
    await fixture.rounds(3, fixture.worker());
    expect(await fixture.versions()).toHaveLength(1);
    fixture.chain.mine();
    await fixture.rounds(1, fixture.worker());
    expect(await fixture.state()).toBe('confirmed');
  });

  it('of a deposit that its chain took back has failed, until it is signed and no longer', async () => {
    const [queued, prepared, signed] = [await fixture.held(1), await fixture.held(2), await fixture.held(3)];
    await fixture.revert(queued);
    await fixture.rounds(1, fixture.worker());
    expect(await fixture.state(1)).toBe('failed deposit_reverted');
    fixture.offline();
    await fixture.rounds(3, fixture.worker());
    expect([await fixture.state(2), await fixture.state(3)]).toEqual(['prepared', 'prepared']);
    await fixture.revert(prepared);
    fixture.wallets = new Map([['evm', { address: fixture.wallets.get('evm')!.address, secret: 'secret' }]]);
    await fixture.rounds(6, fixture.worker());
    expect(await fixture.state(2)).toBe('failed deposit_reverted');
    expect(await fixture.state(3)).toBe('broadcast');
    await fixture.revert(signed);
    fixture.chain.mine();
    await fixture.rounds(1, fixture.worker());
    expect(await fixture.state(3)).toBe('confirmed');
    // It has the place of the failed one: no gap.
    expect((await fixture.versions()).at(-1)).toMatchObject({ refund: 3, state: 'final', place: 7 });
  });

  it("of value that screening has marked, or to a recipient on its list, is not signed; one that is given up is the partner's again", async () => {
    const deposit = await fixture.deposit(1, 'unapplied');
    await fixture.marked(deposit);
    await fixture.intake().run(fixture.heldEvent(1, deposit));
    await fixture.hold().granted(fixture.grantedEvent(1));
    fixture.listed.add(RECIPIENT);
    await fixture.held(2);
    await fixture.rounds(5, fixture.worker());
    fixture.chain.mine();
    await fixture.rounds(1, fixture.worker());
    expect([await fixture.state(1), await fixture.state(2)]).toEqual(
      Array.from({ length: 2 }, () => 'queued screening: a person decides whether it may be sent'),
    );
    expect([fixture.chain.paid, await fixture.versions()]).toEqual([[], []]);
    expect(await fixture.admin().cancel(1, { by: 'Ann', reason: 'frozen by order' })).toMatchObject({ ok: true });
    expect(await fixture.depositState(deposit)).toBe('unapplied');
  });

  it('whose turn died with a place, and which is hindered since, holds no place that others wait for', async () => {
    const deposit = await fixture.held(1);
    const prepare = fixture.chain.prepare.bind(fixture.chain);
    let isAsked = false;
    fixture.chain.prepare = () => {
      isAsked = true;
      return new Promise(() => undefined);
    };
    await fixture.worker().tick();
    await until(() => isAsked, { withinMs: 10_000, what: 'its turn hangs, with a place' });
    fixture.clock.advance(120_000);
    fixture.chain.prepare = prepare;
    await fixture.held(2);
    await fixture.stays(deposit, false);
    await fixture.rounds(6, fixture.worker());
    expect([await fixture.state(1), await fixture.state(2)]).toEqual(['queued', 'broadcast']);
    expect((await fixture.versions()).map(({ refund, place }) => [refund, place])).toEqual([[2, 7]]);
  });

  it('that cannot be prepared by a fault of ours holds up no other', async () => {
    await fixture.held(1);
    const prepare = fixture.chain.prepare.bind(fixture.chain);
    fixture.chain.prepare = async (order, place) =>
      order.reference === 'refund-1' ? Promise.reject(new Error('a fault')) : prepare(order, place);
    await fixture.rounds(1, fixture.worker());
    await fixture.held(2);
    const worker = fixture.worker();
    // The failing one takes turns too.
    await until(async () => (await fixture.rounds(1, worker), (await fixture.state(2)) === 'broadcast'), {
      withinMs: 4_000,
      what: 'the other one is sent',
    });
    expect(await fixture.state(1)).toBe('queued a fault in Vuka: see the log');
  });

  it('that waits for an earlier refund names it', async () => {
    await fixture.held(1);
    const prepare = fixture.chain.prepare.bind(fixture.chain);
    let go = (): void => undefined;
    const gone = new Promise<void>((resolve) => (go = resolve));
    fixture.chain.prepare = async (order, place) => gone.then(() => prepare(order, place));
    const slow = fixture.worker();
    await slow.tick();
    await placeTaken();
    await fixture.held(2);
    await fixture.rounds(1, fixture.worker());
    expect(await fixture.state(2)).toBe('queued waits for refund 1, which has an earlier place in the wallet');
    go();
    await slow.drain();
    await fixture.rounds(4, fixture.worker());
    expect((await fixture.versions()).map(({ refund, place }) => [refund, place])).toEqual([
      [1, 7],
      [2, 8],
    ]);
  });

  it('waits until its deposit is there to stay', async () => {
    const deposit = await fixture.held(1);
    await fixture.stays(deposit, false);
    await fixture.rounds(5, fixture.worker());
    expect(await fixture.state()).toBe('queued');
    await fixture.stays(deposit, true);
    await fixture.rounds(3, fixture.worker());
    expect(await fixture.state()).toBe('broadcast');
  });

  it('without a wallet waits', async () => {
    await fixture.held(1);
    fixture.wallets = new Map();
    await fixture.rounds(2, fixture.worker());
    expect(await fixture.state()).toBe('queued no refund wallet of the family evm is set');
  });

  it('takes into account what other refunds use of the wallet', async () => {
    await fixture.held(1);
    await fixture.rounds(3, fixture.worker());
    const [{ token } = { token: '' }] = await fixture.db.query<{ token: string }>(
      `select unsigned ->> 'token' as token from refund_transfers`,
    );
    const wallet = fixture.wallets.get('evm')!.address;
    expect(await new TransferStore(fixture.db).reserved(2, 'CELO', wallet, token)).toEqual({
      tokenMinor: 12_500_000n,
      feeMinor: 1n,
    });
    expect(await new TransferStore(fixture.db).reserved(1, 'CELO', wallet, token)).toEqual({
      tokenMinor: 0n,
      feeMinor: 0n,
    });
    expect(await new TransferStore(fixture.db).reserved(2, 'CELO', wallet, 'another')).toEqual({
      tokenMinor: 0n,
      feeMinor: 1n,
    });
  });
});
