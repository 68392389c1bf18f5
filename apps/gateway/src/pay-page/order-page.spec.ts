import { describe, expect, it } from '@jest/globals';
import type { OrderView } from '@vuka/contracts';
import fc from 'fast-check';

import { escaped, html } from '../markup/index.js';
import { madeUpOrder } from './made-up-order.spec-support.js';
import { orderPage } from './order-page.js';
import { orderPageView } from './order-page-view.js';
import { qrCode } from './qr-code.js';

const NOW = new Date('2026-11-21T12:01:12Z');
const pageOf = (order: OrderView): string =>
  orderPage(orderPageView(order, NOW), { fileAt: (name) => `/pay/assets/${name}`, sandbox: false });

/** All texts of an order that may be shown. Addresses also make QR codes, so they are tested apart. */
const TEXTS = ['order_id', 'message', 'asset', 'token', 'rate', 'transaction_hash'] as const;
const PHASES: readonly Partial<OrderView>[] = [
  {},
  { status: 'PROCESSING' },
  { status: 'PROCESSING', received_minor: '5000000' },
  { status: 'PROCESSING', received_minor: '11596444' },
  { expires_at: '2026-11-21T12:01:00Z' },
  { status: 'COMPLETE' },
  { status: 'COMPLETE', reason: 'overpaid', received_minor: '99000000' },
  ...(['expired', 'underpaid', 'late', 'wrong_asset', 'wrong_network'] as const).map((reason): Partial<OrderView> => ({
    status: 'FAILED',
    reason,
  })),
];

const evil = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
  fc.constantFrom(
    '</title><script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' onclick='x",
    '<!--',
    ']]>',
    '</main>',
    '${x}',
    '&lt;script&gt;',
    '$&',
    '\u2028',
    'javascript:alert(1)',
  ),
);

describe('whatever an order says', () => {
  it('is text on its page in every phase, and never markup', () => {
    fc.assert(
      fc.property(fc.constantFrom(...PHASES), fc.constantFrom(...TEXTS), evil, (phase, field, text) => {
        const mark = 'MARKMARKMARK';
        const expected = pageOf(madeUpOrder({ ...phase, [field]: mark }))
          .split(mark)
          .join(escaped(text));
        expect(pageOf(madeUpOrder({ ...phase, [field]: text }))).toBe(expected);
      }),
      { numRuns: 300 },
    );
  });

  it('as an address, a memo or a network leaves the tags as they are', () => {
    const tagsOf = (page: string): string =>
      page
        .replace(/ (?:d|aria-label|href|viewBox|width|height)="[^"]*"/g, '')
        .match(/<[^>]*>/g)
        ?.join('') ?? '';
    fc.assert(
      fc.property(
        fc.constantFrom('address', 'memo_address', 'memo', 'network'),
        evil.filter((text) => text.isWellFormed()),
        (field, text) => {
          const stellar = {
            network: 'STELLAR',
            asset: 'USDC',
            decimals: 7,
            address: 'M',
            memo_address: 'G',
            memo: '1',
          };
          const other = field === 'network' ? { network: 'ELSEWHERE' } : {};
          expect(tagsOf(pageOf(madeUpOrder({ ...stellar, [field]: text })))).toBe(
            tagsOf(pageOf(madeUpOrder({ ...stellar, ...other }))),
          );
        },
      ),
      { numRuns: 100 },
    );
  });

  it('never begins a link of its own: a page has one to a wallet, and to nothing else', () => {
    for (const [network, scheme] of [
      ['BASE', 'ethereum:'],
      ['SOLANA', 'solana:'],
      ['STELLAR', 'web+stellar:'],
    ]) {
      const links = [
        ...pageOf(
          madeUpOrder({ network: network ?? '', address: 'javascript:alert(1)', memo_address: 'G', memo: '1' }),
        ).matchAll(/<a [^>]*href="([^"]*)"/g),
      ].map(([, href]) => href);
      expect(links).toEqual([expect.stringMatching(new RegExp(`^${(scheme ?? '').replace('+', '\\+')}`))]);
    }
  });
});

describe('the page', () => {
  it('has no script, style or handler inside, in any phase', () => {
    for (const phase of PHASES)
      expect(pageOf(madeUpOrder(phase))).not.toMatch(
        /<script(?![^>]* src="\/pay\/assets\/)|<style|\sstyle=|\son\w+=|https?:\/\//,
      );
  });

  it('shows an address, a code and buttons only while something may be paid', () => {
    for (const phase of PHASES) {
      const order = madeUpOrder(phase);
      const isOpen = orderPageView(order, NOW).payable !== null;
      const page = pageOf(order);
      expect([
        page.includes(order.address),
        page.includes('class="qr"'),
        page.includes('data-copy'),
        page.includes('ethereum:'),
      ]).toEqual([isOpen, isOpen, isOpen, isOpen]);
    }
  });

  it('shows nothing that belongs to the partner: not the message, not our number', () => {
    for (const phase of PHASES) {
      const page = pageOf(madeUpOrder({ ...phase, message: 'for the partner alone' }));
      expect(page).not.toContain('for the partner alone');
      expect(page).not.toContain('5000000000000017');
    }
  });

  it('offers both ways on Stellar, and warns of the memo', () => {
    const page = pageOf(
      madeUpOrder({ network: 'STELLAR', decimals: 7, address: 'MADDRESS', memo_address: 'GACCOUNT', memo: '4711' }),
    );
    for (const shown of [
      'id="address" aria-labelledby="address-label">MADDRESS<',
      'id="account" aria-labelledby="account-label">GACCOUNT<',
      'id="memo" aria-labelledby="memo-label">4711<',
      'Without this memo',
    ])
      expect(page).toContain(shown);
  });

  it('reloads itself without a script while something may change', () => {
    const reloads = PHASES.map((phase) => pageOf(madeUpOrder(phase)).includes('<noscript><meta http-equiv="refresh"'));
    expect(reloads).toEqual([true, true, true, true, true, false, false, true, false, false, false, false]);
  });

  it('says in a sandbox that the money is not real', () => {
    const view = orderPageView(madeUpOrder(), NOW);
    expect(orderPage(view, { fileAt: (name) => name, sandbox: true })).toContain('Test: no real money');
    expect(orderPage(view, { fileAt: (name) => name, sandbox: false })).not.toContain('Test:');
  });
});

it('markup keeps values apart from markup', () => {
  expect(
    html`<p title="${'"<&>\''}">${html`<b>${'<i>'}</b>`}${['a', 'b'].map((one) => html`<i>${one}</i>`)}</p>`.text,
  ).toBe('<p title="&quot;&lt;&amp;&gt;&#39;"><b>&lt;i&gt;</b><i>a</i><i>b</i></p>');
});

it('a QR code is drawn module by module, with a quiet zone of four', () => {
  const { text } = qrCode('x', 'what it is');
  // Version 1 has 21 modules. Its corner is a run of 7, at 4,4.
  expect(text).toMatch(
    /^<svg class="qr" role="img" aria-label="what it is" viewBox="0 0 29 29"[^>]*><rect width="29" height="29" fill="#fff"\/><path fill="#000" d="M4 4h7v1h-7z/,
  );
});
