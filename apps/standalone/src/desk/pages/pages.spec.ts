import { describe, expect, it } from '@jest/globals';

import type { StuckPage, TransactionPage } from '../desk.js';
import { ledgerPage } from './ledger-page.js';
import { nextSteps } from './next-step.js';
import { plainPaint } from './paint.js';
import { showPage } from './show-page.js';
import { stuckPage } from './stuck-page.js';
import { deadLettersPage, unappliedPage, whichOne } from './trouble-lines.js';

const NOW = new Date('2026-05-12T09:30:00.000Z');
const ago = (seconds: number): string => new Date(NOW.getTime() - seconds * 1_000).toISOString();
const kes = (amount: string) => ({ amount, currency: 'KES' });

const SUMMARY = {
  id: 1042,
  transaction_code: 'order-1',
  partner_id: 1,
  operation: 'bank_transfer',
  status: 'PROCESSING',
  state: 'REVIEW',
  amount: kes('1500.00'),
  created_at: ago(300),
} as const;

const PAGE: TransactionPage = {
  transaction: {
    ...SUMMARY,
    fee: kes('0.00'),
    service_fee: kes('30.00'),
    callback_host: 'hooks.example',
    message: 'The payment is being reviewed',
    failure_code: null,
    destination: {
      kind: 'paybill',
      account_number: '***0042',
      shortcode: '***',
      bank_code: null,
      bank_name: null,
      mobile_network: null,
    },
    receipt_number: null,
    recipient_name: null,
    request_id: 'req-1',
    traceparent: '00-',
    sequence: 4,
    public_sequence: 1,
    due_at: null,
    park_deadline: null,
    updated_at: ago(240),
  },
  timeline: [
    { sequence: 1, at: ago(300), from: null, to: 'ACCEPTED', event: 'accepted', attempt_no: 0, detail: '' },
    {
      sequence: 2,
      at: ago(240),
      from: 'SUBMITTED',
      to: 'REVIEW',
      event: 'mismatch',
      attempt_no: 1,
      detail: 'amount\u001b[31m',
    },
  ],
  timeline_left_out: 7,
  attempts: [
    {
      attempt_no: 1,
      rail: 'sandbox',
      rail_reference: '0193f1c2-7c1e-7a40-9d7e-2f5a3b9c0d11',
      state: 'PENDING',
      amount: kes('1500.00'),
      polls: 2,
      next_look_at: null,
      claimed_until: null,
      watched_until: null,
      ended_by: null,
      receipt_number: null,
      detail: '',
      created_at: ago(300),
      updated_at: ago(240),
    },
  ],
  hold: { state: 'open', amount: kes('1530.00'), opened_at: ago(300), closed_at: null },
  postings: [
    {
      reference: 'p1:1042',
      kind: 'P1',
      at: ago(300),
      legs: [{ from: 'wallet:1:KES', to: 'held:1:KES', amount: kes('1530.00') }],
    },
  ],
  paid_again: [],
  incidents: [
    {
      id: 3,
      transaction_id: 1042,
      transaction_code: 'order-1',
      partner_id: 1,
      attempt_no: 1,
      state: 'COMPLETE',
      event: 'succeeded',
      detail: '',
      times: 4,
      at: ago(200),
      last_at: ago(20),
      resolved_at: null,
      resolved_by: null,
      resolution: null,
    },
  ],
  settlements: [],
  pay: null,
  deposits: [],
  webhooks: [],
};

const WAITING = {
  transaction_id: 1042,
  transaction_code: 'order-1',
  partner_id: 1,
  amount: kes('1500.00'),
  state: 'REVIEW',
  since: ago(240),
  why: 'another amount',
  attempt_no: 1,
  rail: 'sandbox',
  rail_reference: 'r',
  polls: 2,
  next_look_at: null,
  until: null,
  settlement_id: null,
  settlement_approved_at: null,
} as const;

const NOTHING: StuckPage = {
  parked: [],
  in_doubt: [],
  review: [],
  overdue: [],
  rail_not_configured: [],
  frozen: [],
  incidents: [],
  owed_by_partners: [],
  owed_to_us: [],
  dead_letters: [],
  deliveries_given_up: [],
  outbox_held_back: [],
  cut: [],
  not_asked: [],
};

describe('the page of one transaction', () => {
  const lines = showPage(PAGE, NOW, plainPaint).split('\n');

  it('says first what it is and where it stands, masked', () => {
    expect(lines[0]).toBe('order-1   KES 1,500.00   PROCESSING (REVIEW)   partner 1, id 1042, bank transfer');
    expect(lines[1]).toMatch(/to +paybill \*\*\*, account \*\*\*0042$/);
  });

  it('tells how it came about, and what was left out; nothing told from outside moves the cursor', () => {
    expect(lines).toContain('  (7 older ones left out)');
    expect(lines.find((line) => line.includes('mismatch'))).toMatch(
      /09:26:00\.000 +\+1 min +REVIEW +mismatch +#1 +amount·\[31m$/,
    );
    expect(lines.join('\n')).not.toContain('\u001b');
  });

  it('shows what is held, and that nobody asks about it any more', () => {
    expect(lines).toContain('  KES 1,530.00 held now');
    expect(lines.find((line) => line.includes('2×'))).toMatch(/PENDING +KES 1,500\.00 +2× +never$/);
    expect(lines.find((line) => line.includes('incident 3'))).toMatch(
      /paid a second time, try #1, 3 min ago, 4 times, last 20 s ago/,
    );
  });

  it('ends with what can be done: first what moves money, then what closes incidents; after a proposal only its approval', () => {
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
      /approved by Ben, 5 s ago; carried out when the call under way has ended, in 3 s at the latest/,
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
    // It is open to a settlement again.
    expect(steps({ ...PAGE, settlements: [superseded] })[0]).toMatch(/settle order-1/);
    expect(
      steps({ ...PAGE, incidents: [], transaction: { ...PAGE.transaction, state: 'COMPLETE', status: 'COMPLETE' } }),
    ).toEqual([]);
  });
});

describe('the page of what is stuck', () => {
  it('says so where nothing is', () => expect(stuckPage(NOTHING, NOW, plainPaint)).toMatch(/^Nothing is stuck/));

  it('says so of a service that could not be asked, and that nothing of it stands there', () => {
    const text = stuckPage({ ...NOTHING, not_asked: ['notifier: no connection (ECONNREFUSED)'] }, NOW, plainPaint);
    expect(text).toMatch(/^✗ Not asked.*notifier: no connection/);
    expect(text).not.toContain('Nothing is stuck');
    expect(showPage({ ...PAGE, webhooks: null }, NOW, plainPaint)).toContain('notifier could not be asked');
  });

  it('begins with what people must decide, and gives the exact command', () => {
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

  it('does not bury the rest under the commands of many alike', () => {
    const many = Array.from({ length: 100 }, (_, index) => ({
      ...WAITING,
      transaction_code: `order-${index}`,
      next: nextSteps.review({ ...WAITING, transaction_code: `order-${index}` }),
    }));
    const text = stuckPage({ ...NOTHING, review: many, cut: ['review'] }, NOW, plainPaint);
    expect(text).toContain('100 and more');
    expect(text.split('\n').filter((line) => line.includes('→'))).toHaveLength(6);
    expect(text).toContain('… and 194 commands alike (--json has all)');
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
            rail: 'sandbox',
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
        outbox_held_back: [{ consumer_group: 'notifier', oldest_at: ago(60), why: 'nobody reads', next: [] }],
      },
      NOW,
      plainPaint,
    );
    for (const row of [
      /2 +KES 500\.00 +2 h 00 min +a, b/,
      /c +1 +KES 9\.00 +1 min +sandbox #1 +SBX9/,
      /e1 +notifier/,
      /c +1 +transaction\.complete +5 s ago +10 +h/,
      /notifier +1 min ago +nobody reads/,
    ]) {
      expect(text).toMatch(row);
    }
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

  it('stopped by screening, is cleared or ended; once there is a proposal, approved', () => {
    const screened = { ...WAITING, attempt_no: null, rail: null };
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

  it('and was used for nothing, is listed with its age and why', () => {
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

describe('other pages', () => {
  it('the ledger says its verdict last, and shows what breaks a rule', () => {
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

  it('the ledger says what was not read, and never that all of it is sound', () => {
    const not_read = [
      { what: 'rail sandbox', why: 'ECONNREFUSED', is_away: true },
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
      /✓ holds\n\? not read: rail sandbox \(ECONNREFUSED\)\n\? not read: the addresses on BNB \(trouble\)\n {2}2 deposits are under way between offramp and payments\n[^]*\nThe ledger is sound as far as it was read\. Not read: rail sandbox; the addresses on BNB\.$/,
    );
  });

  it('no dead letters is good news', () =>
    expect(deadLettersPage([], false, NOW, plainPaint)).toMatch(/^No dead letters/));

  it('several that may be meant are named so that the command can be repeated', () => {
    expect(whichOne('show', [SUMMARY, { ...SUMMARY, id: 1043, partner_id: 2 }], plainPaint)).toMatch(
      /→ npm run vuka -- show order-1 --partner 1\n→ npm run vuka -- show order-1 --partner 2$/,
    );
  });
});
