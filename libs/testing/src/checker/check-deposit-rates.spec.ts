import { describe, expect, it } from '@jest/globals';

import { always, type RateInForce } from '../books/rates-in-force.js';
import {
  incomingTransfer,
  brought,
  chain,
  CREATED,
  ENTRIES,
  faultsOf,
  NAMES,
  PAID_AT,
  quote,
  QUOTED,
  RATE,
  RATES,
  row,
  rows,
  sent,
  SENT,
  sound,
} from './check-deposits.spec-support.js';
import type { OutsideView } from './outside-view.js';

describe('the check of deposits from outside', () => {
  it('prices no more by a quote than its amount and the tolerance: what came beyond that waits, or is credited at the rate of the day', () => {
    const overpaid = chain({ quoted: incomingTransfer('quoted', 50_000_000n) });
    // 0.01 USDC more than it asks for, at its rate.
    expect(faultsOf([overpaid, brought(130n)])).toBe('');
    expect(faultsOf([overpaid, brought(130n + 552_366n)])).toMatch(/^wallet KES of partner 1/);
    expect(
      faultsOf([overpaid, brought(130n + 542_026n + 89_639n + 102_445n + 102_445n)], { unapplied: 'wallet' }),
    ).toBe('');
    const failed = row('quoted', {
      status: 'FAILED',
      failure_code: 'rail_rejected',
      receipt_number: null,
      public_name: null,
    });
    const refusedProvider = {
      sent: [
        ...NAMES.filter((name) => name !== 'quoted').map((name) => SENT[name]),
        sent('quoted', { quote, number: '0001' }),
      ],
      books: ENTRIES.filter(({ receipt }) => receipt !== 'R-quoted'),
    };
    expect(
      faultsOf([refusedProvider, overpaid, rows({ ...failed, shortcode: '0712340001' }), brought(130n + 97_500n)]),
    ).toBe('');
  });

  describe("by the checker's own record of the rates", () => {
    const MOVED_AT = Date.parse(CREATED) + 30_000;
    const inForce = (...rates: readonly RateInForce[]): Partial<OutsideView> => ({
      deposits: { ...sound().deposits!, rates: new Map([['KES', [...RATES.get('KES')!.slice(0, 1), ...rates]]]) },
    });
    const before = { rate: RATE, from: Date.parse('2026-01-02T11:58:30.000Z'), until: MOVED_AT };
    const at140 = rows(row('paid', { rate: '140', amount_in_usd: '7.14' }));

    it('takes a rate that came in force while the claim was judged', () => {
      expect(faultsOf([at140, inForce(before, { rate: '140', from: MOVED_AT, until: Infinity })])).not.toMatch(
        /has the rate/,
      );
    });

    it.each<[string, Partial<OutsideView>[], RegExp]>([
      [
        'came in force after its end',
        [
          at140,
          inForce({ ...before, until: Infinity }, { rate: '140', from: Date.parse(PAID_AT) + 1_000, until: Infinity }),
        ],
        /paid has the rate 140, and not 128.0565/,
      ],
      [
        'was over a minute before it came',
        [rows(row('paid', { rate: QUOTED, amount_in_usd: '7.66' }))],
        /paid has the rate 130.5, and not 128.0565/,
      ],
      ['nobody was ever told', [at140], /paid has the rate 140, and not 128.0565/],
    ])('finds a pay at a rate that %s, whatever its row names', (_what, changes, fault) => {
      expect(faultsOf(changes)).toMatch(fault);
    });

    it('finds a quote of a rate that was not in force when it was given', () => {
      const rates = new Map([['KES', always(RATE)]]);
      expect(faultsOf([{ deposits: { ...sound().deposits!, rates } }])).toMatch(
        /^quoted was quoted 130.5, and 128.0565 was in force$/,
      );
    });
  });
});
