import { expect, it } from '@jest/globals';

import { fromBase58, toBase58, tokenAccountOf } from './solana-address.js';

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

// As @solana/web3.js derives them: at the first bump, and after several points on the curve.
it.each([
  ['4QMjAT4ckAN2xtDsKP2Tk71YJfu8umo2pjaEWfCgCk36', '57qt8yR9aMDaDz693BeUzQBjc22dQui83ykwrUgppfWg'],
  ['2rSQtMp2FY58tSjgUzwsP5Tg8FkLGxNyvCvb7YSgjSVF', 'AcchQ8dhL6gbFQDw8JVMUrVrKbBpEoW758hZfwLgiSCW'],
  ['DBoLWK4jSAhwnJqULx5bMd7deAEPbCc8EwSoYHLArhHx', 'BjBDDQSCpGY1jrffNCHy6uKe4FU2FRZ8vCg1Pvj34Nzp'],
])('%s holds its USDC in %s', (owner, account) => {
  expect(tokenAccountOf(owner, USDC)).toBe(account);
});

it('reads what it writes, zeros as well', () => {
  const bytes = Buffer.from([0, 0, ...Array.from({ length: 30 }, (_, index) => index + 1)]);
  expect(toBase58(bytes)).toMatch(/^11[^1]/);
  expect(fromBase58(toBase58(bytes))).toEqual(bytes);
});
