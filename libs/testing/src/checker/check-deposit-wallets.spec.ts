import { describe, expect, it } from '@jest/globals';

import { tokenNamed } from '../books/chain-facts.js';
import type { BookEntry } from '../books/provider-book.js';
import { key } from '../partner/sent-payout.js';
import {
  incomingTransfer,
  INCOMING_TRANSFERS,
  brought,
  chain,
  entry,
  faultsOf,
  PAID_AT,
  row,
  rows,
  SENT,
  sound,
} from './check-deposits.spec-support.js';
import { checkOutside } from './check-outside.js';
import type { OutsideRules, OutsideView } from './outside-view.js';

describe('the check of deposits from outside', () => {
  describe('of what a chain took back after it had been told', () => {
    const gone = (name: keyof typeof INCOMING_TRANSFERS): OutsideRules => ({
      vanished: new Map([[key(SENT[name]), INCOMING_TRANSFERS[name]]]),
    });
    const without = (name: keyof typeof INCOMING_TRANSFERS): Partial<OutsideView> => chain({ [name]: null });

    it('holds its partner to what it was worth where it had been paid or credited, and to nothing where it had not', () => {
      expect(faultsOf([without('paid'), brought(-102_445n)], gone('paid'))).toBe('');
      expect(faultsOf([without('failed'), brought(-102_445n)], gone('failed'))).toBe('');
      const ended = row('screened', { status: 'FAILED', failure_code: 'deposit_reverted' });
      expect(faultsOf([without('screened'), rows(ended)], gone('screened'))).toBe('');
    });

    it('finds a debt that was not collected, one that nobody owes, and a payout that nothing pays for any more', () => {
      expect(faultsOf([without('paid')], gone('paid'))).toMatch(/wallet KES of partner 1/);
      expect(faultsOf([without('paid'), brought(-102_445n)])).toMatch(/paid is COMPLETE , and no transfer paid for it/);
      expect(
        faultsOf([
          rows(
            row('paid', {
              status: 'FAILED',
              failure_code: 'deposit_reverted',
              receipt_number: null,
              public_name: null,
            }),
          ),
        ]),
      ).toMatch(/paid ended FAILED, and should have ended COMPLETE/);
    });
  });

  it.each<[string, bigint]>([
    ['a surplus that is kept from it', -2_445n],
    ['a markup that is kept from it', -2_500n],
    ['what failed and did not come', -102_445n],
    ['what it lacked, taken back', -115n],
    ['value that could not be used', 89_639n],
    ['value that goes back on the chain', 102_445n],
    ['value that is not final', 102_445n],
    ['one unit too many', 1n],
  ])('the wallet: %s', (_, by) => {
    expect(faultsOf([brought(by)])).toMatch(/^wallet KES of partner 1 is \d+, and should be \d+$/);
  });

  it("takes what could not be used for the wallet's, where that is the policy", () => {
    const unapplied = 89_639n + 102_445n + 102_445n;
    expect(faultsOf([brought(unapplied)], { unapplied: 'wallet' })).toBe('');
    expect(faultsOf([brought(unapplied)])).toMatch(/^wallet KES/);
    const beside = [chain({}, incomingTransfer('paid', 2_000_000n, { token: tokenNamed('CELO', 'USDT')! }))];
    expect(faultsOf([...beside, brought(unapplied + 25_611n)], { unapplied: 'wallet' })).toBe('');
    expect(faultsOf(beside)).toBe('');
  });

  describe('of a partner that owes', () => {
    /** Failed, refunded on the chain, and paid after all. */
    const late = { ...SENT.refunded, controls: ['pay'] as const };
    const lateEntry = entry('refunded');
    const LATE = { reason: 'paid_after_failure', receipt_number: 'R-refunded', amount: '975.00', at: PAID_AT };
    const OWED = 97_500n;
    const fixture = (
      after: bigint,
      { before = 5n, sent: one = late, refund = 'COMPLETE', books = [lateEntry] as BookEntry[] } = {},
    ): string =>
      checkOutside(
        Object.assign({}, sound(), {
          sent: [one],
          rows: new Map([
            [key(one), row('refunded', { refund, correction: books.length > 0 && 'controls' in one ? LATE : '' })],
          ]),
          books,
          wallets: [{ partner: 1, currency: 'KES', before, after }],
        }) as OutsideView,
      ).join('\n');

    it('has the payment taken from its wallet, and no more than there is', () => {
      expect(fixture(200_000n - OWED, { before: 200_000n })).toBe('');
      expect(fixture(0n, { before: 50_000n })).toBe('');
    });

    it.each<[string, string]>([
      ['nothing was collected', fixture(200_000n, { before: 200_000n })],
      ['its wallet has more than nothing left, and it owes', fixture(1n, { before: 50_000n })],
      ['an empty wallet is below nothing', fixture(-1n, { before: 50_000n })],
    ])('is found where %s', (_what, faults) => {
      expect(faults).toMatch(/^wallet KES of partner 1 is -?\d+, and should be -?\d+$/);
    });

    it('is no excuse for a wallet that is empty and owes nothing', () => {
      expect(fixture(0n, { before: 50_000n, sent: SENT.refunded as typeof late, books: [] })).toMatch(
        /wallet KES of partner 1 is 0, and should be 50000/,
      );
    });

    it('is found where it was paid and sent back, and owes nothing', () => {
      expect(fixture(5n, { sent: SENT.refunded as typeof late })).toMatch(
        /the providers paid 97500; its transactions account for nothing/,
      );
    });

    it('has its value in the wallet where nothing goes back, and it may owe', () => {
      expect(fixture(5n + 102_445n - OWED, { refund: '' })).toBe('');
      expect(fixture(5n + 102_445n - OWED, { refund: 'FAILED' })).toBe('');
      expect(fixture(5n + 102_445n - OWED)).toMatch(/^wallet KES/);
    });
  });
});
