import { describe, expect, it } from '@jest/globals';
import { plainPaint } from '@vuka/terminal';

import { nextSteps } from './next-step.js';
import { ago, kes, NOTHING, NOW, PAGE, WAITING } from './pages.spec-support.js';
import { showPage } from './show-page.js';
import { stuckPage } from './stuck-page.js';

describe('the page of what is stuck', () => {
  it('says so if nothing is stuck', () => expect(stuckPage(NOTHING, NOW, plainPaint)).toMatch(/^Nothing is stuck/));

  it('names a service that could not be asked, and says that the page is incomplete', () => {
    const text = stuckPage({ ...NOTHING, not_asked: ['notifier: no connection (ECONNREFUSED)'] }, NOW, plainPaint);
    expect(text).toMatch(/^✗ This page is incomplete.*notifier: no connection/);
    expect(text).not.toContain('Nothing is stuck');
    expect(showPage({ ...PAGE, webhooks: null }, NOW, plainPaint)).toContain('notifier could not be asked');
  });

  it('begins with the decisions of people, and gives the exact commands', () => {
    const parked = {
      ...WAITING,
      state: 'QUEUED' as const,
      transaction_code: 'order-2',
      until: new Date(NOW.getTime() + 12_000).toISOString(),
    };
    const text = stuckPage(
      {
        ...NOTHING,
        parked: [{ ...parked, next: nextSteps.parked(parked) }],
        review: [{ ...WAITING, next: nextSteps.review(WAITING) }],
      },
      NOW,
      plainPaint,
    );
    expect(text.indexOf('In review')).toBeLessThan(text.indexOf('Parked'));
    expect(text).toMatch(/order-1 +1 +KES 1,500\.00 +4 min +sandbox #1 +another amount/);
    expect(text).toMatch(/order-2 .* in 12 s/);
    expect(text).toContain('→ npm run vuka -- release order-2 --partner 1');
  });

  it('shortens many commands of the same kind', () => {
    const many = Array.from({ length: 100 }, (_, index) => ({
      ...WAITING,
      transaction_code: `order-${index}`,
      next: nextSteps.review({ ...WAITING, transaction_code: `order-${index}` }),
    }));
    const text = stuckPage({ ...NOTHING, review: many, cut: ['review'] }, NOW, plainPaint);
    expect(text).toContain('100 and more');
    expect(text.split('\n').filter((line) => line.includes('→'))).toHaveLength(6);
    expect(text).toContain('… and 194 commands of the same kind (--json shows all)');
  });

  it('names debts, claims, dead letters, lost webhooks and held-back events', () => {
    const text = stuckPage(
      {
        ...NOTHING,
        owed_by_partners: [
          { partner_id: 2, owed: kes('500.00'), since: ago(7_200), transaction_codes: ['a', 'b'], next: [] },
        ],
        owed_to_us: [
          {
            transaction_id: 1,
            transaction_code: 'c',
            partner_id: 1,
            attempt_no: 1,
            provider: 'sandbox',
            receipt_number: 'SBX9',
            amount: kes('9.00'),
            owed_by: 'us',
            posted_at: ago(90),
            unwound_at: null,
            next: [],
          },
        ],
        dead_letters: [
          {
            event_id: 'e1',
            consumer_group: 'notifier',
            topic: 't',
            key: '1',
            reason: 'refused',
            detail: 'd',
            tries: 1,
            at: ago(9),
            replay_requested_at: null,
            requested_by: null,
            replayed_at: null,
            next: [],
          },
        ],
        deliveries_given_up: [
          {
            transaction_id: 1,
            transaction_code: 'c',
            partner_id: 1,
            webhook_id: '1_1',
            event: 'transaction.complete',
            state: 'exhausted',
            host: 'h',
            attempts: 10,
            created_at: ago(99),
            next_attempt_at: null,
            settled_at: ago(5),
            next: [],
          },
        ],
        outbox_stalled: [{ consumer_group: 'notifier', oldest_at: ago(60), why: 'no consumer reads them', next: [] }],
      },
      NOW,
      plainPaint,
    );
    for (const row of [
      /2 +KES 500\.00 +2 h 00 min +a, b/,
      /c +1 +KES 9\.00 +1 min +sandbox #1 +SBX9/,
      /e1 +notifier/,
      /c +1 +transaction\.complete +5 s ago +10 +h/,
      /notifier +1 min ago +no consumer reads them/,
    ]) {
      expect(text).toMatch(row);
    }
  });
});
