import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { until } from '@vuka/testing';

import { hashOf, reverted } from '../testing/offramp.spec-support.js';
import { ClaimFixture, NOW, TEN, USDC, WITHIN } from './claim-fixture.spec-support.js';

const TREASURY = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';

const fixture = new ClaimFixture();
const { start, addressed, claim, claimRow, ended, checked, deposits, told, dataOf, checkAgain, arrives } = fixture;

beforeAll(() => fixture.open(), 60_000);
afterAll(() => fixture.close());
beforeEach(() => fixture.begin());
afterEach(() => fixture.end());

describe('no value for us', () => {
  it('is unusable once final: a transfer of something else, or to somebody else', async () => {
    await start();
    await addressed();
    arrives(1, []);
    arrives(2, [{ token: '0x59D9356E565Ab3A36dD77763Fc0d87fEaf85508C', value: TEN }]);
    for (const transactionId of [1, 2]) await claim({ transactionId });
    for (const id of [1, 2])
      expect(await ended(id)).toMatchObject({ state: 'unusable', reason: 'no_matching_transfer' });
    expect(await dataOf('deposit.unusable')).toMatchObject({ reason: 'no_matching_transfer', releases_claim: false });
    expect(await deposits()).toEqual([]);
  });

  it('is a transfer between addresses of ours', async () => {
    await start();
    await addressed(1);
    const from = await addressed(2);
    arrives(1, [{ token: USDC, value: TEN, from }]);
    await claim({ transactionId: 1 });
    expect(await ended(1)).toMatchObject({ state: 'unusable', reason: 'no_matching_transfer' });
  });

  it('is a transfer from an address that is listed as ours, such as the treasury', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'own-'));
    const ownAddressesFile = join(folder, 'own.json');
    await writeFile(ownAddressesFile, JSON.stringify([TREASURY.toLowerCase()]));
    await start({ ownAddressesFile });
    await rm(folder, { recursive: true });
    await addressed();
    arrives(1, [{ token: USDC, value: TEN, from: TREASURY }]);
    arrives(2, [
      { token: USDC, value: TEN, from: TREASURY },
      { token: USDC, value: TEN },
    ]);
    for (const transactionId of [1, 2]) await claim({ transactionId });
    expect(await ended(1)).toMatchObject({ state: 'unusable', reason: 'no_matching_transfer' });
    expect(await ended(2)).toMatchObject({ state: 'verified' });
    expect(await deposits()).toMatchObject([{ claim: '2', received: String(TEN) }]);
  });

  it('is a transaction that was reverted', async () => {
    await start();
    fixture.chains['CELO']?.says(hashOf(1), reverted(fixture.clock.now()));
    await claim({ transactionId: 1 });
    expect(await ended(1)).toMatchObject({ state: 'unusable', reason: 'transfer_failed' });
  });

  it('is a hash that was not found by the deadline, and no moment before; it is released', async () => {
    await start();
    await claim({ transactionId: 1 });
    await checked(1, 1);
    fixture.clock.set(new Date(NOW.getTime() + 45 * 60_000 - 1));
    await fixture.jobs.wake('offramp.check-deposits');
    await checked(1, 2);
    expect(await told()).toEqual([]);
    await checkAgain();
    expect(await ended(1)).toMatchObject({ state: 'unusable', reason: 'no_matching_transfer' });
    expect(await dataOf('deposit.unusable')).toMatchObject({ releases_claim: true });
  });

  it('is what was not final by the deadline; it is released, and may be claimed again', async () => {
    await start();
    await addressed();
    arrives(1, [{ token: USDC, value: TEN }], { isYoung: true });
    await claim({ transactionId: 1 });
    await until(async () => (await claimRow(1))?.state === 'seen', WITHIN);
    fixture.clock.advance(45 * 60_000);
    await fixture.jobs.wake('offramp.check-deposits');
    expect(await ended(1)).toMatchObject({ reason: 'transfer_not_final' });
    expect(await dataOf('deposit.unusable')).toMatchObject({ releases_claim: true });
    arrives(1, [{ token: USDC, value: TEN }], { at: NOW });
    await fixture.jobs.wake('offramp.refresh-rates');
    await claim({ transactionId: 2, transaction_hash: hashOf(1) });
    expect(await ended(2)).toMatchObject({ state: 'verified' });
  });
});
