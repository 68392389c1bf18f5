import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { WakeSignal } from '@vuka/runtime';

import { StaleClaims } from '../alerts/stale-claims.js';
import { CreditUnapplied } from '../claim-work/credit-unapplied.js';
import { CheckFixture, NOW, usdcOn } from '../testing/check-fixture.spec-support.js';
import { found, hashOf } from '../testing/offramp.spec-support.js';
import { SwitchStore } from './switch.store.js';
import { Switches } from './switches.js';

const DAY_MS = 24 * 3_600_000;

let fixture: CheckFixture;
let store: SwitchStore;

beforeAll(async () => {
  fixture = await CheckFixture.open();
}, 60_000);
afterAll(() => fixture.close());
beforeEach(async () => {
  await fixture.reset();
  store = new SwitchStore(fixture.db);
});

const off = (chain: string, asset: string | null = null) =>
  store.switchOff({
    chain,
    asset,
    reason: 'endpoints tell different chains',
    offBy: 'Ann Otieno',
    offSince: fixture.clock.now(),
  });
const on = (chain: string, asset: string | null = null) =>
  store.switchOn({ chain, asset }, { by: 'Ben Mwangi', why: 'they agree again', at: fixture.clock.now() });
const states = async () => (await fixture.states()).map(({ id, state }) => [id, state]);

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
    await fixture.addresses.ofPartner(1, 'evm');
    fixture.reader('CELO').says(hashOf(1), fixture.enoughOn('CELO'));
    await off('CELO');
    await fixture.take({ transactionId: 1 });
    await fixture.take({ transactionId: 2, chain: 'CELO' });
    for (const ms of [0, 60_000, DAY_MS, DAY_MS]) {
      fixture.clock.advance(ms);
      await fixture.round(fixture.checker());
    }
    expect([await states(), fixture.reader('CELO').reads, await fixture.kinds()]).toEqual([
      [
        [1, 'open'],
        [2, 'open'],
      ],
      [],
      [],
    ]);
    expect(await fixture.watch.troubledSince(fixture.clock.now())).toMatchObject([
      { chain: 'CELO', count: 2, trouble: 'CELO is switched off: endpoints tell different chains' },
    ]);
    await on('CELO');
    fixture.clock.advance(DAY_MS);
    await fixture.round(fixture.checker());
    expect(await states()).toEqual([
      [1, 'verified'],
      [2, 'unusable'],
    ]);
  });

  it('keeps no other chain waiting', async () => {
    await fixture.addresses.ofPartner(1, 'evm');
    await off('CELO');
    fixture.reader('BNB').says(hashOf(1), fixture.enoughOn('BNB'));
    await fixture.take({ transactionId: 1, chain: 'BNB' });
    await fixture.round(fixture.checker());
    expect(await states()).toEqual([[1, 'verified']]);
  });
});

describe('a claim whose token is switched off', () => {
  it('waits whether it was named or found, while other tokens of the chain are paid out', async () => {
    await fixture.addresses.ofPartner(1, 'evm');
    await off('CELO', 'USDC');
    const other = { token: usdt(), value: 10n ** 7n };
    fixture.reader().says(hashOf(2), fixture.enoughOn('CELO'));
    fixture.reader().says(hashOf(3), found({ at: NOW, transfers: [other] }));
    fixture.reader().says(hashOf(4), found({ at: NOW, transfers: [other, { token: usdcOn('CELO'), value: 1n }] }));
    await fixture.take({ transactionId: 1, asset: 'USDC' });
    for (const transactionId of [2, 3, 4]) await fixture.take({ transactionId });
    await fixture.round(fixture.checker());
    expect(await states()).toEqual([
      [1, 'open'],
      [2, 'open'],
      [3, 'verified'],
      [4, 'open'],
    ]);
    await on('CELO', 'USDC');
    fixture.clock.advance(60_000);
    await fixture.round(fixture.checker());
    expect(await states()).toEqual([
      [1, 'open'],
      [2, 'verified'],
      [3, 'verified'],
      [4, 'verified'],
    ]);
  });

  it('goes to no wallet either', async () => {
    await fixture.addresses.ofPartner(1, 'evm');
    fixture.reader().says(hashOf(1), found({ at: NOW, transfers: [{ token: usdcOn('CELO'), value: 1_000_000n }] }));
    await fixture.take({ transactionId: 1 });
    await fixture.round(fixture.checker());
    expect(await fixture.kinds()).toEqual(['deposit.unapplied 1_1']);
    const credit = () =>
      new CreditUnapplied(
        fixture.db,
        fixture.rates,
        new Switches(store, fixture.clock),
        new WakeSignal(),
        fixture.clock,
      ).tick();
    await off('CELO', 'USDC');
    await credit();
    expect(await fixture.kinds()).toHaveLength(1);
    await on('CELO', 'USDC');
    await credit();
    expect(await fixture.kinds()).toEqual(['deposit.unapplied 1_1', 'deposit.credited 1_2']);
  });
});

describe('people', () => {
  it('are told for as long as something is off', async () => {
    const page = () =>
      new StaleClaims(
        fixture.watch,
        new Switches(store, fixture.clock),
        new Set(['CELO']),
        fixture.clock,
        fixture.log,
      ).run();
    await off('CELO', 'USDC');
    fixture.clock.advance(180_000);
    await page();
    expect(fixture.lines).toMatchObject([
      { code: 'switched_off', chain: 'CELO', asset: 'USDC', minutes: 3, by: 'Ann Otieno' },
    ]);
    await on('CELO', 'USDC');
    await page();
    expect(fixture.lines).toHaveLength(1);
  });
});

function usdt(): string {
  return '0x48065fbBE25f71C9282ddf5e1cD6D6A887483D5e';
}
