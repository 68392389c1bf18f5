import { randomBytes } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AdminSession, key, ledgerCheck, FIXTURE_WITHIN_MS, SCREENED_SENDER, until } from '@vuka/testing';

import { transferData } from './chain-driver.spec-support.js';
import { overtakenTrack, REFUND_WAITS } from './pay-overtaken.spec-support.js';
import { openPayFixture, type PayFixture } from './pay-fixture.spec-support.js';
import { expectRefused, KES_RATE, Pays } from './pays.spec-support.js';
import { sideBySide } from './side-by-side.spec-support.js';
import { describeVerdicts, type Verdict } from './verdicts.spec-support.js';

/** How long a transfer is searched for here; in a deployment half an hour or more. */
const SEARCH_MS = 8_000;
const GIVEN_UP_WITHIN_MS = 60_000;
const NOBODY = '0x1111111111111111111111111111111111111111';
const FAKE = '0x4444444444444444444444444444444444444444';

let fixture: PayFixture;
let pays: Pays;
let team: AdminSession;
const cleared = new Set<string>();

beforeAll(async () => {
  fixture = await openPayFixture({
    chains: ['CELO', 'BNB', 'BASE', 'AVALANCHE'],
    env: { VUKA_TEST_SEARCH_MS: String(SEARCH_MS), ...REFUND_WAITS },
  });
  pays = new Pays(fixture);
  team = new AdminSession(fixture.vuka);
}, FIXTURE_WITHIN_MS);

afterAll(async () => {
  await team.end();
  await fixture.end();
}, 60_000);

const nothing = { end: ['FAILED', 'no_matching_transfer'], message: /No matching transfer/ } as const;
const underpaid = {
  end: ['FAILED', 'underpaid'],
  message: /mismatch equivalent amount in USD/,
  row: { rate: KES_RATE, asset: 'USDC' },
} as const;
const paid = { end: ['COMPLETE', ''] } as const;
const asUsdt = { asset: 'USDT', chain: 'BNB' };

/** 1,000.00 is 7.809054 tokens of six decimals; 0.01 token may be missing. */
const VERDICTS: readonly Verdict[] = [
  { what: 'too little', send: () => pays.deposit('7'), ...underpaid },
  { what: 'one unit less than may be missing', send: () => pays.deposit('7.799053'), ...underpaid },
  { what: 'as little as may be missing: the rest is ours', send: () => pays.deposit('7.799054'), ...paid, brought: 0n },
  {
    what: 'that, of which the markup pays for what is missing',
    send: () => pays.deposit('7.799054'),
    body: { fee: '30' },
    ...paid,
    brought: 2_871n,
  },
  {
    what: 'the amount, to the unit',
    send: () => pays.deposit('7.809054'),
    body: { asset: 'USDC' },
    ...paid,
    brought: 0n,
  },
  { what: 'more', send: () => pays.deposit('9'), ...paid, brought: 15_250n },
  { what: 'dust', send: () => pays.deposit('0.000001'), ...underpaid },
  { what: 'a transfer of nothing', send: () => pays.deposit('0'), ...nothing },
  {
    what: 'another token than was named',
    send: () => pays.deposit('9', { asset: 'USDT' }),
    body: { asset: 'USDC' },
    end: ['FAILED', 'wrong_asset'],
    message: /asset/,
    row: { asset: 'USDT' },
  },
  { what: 'a token that only has the name', send: sendFake, ...nothing },
  {
    what: 'a token that is known for being taken for another',
    send: () => pays.deposit('9', { asset: 'USDM' }),
    ...nothing,
  },
  {
    what: 'a transfer to somebody else',
    send: () => pays.celo.transfer({ asset: 'USDC', amount: '9', to: NOBODY }),
    ...nothing,
  },
  {
    what: 'a transaction that failed on the chain',
    send: async () => pays.celo.failingTransfer('USDC', await fixture.one.settlementAddress('CELO')),
    end: ['FAILED', 'transfer_failed'],
    message: /failed on the chain/,
  },
  {
    what: 'eighteen decimals, each of which counts',
    send: () => pays.deposit('8.500000000000000001', asUsdt),
    body: { chain: 'BNB' },
    ...paid,
    brought: 8_848n,
    row: { asset: 'USDT', chain: 'BNB' },
  },
  {
    what: 'eighteen decimals, one unit less than may be missing',
    send: () => pays.deposit('7.799053035183688450', asUsdt),
    body: { chain: 'BSC' },
    ...underpaid,
    row: { asset: 'USDT' },
  },
  {
    what: 'more than it will ever be asked for',
    send: () => pays.deposit('123456789012.123456789012345678', asUsdt),
    body: { chain: 'BINANCE' },
    ...paid,
    brought: 1_580_944_430_213_098n - 100_000n,
  },
  {
    what: 'enough, for somebody who is not there: all of it to the wallet',
    send: () => pays.deposit('8'),
    body: { number: '0000', fee: '10' },
    end: ['FAILED', 'recipient_not_found'],
    brought: 102_445n,
    row: { refund: '' },
  },
  {
    what: 'enough, for a payout that fails: all of it back on the chain',
    send: () => pays.deposit('8'),
    body: { number: '0001', refund_address: NOBODY },
    end: ['FAILED', 'rail_rejected'],
    brought: 0n,
    row: { refund: 'PENDING' },
  },
  {
    what: 'less than the amount, for a payout that fails: what came, and not what we added',
    send: () => pays.deposit('7.8'),
    body: { number: '0001' },
    end: ['FAILED', 'rail_rejected'],
    brought: 99_884n,
  },
  {
    what: 'enough, for a payout that comes back',
    send: () => pays.deposit('8'),
    body: { number: '0005', fee: '10' },
    end: ['REVERSED', ''],
    brought: 102_445n,
  },
];

/** A contract that calls itself USDC, at an unknown address. */
async function sendFake(): Promise<string> {
  const hash = await pays.celo.transfer({ asset: FAKE, amount: '9', to: await fixture.one.settlementAddress('CELO') });
  await pays.celo.ask(
    'anvil_setStorageAt',
    FAKE,
    `0x${'4'.padStart(64, '0')}`,
    `0x${Buffer.from('USDC').toString('hex').padEnd(62, '0')}08`,
  );
  // symbol()
  expect(String(await pays.celo.ask('eth_call', { to: FAKE, data: '0x95d89b41' }, 'latest'))).toContain(
    Buffer.from('USDC').toString('hex'),
  );
  return hash;
}

describeVerdicts('a deposit of', VERDICTS, () => fixture);

/** Slow tests, in order per chain, with the chains in parallel. */
sideBySide(
  'money',
  [
    {
      'that vanishes from its chain before it is final pays nothing, and its partner may claim it anew': vanishes,
      'whose transfer is in a block 30 s after its quote has expired is paid by the quote': () =>
        quoted(30, countsStill),
      'whose transfer is in a block later is not: the rate of the day is used, and that is said': () =>
        quoted(331, countsNoMore),
      'of the day before yesterday pays nothing by itself; its value is kept': isOld,
    },
    {
      'of a sender on the list waits for people, and is paid when two of them have cleared it': isScreened,
      'whose transfer is not there yet is looked for, given up, and may be claimed again once it is there': comesLate,
      'on a chain that people have switched off waits where it came before, past any deadline, and no new pay is taken; on again, it is paid':
        isSwitchedOff,
    },
    {
      'that nothing stands on is seen, given up, and may be claimed again once it is final': staysYoung,
      ...overtakenTrack(() => fixture),
    },
    { 'of two transactions with one number is paid where it is in a block, and only there': isReplaced },
  ],
  2 * GIVEN_UP_WITHIN_MS,
);

const givenUp = { failure_code: 'no_matching_transfer', rate: '', receipt_number: null };

async function isScreened(): Promise<void> {
  const code = await pays.claim(await pays.deposit('8', { from: SCREENED_SENDER, chain: 'BASE' }), { chain: 'BASE' });
  const isHeld = async () => {
    const row = await fixture.one.status(code);
    return row !== null && /review/i.test(String(row.message)) && row;
  };
  expect(await until(isHeld, { withinMs: GIVEN_UP_WITHIN_MS, what: 'it waits for people' })).toMatchObject({
    status: 'PROCESSING',
    receipt_number: null,
  });
  const { settlement } = await team.tell<{ settlement: { id: number } }>(
    'clear',
    code,
    '--evidence',
    'name alike only, ticket 77',
    '--by',
    'Ann Otieno',
  );
  expect(await fixture.one.status(code)).toMatchObject({ status: 'PROCESSING' });
  await team.tell('approve', String(settlement.id), '--by', 'Ben Mwangi');
  cleared.add(key({ partner: fixture.one.partner.id, code }));
  await pays.ended(code, 'COMPLETE');
}

async function vanishes(): Promise<void> {
  const chain = fixture.chain('AVALANCHE');
  await chain.stall(true);
  const hash = await pays.deposit('8', { chain: 'AVALANCHE' });
  await chain.mine(1);
  const code = await pays.claim(hash, { chain: 'AVALANCHE' });
  expect(await pays.ended(code, 'PROCESSING')).toMatchObject({ message: expect.stringMatching(/confirmed/) });
  await chain.reorg(1);
  expect(await chain.ask('eth_getTransactionReceipt', hash)).toBeNull();
  expect(await pays.ended(code, 'FAILED', fixture.one, GIVEN_UP_WITHIN_MS)).toMatchObject(givenUp);
  expect(fixture.receiver.of(code).map(({ event }) => event)).toEqual(['transaction.processing', 'transaction.failed']);
  await chain.stall(false);
  await pays.ended(
    await pays.claim(await pays.deposit('8', { chain: 'AVALANCHE' }), { chain: 'AVALANCHE' }),
    'COMPLETE',
  );
}

async function comesLate(): Promise<void> {
  const chain = fixture.chain('BASE');
  await chain.stall(true);
  const hash = await pays.deposit('8', { chain: 'BASE' });
  const code = await pays.claim(hash, { chain: 'BASE' });
  expect(expectRefused(await pays.ask(hash, { chain: 'BASE' }), 409, 'hash_already_processed')).toContain(code);
  expect(await pays.ended(code, 'FAILED', fixture.one, GIVEN_UP_WITHIN_MS)).toMatchObject(givenUp);
  expect(fixture.receiver.of(code).map(({ event }) => event)).toEqual(['transaction.failed']);
  await chain.stall(false);
  await chain.included(hash);
  await chain.mineToFinality();
  await pays.ended(await pays.claim(hash, { chain: 'BASE' }), 'COMPLETE');
  expect(await fixture.one.status(code)).toMatchObject({ status: 'FAILED' });
}

async function staysYoung(): Promise<void> {
  const chain = fixture.chain('CELO');
  await chain.stall(true);
  const hash = await pays.deposit('8');
  await chain.mine(11);
  const code = await pays.claim(hash);
  await pays.ended(code, 'PROCESSING');
  expect(await pays.ended(code, 'FAILED', fixture.one, GIVEN_UP_WITHIN_MS)).toMatchObject({
    ...givenUp,
    failure_code: 'transfer_not_final',
    message: expect.stringMatching(/did not become final/),
  });
  await chain.mine(2);
  await chain.stall(false);
  await pays.ended(await pays.claim(hash), 'COMPLETE');
}

async function isReplaced(): Promise<void> {
  const chain = fixture.chain('BNB');
  const [to, from] = [await fixture.one.settlementAddress('BNB'), await chain.newSender()];
  await chain.transfer({ asset: 'USDT', amount: '8', to: from });
  await chain.stall(true);
  const send = (tokens: bigint, gwei: bigint): Promise<string> => {
    const price = `0x${(gwei * 10n ** 9n).toString(16)}`;
    return chain.sendTransaction({
      from,
      to: chain.addressOf('USDT'),
      nonce: '0x0',
      data: transferData(to, tokens * 10n ** 17n),
      maxFeePerGas: price,
      maxPriorityFeePerGas: price,
    });
  };
  const [dropped, kept] = [await send(80n, 2n), await send(79n, 100n)];
  const codes = [await pays.claim(dropped, { chain: 'BNB' }), await pays.claim(kept, { chain: 'BNB' })] as const;
  await chain.stall(false);
  await chain.included(kept);
  await chain.mineToFinality();
  await pays.ended(codes[1], 'COMPLETE');
  expect(await pays.ended(codes[0], 'FAILED', fixture.one, GIVEN_UP_WITHIN_MS)).toMatchObject(givenUp);
}

/** `seconds`: the block's time after the quote's end. */
async function quoted(seconds: number, judged: (code: string, quoteId: string) => Promise<void>): Promise<void> {
  const chain = fixture.chain('AVALANCHE');
  const { quote_id: quoteId, expires_at: end } = await fixture.one.quote('KES', {
    amount: 1000,
    chain: 'AVALANCHE',
    asset: 'USDC',
  });
  await chain.stall(true);
  const hash = await pays.deposit('8', { chain: 'AVALANCHE' });
  await chain.ask('evm_setNextBlockTimestamp', Math.floor(Date.parse(end) / 1_000) + seconds);
  await chain.mine(1);
  await chain.stall(false);
  await chain.mine(20);
  // A cached head is used for half a second; with it the first check would find the transfer too young.
  const height = await chain.height();
  await until(async () => (await chain.height()) >= height + 2, {
    withinMs: 60_000,
    what: 'the chain has gone on for a second',
    everyMs: 100,
  });
  await judged(await pays.claim(hash, { chain: 'AVALANCHE', quote_id: quoteId }), quoteId);
}

async function countsStill(code: string, quoteId: string): Promise<void> {
  const row = await pays.ended(code, 'COMPLETE');
  expect(row['quote_id']).toBe(quoteId);
  expect(fixture.receiver.of(code).some(({ payload }) => /quote had expired/.test(payload.message))).toBe(false);
}

async function countsNoMore(code: string): Promise<void> {
  await pays.ended(code, 'COMPLETE');
  expect(fixture.receiver.of(code).map(({ payload }) => payload.message)).toContainEqual(
    expect.stringMatching(/quote had expired: the current rate is used/),
  );
}

async function isOld(): Promise<void> {
  const chain = fixture.chain('AVALANCHE');
  await chain.stall(true);
  const hash = await pays.deposit('8', { chain: 'AVALANCHE' });
  await chain.ask('evm_setTime', Math.floor(Date.now() / 1_000) - 26 * 3_600);
  await chain.mine(1);
  await chain.ask('evm_setTime', Math.floor(Date.now() / 1_000));
  await chain.mineToFinality();
  await chain.stall(false);
  const code = await pays.claim(hash, { chain: 'AVALANCHE' });
  expect(await pays.ended(code, 'FAILED')).toMatchObject({
    failure_code: 'deposit_late',
    message: expect.stringMatching(/after the deadline/),
    asset: 'USDC',
  });
  expect(await pays.brought(code)).toBe(0n);
}

async function isSwitchedOff(): Promise<void> {
  const switched = (how: 'on' | 'off'): Promise<unknown> =>
    team.tell(`switch-${how}`, 'BASE', '--reason', 'its endpoints disagree', '--by', 'Ann Otieno');
  const chain = fixture.chain('BASE');
  await chain.stall(true);
  const hash = await pays.deposit('8', { chain: 'BASE' });
  await chain.mine(1);
  const code = await pays.claim(hash, { chain: 'BASE' });
  await pays.ended(code, 'PROCESSING');
  await switched('off');
  await until(async () => (await fixture.one.settlementAddress('BASE')) === '', {
    withinMs: 60_000,
    what: 'nobody is told where to send there',
  });
  await chain.mineToFinality();
  const refused = await until(
    async () => {
      const answer = await pays.ask(`0x${randomBytes(32).toString('hex')}`, { chain: 'BASE' });
      return answer.status !== 200 && answer;
    },
    { withinMs: 60_000, what: 'no pay is taken there', everyMs: 500 },
  );
  expect(expectRefused(refused, 503, 'service_unavailable')).toMatch(/^BASE is not served at the moment/);
  expect(await fixture.one.status(code)).toMatchObject({ status: 'PROCESSING' });
  await switched('on');
  await chain.stall(false);
  await pays.ended(code, 'COMPLETE');
}

describe('seen from outside', () => {
  it('each deposit is in one place, to the cent, and the ledger agrees', async () => {
    const { incomingTransfers } = await fixture.checker.expectSound({
      everyWebhook: true,
      cleared,
      movedClocks: new Set(['AVALANCHE']),
    });
    expect(incomingTransfers).toBeGreaterThan(20);
    expect(await ledgerCheck(fixture.vuka)).toEqual({
      code: 0,
      output: expect.stringMatching(/The ledger is sound\./),
    });
  }, 240_000);
});
