import { describe, expect, it } from '@jest/globals';

import { ratesUrlOf, spreadsOf } from './rate-settings.js';

describe('RATE_SPREADS', () => {
  it('is basis points by currency', () => {
    expect(spreadsOf('KES:75, USD:0,')).toEqual(
      new Map([
        ['KES', 75],
        ['USD', 0],
      ]),
    );
    expect(spreadsOf('')).toEqual(new Map());
  });

  it.each(['KES', 'KES:', 'XXX:10', 'KES:2001', 'KES:-1', 'KES:1.5', 'KES:1,KES:2', 'kes:1'])('refuses %j', (text) => {
    expect(() => spreadsOf(text)).toThrow(/^RATE_SPREADS must be /);
  });
});

describe('RATES_URL', () => {
  it('is never shown when it is refused', () => {
    expect(ratesUrlOf('RATES_URL', 'https://rates.example/v1?key=x')).toBe('https://rates.example/v1?key=x');
    for (const text of ['s3cret', 'ftp://s3cret/', 'https://s3cret:x@host/']) {
      expect(() => ratesUrlOf('RATES_URL', text)).toThrow(
        /^RATES_URL must be an absolute http or https URL without a user$/,
      );
    }
  });
});
