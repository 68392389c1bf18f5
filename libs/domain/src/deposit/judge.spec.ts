import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { readGolden } from '../machine/golden.spec-support.js';
import { judgeDeposit, type DepositClaim } from './judge.js';
import {
  accepted,
  at,
  CLAIM,
  evm,
  FINAL,
  found,
  HOUR_MS,
  inBlock,
  look,
  minor,
  NOT_FINAL,
  NOW,
  OURS,
  STRANGER,
  transfer,
  UNKNOWN_CONTRACT,
  verdictText,
} from './judge.spec-support.js';
import type { SightedTransfer, Sighting } from './sighting.js';
import { money } from '../money/money.js';

const CELO = evm('CELO');
const USDC = accepted(CELO, 'USDC');
const [looks = [], incomingTransfers = [], times = [], exposures = [], amounts = [], acceptances = []] = readGolden(
  'judgement.md',
  join(import.meta.dirname, 'golden'),
);

const usdc = (text: string): SightedTransfer => transfer(USDC.address, minor(text, 6));

const SIGHTINGS: Readonly<Record<string, Sighting>> = {
  trouble: { kind: 'trouble', reason: 'endpoints disagree' },
  'not found': { kind: 'not_found' },
  'failed and not final': { kind: 'failed', ...inBlock(NOT_FINAL) },
  'failed and final': { kind: 'failed', ...inBlock(FINAL) },
  'nothing for us and not final': found([], NOT_FINAL),
  'nothing for us and final': found([]),
  'enough and not final': found([usdc('10')], NOT_FINAL),
  'enough and final': found([usdc('10')]),
  'too little and not final': found([usdc('1')], NOT_FINAL),
  'too little and final': found([usdc('1')]),
};

/** `10 USDC of ours + 1 CUSD` */
function arrived(text: string): SightedTransfer[] {
  return text.split(' + ').map((part, ordinal) => {
    const [, amount = '', symbol = '', ours] = /^(\S+) (\S+)( of ours)?$/.exec(part) ?? [];
    const from = ours === undefined ? STRANGER : OURS.toLowerCase();
    const token = [...CELO.tokens, ...CELO.lookalikes.map((one) => ({ ...one, decimals: 18 }))].find(
      (one) => one.symbol === symbol,
    );
    if (token === undefined && symbol !== 'unknown') throw new Error(`no ${symbol}`);
    return transfer(token?.address ?? UNKNOWN_CONTRACT, minor(amount, token?.decimals ?? 6), from, ordinal);
  });
}

const EXPIRES = at(-600_000);
const quoteOf = (rate: string): DepositClaim['quote'] => ({ asset: 'USDC', rate, expiresAt: EXPIRES });
const QUOTES: Readonly<Record<string, DepositClaim['quote']>> = {
  'no quote': null,
  'quote of 20': quoteOf('64.675'),
  'quote of 5': quoteOf('258.7'),
};
const ADDRESS_SINCE = at(-2 * HOUR_MS);
const BLOCK_TIMES: Readonly<Record<string, { readonly time: Date; readonly addressSince?: Date }>> = {
  '24 hours before the claim': { time: at(-24 * HOUR_MS) },
  'a millisecond earlier': { time: at(-24 * HOUR_MS - 1) },
  '5 minutes before the address': { time: at(-2 * HOUR_MS - 300_000), addressSince: ADDRESS_SINCE },
  'a millisecond before those': { time: at(-2 * HOUR_MS - 300_001), addressSince: ADDRESS_SINCE },
  "a millisecond before the quote's first": { time: at(-600_000 - 330_001) },
  '30 seconds before the quote was given': { time: at(-600_000 - 330_000) },
  'at the expiry': { time: EXPIRES },
  '30 seconds after the expiry': { time: at(-570_000) },
  'a millisecond after those': { time: at(-569_999) },
};

const QUOTE_OF_20: DepositClaim['quote'] = { asset: 'USDC', rate: '20', expiresAt: NOW };
/** Milliseconds after the expiry. */
const ACCEPTED: Readonly<Record<string, number>> = {
  '4 minutes before the expiry': -240_000,
  '30 seconds after': 30_000,
  '31 seconds after': 31_000,
  '30 minutes after': 1_800_000,
  '30 minutes and a millisecond after': 1_800_001,
};
const IN_BLOCK: Readonly<Record<string, number>> = {
  'block 60 seconds before the expiry': -60_000,
  'block at the expiry and 30 seconds': 30_000,
  'block at the expiry and 31 seconds': 31_000,
  'block 10 minutes before the expiry': -600_000,
};

describe('judgeDeposit and its golden copy, cell by cell', () => {
  it('is whole', () => {
    expect([
      looks.length,
      incomingTransfers.length,
      times.length,
      exposures.length,
      amounts.length,
      acceptances.length,
    ]).toEqual([20, 60, 27, 16, 14, 20]);
    expect(new Set(looks.map(([row]) => row))).toEqual(new Set(Object.keys(SIGHTINGS)));
    expect(new Set(times.map(([row]) => row))).toEqual(new Set(Object.keys(BLOCK_TIMES)));
  });

  it.each(looks)('%s, %s: %s', (row, when, verdict) => {
    const sighting = SIGHTINGS[row];
    if (sighting === undefined) throw new Error(row);
    const now = { 'before the deadline': new Date(CLAIM.deadline.getTime() - 1), 'at the deadline': CLAIM.deadline }[
      when
    ];
    expect(verdictText(judgeDeposit(look(sighting, { ...(now && { now }) })))).toBe(verdict);
  });

  it.each(incomingTransfers)('%s, the claim %s: %s', (row, names, verdict) => {
    const asset = names === 'names none' ? null : names.replace('names ', '');
    expect(verdictText(judgeDeposit(look(found(arrived(row)), { asset })))).toBe(verdict);
  });

  it.each(exposures)('%s open, %s: %s', (open, when, verdict) => {
    const openCents = { nothing: 0n, '90 dollars': 90_00n, '90 dollars and a cent': 90_01n, '1000 dollars': 1_000_00n }[
      open
    ];
    const heights = {
      '11 blocks on top': [11, -1],
      '12 on top': [12, -1],
      finalized: [12, 0],
      '12 on top at the deadline': [12, -1],
    }[when];
    if (openCents === undefined || heights === undefined) throw new Error(`${open}, ${when}`);
    const [depth = 0, finalized = 0] = heights;
    const now = when.endsWith('deadline') ? CLAIM.deadline : at(60_000);
    const sighting = found([usdc('10')], {
      latest: 1_000 + depth,
      safe: 1_000 + finalized,
      finalized: 1_000 + finalized,
    });
    expect(verdictText(judgeDeposit(look(sighting, { now, exposure: { openCents, limitCents: 100_00n } })))).toBe(
      verdict,
    );
  });

  it.each(times)('a block %s, %s: %s', (row, quote, verdict) => {
    const { time, addressSince = CLAIM.addressSince } = BLOCK_TIMES[row] ?? {};
    expect(
      verdictText(
        judgeDeposit(look(found([usdc('10')], FINAL, time?.getTime()), { addressSince, quote: QUOTES[quote] ?? null })),
      ),
    ).toBe(verdict);
  });
});

describe('a quote and its golden copy, cell by cell', () => {
  it.each(amounts)('of 20 shillings, with %s %s: %s', (row, when, verdict) => {
    const timeMs = NOW.getTime() + ({ 'in time': 30_000, 'too late': 30_001 }[when] ?? Number.NaN);
    expect(
      verdictText(
        judgeDeposit(look(found(arrived(row), FINAL, timeMs), { amount: money(20_00n, 'KES'), quote: QUOTE_OF_20 })),
      ),
    ).toBe(verdict);
  });

  it.each(acceptances)('of a pay that was accepted %s, with a %s: %s', (accepted, block, verdict) => {
    const quote: DepositClaim['quote'] = { asset: 'USDC', rate: '258.7', expiresAt: NOW };
    const [openedAt, timeMs] = [at(ACCEPTED[accepted] ?? Number.NaN), at(IN_BLOCK[block] ?? Number.NaN).getTime()];
    expect(verdictText(judgeDeposit(look(found([usdc('10')], FINAL, timeMs), { quote, openedAt })))).toBe(verdict);
  });

  it('prices 20 shillings of 50,000 USDC and the tolerance, and no more', () => {
    expect(
      judgeDeposit(look(found([usdc('50000')]), { amount: money(20_00n, 'KES'), quote: QUOTE_OF_20 })),
    ).toMatchObject({
      kind: 'verified',
      rate: '20',
      shortfall: money(0n, 'KES'),
      credits: [
        { received: money(1_010_000n, 'USDC@CELO'), isBeyondQuote: false },
        { received: money(49_998_990_000n, 'USDC@CELO'), isBeyondQuote: true },
      ],
    });
  });
});

// The rows of chains.md section 3.2.
describe('judgeDeposit', () => {
  it('sums all transfers of one token, and credits each token once', () => {
    const judged = judgeDeposit(
      look(found([usdc('4'), usdc('6'), transfer(accepted(CELO, 'CUSD').address, 5n), usdc('0.5')])),
    );
    expect(judged).toMatchObject({
      kind: 'verified',
      rate: '129.35',
      quoteNotApplied: null,
      shortfall: money(0n, 'KES'),
      credits: [{ received: money(10_500_000n, 'USDC@CELO') }, { received: money(5n, 'CUSD@CELO') }],
    });
  });

  it('credits what arrived, where a token keeps a fee of it', () => {
    expect(judgeDeposit(look(found([usdc('9.90')])))).toMatchObject({
      kind: 'unapplied',
      reason: 'underpaid',
      credits: [{ received: { minor: 9_900_000n } }],
    });
  });

  it('knows a token by its contract in any letter case, and by nothing else', () => {
    for (const token of [USDC.address.toLowerCase(), USDC.address])
      expect(judgeDeposit(look(found([transfer(token, 10_000_000n)]))).kind).toBe('verified');
    for (const token of ['USDC', 'USDC@CELO', accepted(evm('BASE'), 'USDC').address, '']) {
      expect(verdictText(judgeDeposit(look(found([transfer(token, 10_000_000n)]))))).toBe('no_matching_transfer');
    }
  });

  it('reads 18 decimals on BNB where other chains have 6', () => {
    const chain = evm('BNB');
    const { address } = accepted(chain, 'USDC');
    expect(judgeDeposit(look(found([transfer(address, 10_000_000n)]), { chain }))).toMatchObject({
      kind: 'unapplied',
      reason: 'underpaid',
    });
    expect(judgeDeposit(look(found([transfer(address, 10n ** 19n)]), { chain }))).toMatchObject({
      kind: 'verified',
      shortfall: money(0n, 'KES'),
    });
  });

  it.each([
    ['one that is off by default', 'BASE', '0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2'],
    ['one pegged to the euro', 'BASE', '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42'],
    ['an older one', 'BASE', '0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA'],
    ['a bridged one', 'ARBITRUM', '0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8'],
  ])('never credits %s', (_, name, address) => {
    const chain = evm(name);
    expect(verdictText(judgeDeposit(look(found([transfer(address, 10_000_000n)]), { chain })))).toBe(
      'no_matching_transfer',
    );
  });

  it('waits by the worth of all that arrived, to the cent', () => {
    const chain = evm('ETHEREUM');
    const heights = { latest: 1_012, safe: null, finalized: null };
    const [one, other] = [accepted(chain, 'USDC'), accepted(chain, 'USDT')];
    const judged = (...values: readonly (readonly [string, bigint])[]): string =>
      verdictText(
        judgeDeposit(
          look(
            found(
              values.map(([token, value]) => transfer(token, value)),
              heights,
            ),
            { chain },
          ),
        ),
      );
    expect(judged([one.address, 100_000_000n])).toBe('verified: USDC');
    expect(judged([one.address, 100_000_001n])).toBe('wait, seen');
    expect(judged([one.address, 99_000_000n], [other.address, 1_000_000n])).toBe('verified: USDC, USDT');
    expect(judged([one.address, 99_000_000n], [other.address, 1_000_001n])).toBe('wait, seen');
    // What does not count does not delay.
    expect(judged([one.address, 99_000_000n], [UNKNOWN_CONTRACT, 10n ** 40n])).toBe('verified: USDC');
  });

  it('gives a transaction with nothing for us up as late as one that was to bring the amount', () => {
    const heights = { latest: 1_012, safe: null, finalized: null };
    const claimed = (amountMinor: bigint): string =>
      verdictText(
        judgeDeposit(look(found([], heights), { chain: evm('ETHEREUM'), amount: money(amountMinor, 'KES') })),
      );
    expect(claimed(100n * 129_35n)).toBe('no_matching_transfer');
    expect(claimed(100n * 129_35n + 1n)).toBe('wait');
  });

  it.each([
    ['0.01 token up to 10', 10_000_000n, 9_990_000n],
    ['0.01 token down to 1', 1_000_000n, 990_000n],
    ['1 % below', 200_000n, 198_000n],
    ['0.1 % above', 1_000_000_000n, 999_000_000n],
  ])('tolerates %s: %d minor units due', (_, due, least) => {
    const amountMinor = (due * 129_35n) / 1_000_000n;
    const judged = (value: bigint): ReturnType<typeof judgeDeposit> =>
      judgeDeposit(look(found([transfer(USDC.address, value)]), { amount: money(amountMinor, 'KES') }));
    expect(judged(least).kind).toBe('verified');
    expect(judged(least - 1n)).toMatchObject({ kind: 'unapplied', reason: 'underpaid' });
    const [exact, one] = [judged(due), judged(due - 1n)];
    expect(exact).toMatchObject({ kind: 'verified', shortfall: money(0n, 'KES') });
    expect(one).toMatchObject({ kind: 'verified', shortfall: money(1n, 'KES') });
  });

  it("means the quote's token where the request names none, also once the quote has expired", () => {
    for (const expiresAt of [at(HOUR_MS), at(-HOUR_MS)]) {
      const quote = { asset: 'USDT', rate: '129.35', expiresAt };
      expect(verdictText(judgeDeposit(look(found([usdc('10')]), { quote })))).toBe('unapplied wrong_asset: USDC');
    }
  });

  it('says which rate counted', () => {
    const quote = { asset: 'USDC', rate: '130', expiresAt: NOW };
    const rate = (timeMs: number): unknown => judgeDeposit(look(found([usdc('10')], FINAL, timeMs), { quote }));
    expect(rate(NOW.getTime())).toMatchObject({ rate: '130', quoteNotApplied: null });
    expect(rate(NOW.getTime() + 30_001)).toMatchObject({ rate: '129.35', quoteNotApplied: 'expired' });
  });

  it('lets nobody pick a quote for a transfer made before it, unless the pay itself came in time', () => {
    const quote = { asset: 'USDC', rate: '140', expiresAt: at(-HOUR_MS) };
    const rate = (openedAt: Date): unknown =>
      judgeDeposit(look(found([usdc('10')], FINAL, at(-5 * HOUR_MS).getTime()), { quote, openedAt }));
    expect(rate(at(-HOUR_MS + 30_000))).toMatchObject({ rate: '140', quoteNotApplied: null });
    expect(rate(at(-HOUR_MS + 30_001))).toMatchObject({ rate: '129.35', quoteNotApplied: 'expired' });
  });

  it('takes a rate that is none for a bug', () => {
    for (const rate of ['', '0', '-1', '1e3', '129,35'])
      expect(() => judgeDeposit(look(found([usdc('10')]), { rate }))).toThrow(RangeError);
  });
});
