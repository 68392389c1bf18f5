import { describe, expect, it } from '@jest/globals';

import type { ControlAction } from '../partner/sent-payout.js';
import { sent } from './check-outside.spec-support.js';
import { expectationOf } from './expectation.js';
import { SANDBOX_PATHS } from './sandbox-paths.js';

describe('what a payout must come to', () => {
  it.each<[string, ControlAction[], string, string]>([
    ['7890', [], 'COMPLETE', 'paid'],
    ['7890', ['reverse'], 'REVERSED', 'back'],
    ['7890', ['pay'], 'COMPLETE', 'paid paid'],
    ['7890', ['pay', 'reverse'], 'COMPLETE', 'paid back'],
    ['7890', ['reverse', 'pay'], 'REVERSED', 'back paid, owes'],
    ['0004', [], 'PROCESSING', ''],
    ['0004', ['release'], 'COMPLETE', 'paid'],
    ['0004', ['pay'], 'COMPLETE', 'paid'],
    ['0000', ['pay'], 'FAILED', 'paid, owes'],
    ['0000', ['pay', 'reverse'], 'FAILED', 'back'],
    ['0005', [], 'REVERSED', 'back'],
    ['0007', [], 'FAILED', ''],
    ['0007', ['top_up'], 'COMPLETE', 'paid'],
    ['0007', ['release'], 'COMPLETE', 'paid'],
    ['0008', ['reverse'], 'COMPLETE', 'paid back'],
    ['0009', [], 'PROCESSING', 'paid'],
  ])('%s after %j is %s: %s', (number, controls, end, payments) => {
    const expected = expectationOf(sent('x', number, { controls }));
    const shown = `${expected.payments.map(({ back }) => (back ? 'back' : 'paid')).join(' ')}${expected.debt > 0n ? ', owes' : ''}`;
    expect([expected.end, shown]).toEqual([end, payments]);
  });

  it('of 0009 is one whole unit more, whatever the decimals of its currency', () => {
    const paid = (currency: string, number: string): bigint =>
      expectationOf(sent('x', number, { currency })).payments[0]?.amount ?? 0n;
    expect(['KES', 'UGX', 'USD'].map((currency) => paid(currency, '0009') - paid(currency, '7890'))).toEqual([
      100n,
      1n,
      100n,
    ]);
  });

  it('of ten sandbox numbers and one is documented, each once', () => {
    expect(SANDBOX_PATHS.map(({ number }) => number)).toEqual([
      '0000',
      '0001',
      '0002',
      '0003',
      '0004',
      '0005',
      '0006',
      '0007',
      '0008',
      '0009',
      '0010',
    ]);
  });
});
