import { describe, expect, it } from '@jest/globals';
import { chainNamed, type Chain } from '@vuka/domain';

import type { ToldIncomingTransfer } from '../chains/chain-reader.js';
import { isUnreadable, readIncomingTransfer } from './read-incoming-transfer.js';

const CELO = chainNamed('CELO') as Chain;
const USDC = CELO.tokens.find(({ symbol }) => symbol === 'USDC')!.address;
const told = (over: Partial<ToldIncomingTransfer> = {}): ToldIncomingTransfer => ({
  transactionId: `0x${'1'.repeat(64)}`,
  address: '0x00000000000000000000000000000000000000AA',
  token: USDC,
  from: '0x00000000000000000000000000000000000000BB',
  value: 5n,
  ordinal: 0,
  block: { number: 7, hash: `0x${'b'.repeat(64)}`, timeMs: 1_000 },
  ...over,
});

describe('an incoming transfer', () => {
  it('is stored with its real token, not with the name that the token gives itself', () => {
    expect(readIncomingTransfer(CELO, told())).toMatchObject({
      symbol: 'USDC',
      amountMinor: 5n,
      block: { number: 7, time: new Date(1_000) },
    });
    expect(readIncomingTransfer(CELO, told({ token: USDC.toLowerCase() }))).toMatchObject({ symbol: 'USDC' });
    expect(readIncomingTransfer(CELO, told({ token: '0x00000000000000000000000000000000000000CC' }))).toMatchObject({
      symbol: null,
    });
    expect(readIncomingTransfer(CELO, told({ value: 10n ** 38n - 1n }))).toMatchObject({
      amountMinor: 10n ** 38n - 1n,
    });
  });

  it('is dust below a hundredth of its token', () => {
    expect(readIncomingTransfer(CELO, told({ value: 9_999n }))).toMatchObject({ isDust: true });
    expect(readIncomingTransfer(CELO, told({ value: 10_000n }))).toMatchObject({ isDust: false });
    expect(
      readIncomingTransfer(CELO, told({ value: 1n, token: '0x00000000000000000000000000000000000000CC' })),
    ).toMatchObject({
      isDust: false,
    });
  });

  it.each<[string, Partial<ToldIncomingTransfer>, string]>([
    ['an amount that no column holds', { value: 10n ** 38n }, 'value: not an amount that can be held'],
    ['no amount', { value: 0n }, 'value: not an amount that can be held'],
    ['a place that is none', { ordinal: 2 ** 31 }, 'ordinal: not a place'],
    ['a place in between', { ordinal: 0.5 }, 'ordinal: not a place'],
    ['a height that is none', { block: { number: Number.NaN, hash: 'b', timeMs: 1 } }, 'block.number: not a height'],
    ['a time that is none', { block: { number: 1, hash: 'b', timeMs: Number.MAX_VALUE } }, 'block.timeMs: not a time'],
    ['a sender of zeros in bytes', { from: '\0\0' }, 'from: too long, or not printable'],
    ['half of a character', { token: '\ud800' }, 'token: too long, or not printable'],
    ['a book', { transactionId: 'x'.repeat(201) }, 'transactionId: too long, or not printable'],
  ])('with %s is set aside in a form that every table takes', (_, over, reason) => {
    const read = readIncomingTransfer(CELO, told(over));
    if (!isUnreadable(read)) throw new Error('it was read');
    expect(read.reason).toBe(reason);
    expect(JSON.stringify(read)).toMatch(/^[\x20-\x7e]{10,2000}$/);
    expect(JSON.stringify(read)).not.toMatch(/\\u0000|\\ud8/);
  });
});
