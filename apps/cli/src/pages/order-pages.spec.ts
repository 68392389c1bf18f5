import { describe, expect, it } from '@jest/globals';
import type { OpenOrderView, OrderPage } from '@vuka/admin';
import { plainPaint } from '@vuka/terminal';

import { orderPage, ordersPage } from './order-pages.js';

const NOW = new Date('2026-11-20T10:30:00.000Z');
const OPEN: OpenOrderView = {
  order_number: 5_000_000_000_000_001,
  order_id: 'cart-7',
  partner_id: 2,
  network: 'CELO',
  asset: 'USDC',
  state: 'PENDING',
  why: 'it is still open',
  stuck: false,
  created_at: '2026-11-20T10:29:00.000Z',
  expires_at: '2026-11-20T10:36:00.000Z',
};
const PAID: OrderPage = {
  order_number: 5_000_000_000_000_001,
  order_id: 'cart-7',
  transaction_code: '0193f1c2-7c1e-7a40-9d7e-2f5a3b9c0d11',
  partner_id: 2,
  state: 'COMPLETE',
  reason: 'overpaid',
  message: 'Paid.',
  amount: { amount: '1293.50', currency: 'KES' },
  due: { amount: '10.000000', currency: 'USDC@CELO' },
  rate: '129.35',
  address: '0xAA',
  created_at: '2026-11-20T10:00:00.000Z',
  expires_at: '2026-11-20T10:07:00.000Z',
  passed_at: '2026-11-20T10:08:00.000Z',
  ended_at: '2026-11-20T10:02:00.000Z',
  transitions: [
    { sequence: 1, from: null, to: 'PENDING', event: 'made', detail: '', at: '2026-11-20T10:00:00.000Z' },
    {
      sequence: 2,
      from: 'PENDING',
      to: 'PROCESSING',
      event: 'order-deposit.seen',
      detail: 'in_sight',
      at: '2026-11-20T10:01:00.000Z',
    },
  ],
  deposits: [
    {
      claim_id: 1,
      deposit_id: 10,
      received: { amount: '12.000000', currency: 'USDC@CELO' },
      state: 'confirmed',
      transaction_hash: '0x1\u001b[2J',
      block_time: '2026-11-20T10:01:00.000Z',
      used: { amount: '10.000000', currency: 'USDC@CELO' },
      credited: { amount: '1293.50', currency: 'KES' },
    },
  ],
};

describe('the page of open orders', () => {
  it('says so where there are none', () => {
    expect(ordersPage([], false, NOW, plainPaint)).toBe('No order is open.');
  });

  it('has each with its end and why it is open, and what to do about one that is stuck', () => {
    const page = ordersPage(
      [
        { ...OPEN, stuck: true, why: 'its chain is not scanned past its end yet' },
        { ...OPEN, order_number: 5_000_000_000_000_002 },
      ],
      true,
      NOW,
      plainPaint,
    );
    expect(page).toMatch(
      /5000000000000001\s+2\s+cart-7\s+USDC@CELO\s+PENDING\s+in 6 min\s+stuck: its chain is not scanned/,
    );
    expect(page).toMatch(/5000000000000002 .* it is still open/);
    expect(page).toMatch(/and more, which are later/);
    expect(page).toMatch(/vuka -- show 5000000000000001/);
  });
});

describe('the page of one order', () => {
  it('shows its terms, history and deposits, and no value can break a line', () => {
    const page = orderPage(PAID, NOW, plainPaint);
    expect(page).toMatch(/^cart-7 {3}KES 1,293\.50 {3}COMPLETE \(overpaid\) {3}partner 2, order 5000000000000001$/m);
    expect(page).toMatch(/due\s+USDC@CELO 10\.000000, at 129\.35/);
    expect(page).toMatch(/credited by\s+0193f1c2/);
    expect(page).toMatch(/2\s+2026-11-20 10:01:00 UTC\s+PROCESSING\s+order-deposit\.seen\s+in_sight/);
    expect(page).toMatch(
      /10\s+USDC@CELO 12\.000000\s+confirmed\s+2026-11-20 10:01:00 UTC\s+10\.000000\s+KES 1,293\.50\s+0x1·/,
    );
    expect(page).not.toContain('\u001b');
  });
});
