import { describe, expect, it } from '@jest/globals';

import { decimalsOf, fromHundredths, hundredths, isAmount } from './amount.js';

describe("pawaPay's amounts", () => {
  it.each(['5', '5.0', '5.00', '5.5', '5.55', '5555555', '0.5', '0'])('%s is one', (text) => {
    expect(isAmount(text)).toBe(true);
  });

  it.each(['5.', '.5', '-5.5', '00.5', '00001.32', '', '1e3', '1 000', '5'.repeat(24)])('"%s" is none', (text) => {
    expect(isAmount(text)).toBe(false);
  });

  it.each([
    ['12.5', 1_250n, '12.50'],
    ['0.05', 5n, '0.05'],
    ['1500', 150_000n, '1500.00'],
  ])('%s is %s hundredths', (text, value, back) => {
    expect(hundredths(text)).toBe(value);
    expect(fromHundredths(value)).toBe(back);
    expect(fromHundredths(-value)).toBe(`-${back}`);
  });

  it('have as many decimals as are written', () => {
    expect(['5', '5.0', '5.055'].map(decimalsOf)).toEqual([0, 1, 3]);
  });
});
