import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { WakeSignal } from '@vuka/runtime';

import { PageByAge } from '../alerts/page-by-age.js';
import { CreditUnapplied } from '../claim-work/credit-unapplied.js';
import { LookScene, NOW, usdcOn } from '../testing/look-scene.spec-support.js';
import { found, hashOf } from '../testing/offramp.spec-support.js';
import { SwitchStore } from './switch.store.js';
import { Switches } from './switches.js';

const DAY_MS = 24 * 3_600_000;

let scene: LookScene;
let store: SwitchStore;

beforeAll(async () => {
  scene = await LookScene.open();
}, 60_000);
afterAll(() => scene.close());
beforeEach(async () => {
  await scene.reset();
  store = new SwitchStore(scene.db);
});

const off = (chain: string, asset: string | null = null) =>
  store.switchOff({
    chain,
    asset,
    reason: 'endpoints tell different chains',
    offBy: 'Ann Otieno',
    offSince: scene.clock.now(),
  });
const on = (chain: string, asset: string | null = null) =>
  store.switchOn({ chain, asset }, { by: 'Ben Mwangi', why: 'they agree again', at: scene.clock.now() });
const states = async () => (await scene.states()).map(({ id, state }) => [id, state]);

describe('the switches', () => {
  it('keep who, why and when of each time, and are off once at a time', async () => {
    expect(await off('CELO')).toMatchObject({
      chain: 'CELO',
      asset: null,
      offBy: 'Ann Otieno',
      offSince: NOW,
      liftedAt: null,
    });
    expect(await off('CELO')).toBeUndefined();
    expect(await off('CELO', 'USDC')).toMatchObject({ asset: 'USDC' });
    expect(await on('CELO', 'USDT')).toBeUndefined();
    expect(await on('CELO')).toMatchObject({ liftedBy: 'Ben Mwangi', liftedWhy: 'they agree again', liftedAt: NOW });
    expect(await on('CELO')).toBeUndefined();
    await off('CELO');
    expect((await store.inForce()).map(({ asset }) => asset)).toEqual(['USDC', null]);
    expect(await store.history(10)).toHaveLength(3);
  });
});

describe('a claim on a chain that is switched off', () => {
  it('waits unread past its deadline, and is judged as ever when the chain is on again', async () => {
    await scene.addresses.ofPartner(1, 'evm');
    scene.reader('CELO').says(hashOf(1), scene.enoughOn('CELO'));
    await off('CELO');
    await scene.take({ transactionId: 1 });
    await scene.take({ transactionId: 2, chain: 'CELO' });
    for (const ms of [0, 60_000, DAY_MS, DAY_MS]) {
      scene.clock.advance(ms);
      await scene.round(scene.looker());
    }
    expect([await states(), scene.reader('CELO').reads, await scene.kinds()]).toEqual([
      [
        [1, 'open'],
        [2, 'open'],
      ],
      [],
      [],
    ]);
    expect(await scene.watch.troubledSince(scene.clock.now())).toMatchObject([
      { chain: 'CELO', count: 2, trouble: 'CELO is switched off: endpoints tell different chains' },
    ]);
    await on('CELO');
    scene.clock.advance(DAY_MS);
    await scene.round(scene.looker());
    expect(await states()).toEqual([
      [1, 'verified'],
      [2, 'unusable'],
    ]);
  });

  it('keeps no other chain waiting', async () => {
    await scene.addresses.ofPartner(1, 'evm');
    await off('CELO');
    scene.reader('BNB').says(hashOf(1), scene.enoughOn('BNB'));
    await scene.take({ transactionId: 1, chain: 'BNB' });
    await scene.round(scene.looker());
    expect(await states()).toEqual([[1, 'verified']]);
  });
});

describe('a claim whose token is switched off', () => {
  it('waits whether it was named or found, while other tokens of the chain are paid out', async () => {
    await scene.addresses.ofPartner(1, 'evm');
    await off('CELO', 'USDC');
    const other = { token: usdt(), value: 10n ** 7n };
    scene.reader().says(hashOf(2), scene.enoughOn('CELO'));
    scene.reader().says(hashOf(3), found({ at: NOW, transfers: [other] }));
    scene.reader().says(hashOf(4), found({ at: NOW, transfers: [other, { token: usdcOn('CELO'), value: 1n }] }));
    await scene.take({ transactionId: 1, asset: 'USDC' });
    for (const transactionId of [2, 3, 4]) await scene.take({ transactionId });
    await scene.round(scene.looker());
    expect(await states()).toEqual([
      [1, 'open'],
      [2, 'open'],
      [3, 'verified'],
      [4, 'open'],
    ]);
    await on('CELO', 'USDC');
    scene.clock.advance(60_000);
    await scene.round(scene.looker());
    expect(await states()).toEqual([
      [1, 'open'],
      [2, 'verified'],
      [3, 'verified'],
      [4, 'verified'],
    ]);
  });

  it('goes to no wallet either', async () => {
    await scene.addresses.ofPartner(1, 'evm');
    scene.reader().says(hashOf(1), found({ at: NOW, transfers: [{ token: usdcOn('CELO'), value: 1_000_000n }] }));
    await scene.take({ transactionId: 1 });
    await scene.round(scene.looker());
    expect(await scene.kinds()).toEqual(['deposit.unapplied 1_1']);
    const credit = () =>
      new CreditUnapplied(
        scene.db,
        scene.rates,
        new Switches(store, scene.clock),
        new WakeSignal(),
        scene.clock,
      ).tick();
    await off('CELO', 'USDC');
    await credit();
    expect(await scene.kinds()).toHaveLength(1);
    await on('CELO', 'USDC');
    await credit();
    expect(await scene.kinds()).toEqual(['deposit.unapplied 1_1', 'deposit.credited 1_2']);
  });
});

describe('people', () => {
  it('are told for as long as something is off', async () => {
    const page = () =>
      new PageByAge(scene.watch, new Switches(store, scene.clock), new Set(['CELO']), scene.clock, scene.log).run();
    await off('CELO', 'USDC');
    scene.clock.advance(180_000);
    await page();
    expect(scene.lines).toMatchObject([
      { code: 'switched_off', chain: 'CELO', asset: 'USDC', minutes: 3, by: 'Ann Otieno' },
    ]);
    await on('CELO', 'USDC');
    await page();
    expect(scene.lines).toHaveLength(1);
  });
});

function usdt(): string {
  return '0x48065fbBE25f71C9282ddf5e1cD6D6A887483D5e';
}
