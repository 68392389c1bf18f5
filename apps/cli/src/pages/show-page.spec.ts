import { describe, expect, it } from '@jest/globals';
import type { TransactionPage } from '@vuka/admin';
import { plainPaint } from '@vuka/terminal';

import { nextSteps } from './next-step.js';
import { ago, NOW, PAGE, WAITING } from './pages.spec-support.js';
import { showPage } from './show-page.js';
import { unappliedPage } from './trouble-lines.js';

describe('the page of one transaction', () => {
  const lines = showPage(PAGE, NOW, plainPaint).split('\n');

  it('begins with the transaction and its state, masked', () => {
    expect(lines[0]).toBe('order-1   KES 1,500.00   PROCESSING (REVIEW)   partner 1, id 1042, bank transfer');
    expect(lines[1]).toMatch(/to +paybill \*\*\*, account \*\*\*0042$/);
  });

  it('shows the history and what was left out; no outside text moves the cursor', () => {
    expect(lines).toContain('  (7 older ones left out)');
    expect(lines.find((line) => line.includes('mismatch'))).toMatch(
      /09:26:00\.000 +\+1 min +REVIEW +mismatch +#1 +amount·\[31m$/,
    );
    expect(lines.join('\n')).not.toContain('\u001b');
  });

  it('shows the held value, and that nobody polls any more', () => {
    expect(lines).toContain('  KES 1,530.00 held now');
    expect(lines.find((line) => line.includes('2×'))).toMatch(/PENDING +KES 1,500\.00 +2× +never$/);
    expect(lines.find((line) => line.includes('incident 3'))).toMatch(
      /paid a second time, try #1, 3 min ago, 4 times, last 20 s ago/,
    );
  });

  it('ends with the possible commands: first those that move money, then those that close incidents; after a proposal only its approval', () => {
    const steps = (page: TransactionPage): string[] =>
      showPage(page, NOW, plainPaint).split('What you can do\n')[1]?.split('\n') ?? [];
    expect(steps(PAGE)).toEqual([
      expect.stringMatching(/settle order-1 --partner 1 --paid/),
      expect.stringMatching(/--not-paid/),
      expect.stringMatching(/resolve 3/),
    ]);
    const settlement = {
      id: 7,
      transaction_id: 1042,
      attempt_no: 1,
      outcome: 'not_paid',
      receipt_number: null,
      paid: null,
      evidence: 'ticket',
      state: 'proposed',
      proposed_by: 'Ann',
      proposed_at: ago(10),
      approved_by: null,
      approved_at: null,
      executed_at: null,
      executes_by: null,
      withdrawn_at: null,
      superseded_why: null,
    } as const;
    expect(steps({ ...PAGE, settlements: [settlement] })[0]).toMatch(/approve 7 --by/);
    const scheduled = {
      ...settlement,
      state: 'scheduled',
      approved_by: 'Ben',
      approved_at: ago(5),
      executes_by: ago(-3),
    } as const;
    expect(steps({ ...PAGE, settlements: [scheduled] })).toEqual([expect.stringMatching(/resolve 3/)]);
    expect(showPage({ ...PAGE, settlements: [scheduled] }, NOW, plainPaint)).toMatch(
      /approved by Ben, 5 s ago; applied when the running call has ended, in 3 s at the latest/,
    );
    const superseded = {
      ...scheduled,
      state: 'superseded',
      withdrawn_at: ago(1),
      superseded_why: 'the provider answered first',
    } as const;
    expect(showPage({ ...PAGE, settlements: [superseded] }, NOW, plainPaint)).toMatch(
      /superseded 1 s ago: the provider answered first/,
    );
    expect(steps({ ...PAGE, settlements: [superseded] })[0]).toMatch(/settle order-1/);
    expect(
      steps({ ...PAGE, incidents: [], transaction: { ...PAGE.transaction, state: 'COMPLETE', status: 'COMPLETE' } }),
    ).toEqual([]);
  });
});

describe('what came from a chain', () => {
  const pay = {
    chain: 'CELO',
    transaction_hash: '0xab',
    asset: 'USDC',
    quote_id: null,
    refund_address: '0xAb58',
    released_at: null,
  } as const;
  const deposit = {
    deposit_id: 9,
    received: { amount: '3.866000', currency: 'USDC@CELO' },
    rate: '129.35',
    state: 'funding',
    refund: null,
    at: ago(60),
  } as const;

  it('stands on the page of its transaction', () => {
    const text = showPage({ ...PAGE, pay, deposits: [deposit] }, NOW, plainPaint);
    expect(text).toMatch(/paid by +CELO 0xab, in USDC\n +refund to +0xAb58/);
    expect(text).toMatch(/9 +3\.866000 +USDC@CELO +129\.35 +funding +1 min ago/);
  });

  it('stopped by screening, offers to clear or settle it; after a proposal, to approve it', () => {
    const screened = { ...WAITING, attempt_no: null, provider: null };
    expect(nextSteps.review(screened)).toEqual([
      expect.stringMatching(/clear order-1 --partner 1 --evidence/),
      expect.stringMatching(/settle order-1 --partner 1 --not-paid/),
    ]);
    expect(nextSteps.review({ ...screened, settlement_id: 7 })).toEqual([expect.stringMatching(/approve 7/)]);
    const steps = showPage({ ...PAGE, attempts: [], incidents: [], pay, deposits: [deposit] }, NOW, plainPaint).split(
      'What you can do\n',
    )[1];
    expect(steps).toMatch(/clear order-1/);
  });

  it('and was not used, is listed with its age and reason', () => {
    const row = {
      ...deposit,
      state: 'unapplied',
      transaction_id: 1042,
      transaction_code: 'order-1',
      partner_id: 1,
      why: 'underpaid',
    } as const;
    expect(unappliedPage([row], true, NOW, plainPaint)).toMatch(
      /9 +1 +3\.866000 +USDC@CELO +1 min +order-1 +underpaid\s*\nand more/,
    );
    expect(unappliedPage([], false, NOW, plainPaint)).toMatch(/^Nothing is unapplied/);
  });
});
