import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CURRENCIES, type SightedTransfer } from '@vuka/domain';
import { until } from '@vuka/testing';

import { SANDBOX_SCREENED } from '../screening/screening.js';
import { type ClaimFacts, hashOf } from '../testing/offramp.spec-support.js';
import { ClaimFixture, NOW, TEN, USDC, USDT, WITHIN } from './claim-fixture.spec-support.js';

const fixture = new ClaimFixture();
const { start, addressed, claim, claimRow, ended, checked, deposits, told, kinds, dataOf, checkAgain, arrives } =
  fixture;

beforeAll(() => fixture.open(), 60_000);
afterAll(() => fixture.close());
beforeEach(() => fixture.begin());
afterEach(() => fixture.end());

describe('a deposit that is final and covers the amount', () => {
  it('is verified, at the rate that was frozen when the claim came, and consumed', async () => {
    await start();
    const address = await addressed();
    arrives(1, [{ token: USDC, value: TEN }]);
    await claim({ transactionId: 1 });
    const { rate } = await ended(1);
    expect(await deposits()).toEqual([
      { asset: 'USDC@CELO', state: 'consumed', received: '10000000', claim: '1', hit: false },
    ]);
    expect(await kinds()).toEqual(['deposit.verified 1_1']);
    expect(await dataOf('deposit.verified')).toMatchObject({
      claim_id: 1,
      partner_id: 1,
      rate,
      quote_passed_over: null,
      screening_hit: false,
      also: [],
      deposit: {
        chain: 'CELO',
        asset: 'USDC@CELO',
        decimals: 6,
        received_minor: '10000000',
        transaction_hash: hashOf(1),
        block_number: 100,
        block_time: NOW.toISOString(),
      },
    });
    expect(Number(rate)).toBeCloseTo(Number(CURRENCIES.KES.sandboxRate) * 0.99, 5);
    expect(fixture.chains['CELO']?.reads).toEqual([{ transactionId: hashOf(1), address }]);
  });

  it('is told as seen once while it is not final, however often it is looked at', async () => {
    await start();
    await addressed();
    arrives(1, [{ token: USDC, value: TEN }], { isYoung: true });
    await claim({ transactionId: 1 });
    await until(async () => (await claimRow(1))?.state === 'seen', WITHIN);
    await checkAgain();
    await checked(1, 2);
    arrives(1, [{ token: USDC, value: TEN }]);
    await checkAgain();
    await ended(1);
    expect(await kinds()).toEqual(['deposit.seen 1_1', 'deposit.verified 1_2']);
  });

  it('is stored with the other transfers beside it, which stay unused', async () => {
    await start();
    await addressed();
    arrives(1, [
      { token: USDT, value: 3n * TEN },
      { token: USDC, value: TEN },
    ]);
    await claim({ transactionId: 1, asset: 'USDC' });
    await ended(1);
    expect(await deposits()).toMatchObject([
      { asset: 'USDC@CELO', state: 'consumed' },
      { asset: 'USDT@CELO', state: 'unapplied' },
    ]);
    expect(await dataOf('deposit.verified')).toMatchObject({
      deposit: { asset: 'USDC@CELO' },
      also: [{ asset: 'USDT@CELO', received_minor: '30000000' }],
    });
  });

  it('from a listed sender waits for a person', async () => {
    await start();
    await addressed();
    arrives(1, [{ token: USDC, value: TEN, from: SANDBOX_SCREENED }]);
    await claim({ transactionId: 1 });
    await ended(1);
    expect(await dataOf('deposit.verified')).toMatchObject({ screening_hit: true });
    expect(await deposits()).toMatchObject([{ state: 'consumed', hit: true }]);
  });
});

describe('value that cannot be used', () => {
  it.each<[string, Partial<ClaimFacts>, () => Partial<SightedTransfer>[], number]>([
    ['underpaid', {}, () => [{ token: USDC, value: 5_000_000n }], 0],
    ['wrong_asset', { asset: 'USDC' }, () => [{ token: USDT, value: TEN }], 0],
    ['deposit_late', {}, () => [{ token: USDC, value: TEN }], -25 * 3_600_000],
  ])('waits as unapplied: %s', async (reason, facts, transfers, olderMs) => {
    await start();
    await addressed();
    arrives(1, transfers(), { at: new Date(fixture.clock.now().getTime() + olderMs) });
    await claim({ transactionId: 1, ...facts });
    expect(await ended(1)).toMatchObject({ state: 'unapplied', reason });
    expect(await kinds()).toEqual(['deposit.unapplied 1_1']);
    expect(await dataOf('deposit.unapplied')).toMatchObject({
      reason,
      also: [],
      deposit: { received_minor: String(transfers()[0]?.value) },
    });
    expect((await deposits()).map(({ state }) => state)).toEqual(['unapplied']);
  });

  it('goes to the wallet at the rate of the day where that is the policy, except what screening has marked', async () => {
    await start({ unapplied: 'wallet' });
    await addressed();
    arrives(1, [
      { token: USDC, value: 5_000_000n },
      { token: USDT, value: 1_000_000n },
    ]);
    arrives(2, [{ token: USDC, value: 5_000_000n, from: SANDBOX_SCREENED }]);
    await claim({ transactionId: 1 });
    await claim({ transactionId: 2 });
    await until(async () => (await told()).length >= 4, WITHIN);
    expect((await kinds()).filter((kind) => kind.includes(' 1_'))).toEqual([
      'deposit.unapplied 1_1',
      'deposit.credited 1_2',
      'deposit.credited 1_3',
    ]);
    expect(await deposits()).toMatchObject([
      { state: 'credited' },
      { state: 'credited' },
      { state: 'unapplied', hit: true },
    ]);
    expect(await dataOf('deposit.credited')).toMatchObject({
      claim_id: 1,
      partner_id: 1,
      currency: 'KES',
      deposit: { asset: 'USDC@CELO', received_minor: '5000000' },
    });
  });
});

describe('an address that money may be sent back to', () => {
  it('is never ours, and never a token', async () => {
    await start();
    const ours = await addressed();
    const theirs = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
    const check = (address: string, chain = 'CELO') =>
      fixture.offramp.handlers.checkRefundAddress({ chain, address }, { requestId: 'r', deadlineAt: 0 } as never);
    expect(await check(theirs.toLowerCase())).toEqual({ ok: true, value: { address: theirs } });
    for (const [address, chain] of [
      [ours, 'CELO'],
      [ours.toLowerCase(), 'BNB'],
      [USDC, 'CELO'],
      [`0x${'0'.repeat(40)}`, 'CELO'],
      ['somewhere', 'CELO'],
    ] as const) {
      expect(await check(address, chain)).toMatchObject({ ok: false, error: { code: 'invalid_request' } });
    }
    expect(await check(theirs, 'BASE')).toMatchObject({ ok: false, error: { code: 'service_unavailable' } });
  });
});

it('a chain that never answers does not delay the stop', async () => {
  await start();
  await addressed();
  fixture.chains['CELO']?.says(hashOf(1), () => new Promise(() => undefined));
  await claim({ transactionId: 1 });
  await until(() => fixture.chains['CELO']?.reads.length === 1, WITHIN);
  const stoppedAt = performance.now();
  await fixture.offramp.stop();
  expect(performance.now() - stoppedAt).toBeLessThan(4_500);
  expect(fixture.chains['CELO']?.isClosed).toBe(true);
}, 10_000);
