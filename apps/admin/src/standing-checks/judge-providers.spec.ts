import { describe, expect, it } from '@jest/globals';
import type { ProviderBalanceView } from '@vuka/payments';

import { judgeProviders } from './judge-providers.js';

const BALANCE: ProviderBalanceView = {
  provider: 'sandbox',
  wallet: 'main',
  currency: 'KES',
  told_minor: -500n,
  told_at: '2026-11-28T10:00:00.000Z',
  least_minor: -500n,
  most_minor: -500n,
  under_way_minor: 0n,
  in_review: 0,
};
const judged = (more: Partial<ProviderBalanceView> = {}): unknown[] =>
  judgeProviders([{ ...BALANCE, ...more }]).flatMap(({ verdict, difference_minor }) => [verdict, difference_minor]);

describe('what a provider says it holds', () => {
  it('is sound if it equals the ledger, or differs by at most the payouts on their way', () => {
    expect(judged()).toEqual(['sound', 0n]);
    for (const told_minor of [-800n, -650n, -500n])
      expect(judged({ told_minor, least_minor: -800n, under_way_minor: 300n })).toEqual(['sound', 0n]);
  });

  it.each<[string, Partial<ProviderBalanceView>, bigint]>([
    ['paid a unit more than the ledger knows of', { told_minor: -501n }, -1n],
    ['paid a unit less', { told_minor: -499n }, 1n],
    ['paid more than all that is under way', { told_minor: -801n, least_minor: -800n, under_way_minor: 300n }, -1n],
  ])('differs where it %s', (_what, more, by) => {
    expect(judged(more)).toEqual(['differs', by]);
  });

  it.each([
    ['debits when it accepts: what it has acknowledged is gone', { least_minor: -800n, most_minor: -800n }],
    ['debits when it accepts: only what it never acknowledged is open', { least_minor: -800n, most_minor: -600n }],
    ['debits when it pays: what is under way is open', { least_minor: -800n, most_minor: -500n }],
  ])('differs by a unit in either direction where it %s', (_what, bounds) => {
    const within = { ...bounds, under_way_minor: 300n };
    expect(judged({ ...within, told_minor: bounds.least_minor - 1n })).toEqual(['differs', -1n]);
    expect(judged({ ...within, told_minor: bounds.least_minor })).toEqual(['sound', 0n]);
    expect(judged({ ...within, told_minor: bounds.most_minor })).toEqual(['sound', 0n]);
    expect(judged({ ...within, told_minor: bounds.most_minor + 1n })).toEqual(['differs', 1n]);
  });

  it('is not judged while payments are in review and their paid amounts are unknown', () => {
    expect(judged({ told_minor: -501n, in_review: 1 })).toEqual(['with_people', -1n]);
    expect(judged({ in_review: 1 })).toEqual(['sound', 0n]);
  });
});
