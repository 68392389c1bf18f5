import { describe, expect, it } from '@jest/globals';
import { plainPaint } from '@vuka/terminal';

import { ledgerPage } from './ledger-page.js';
import { kes, NOW, SUMMARY } from './pages.spec-support.js';
import { deadLettersPage, whichOne } from './trouble-lines.js';

describe('other pages', () => {
  it('the ledger page ends with its verdict, and shows what breaks a rule', () => {
    const checks = [
      { rule: 'holds', broken: [] },
      { rule: 'does not', broken: [{ asset: 'KES', sum: '1' }] },
    ];
    const text = ledgerPage(
      {
        ok: false,
        verdict: 'not_sound',
        checks,
        balances: [{ account: 'wallet:1:KES', balance: kes('10000000.00') }],
        not_read: [],
        deposits_under_way: 0,
      },
      plainPaint,
    );
    expect(text).toMatch(
      /✓ holds\n✗ does not\n {4}\{"asset":"KES","sum":"1"\}\n[^]*wallet:1:KES +KES 10,000,000\.00\n\nThe ledger is broken: 1 of 2 rules\.$/,
    );
  });

  it('the ledger page names what was not read, and then never says that everything is sound', () => {
    const not_read = [
      { what: 'provider sandbox', why: 'ECONNREFUSED', is_away: true },
      { what: 'the addresses on BNB', why: 'trouble', is_away: true },
    ];
    const text = ledgerPage(
      {
        ok: false,
        verdict: 'sound_as_read',
        checks: [{ rule: 'holds', broken: [] }],
        balances: [],
        not_read,
        deposits_under_way: 2,
      },
      plainPaint,
    );
    expect(text).toMatch(
      /✓ holds\n\? not read: provider sandbox \(ECONNREFUSED\)\n\? not read: the addresses on BNB \(trouble\)\n {2}2 deposits are still on their way between offramp and payments\n[^]*\nThe ledger is sound as far as it could be read\. Not read: provider sandbox; the addresses on BNB\.$/,
    );
  });

  it('the page of dead letters says that there are none', () =>
    expect(deadLettersPage([], false, NOW, plainPaint)).toMatch(/^No dead letters/));

  it('an ambiguous code lists each transaction with a command that works', () => {
    expect(whichOne('show', [SUMMARY, { ...SUMMARY, id: 1043, partner_id: 2 }], plainPaint)).toMatch(
      /→ npm run vuka -- show order-1 --partner 1\n→ npm run vuka -- show order-1 --partner 2$/,
    );
  });
});
