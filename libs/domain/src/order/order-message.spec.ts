import { describe, expect, it } from '@jest/globals';

import { ORDER_REASONS, ORDER_STATES, type OrderReason, type OrderState } from '../machine/order-table.js';
import { formatTokens, orderMessage } from './order-message.js';
import { ORDER, tokens, units } from './order.spec-support.js';

const messageOf = (state: OrderState, reason: OrderReason, received: string): string =>
  orderMessage({ ...ORDER, state, reason, received: tokens(received) });

describe('orderMessage', () => {
  it.each([
    ['PENDING', '', '0', 'Waiting for 10 USDC on BASE.'],
    ['PROCESSING', '', '10', 'The payment of 10 USDC on BASE was seen.'],
    ['PROCESSING', '', '9.99', 'The payment of 10 USDC on BASE was seen.'],
    [
      'PROCESSING',
      '',
      '9.989999',
      '9.989999 of 10 USDC on BASE was seen: the rest may be sent until the order expires.',
    ],
    ['PROCESSING', '', '0', 'What was seen of 10 USDC on BASE is not on the chain any more.'],
    ['COMPLETE', '', '10', 'Paid: 10 USDC on BASE.'],
    [
      'COMPLETE',
      'overpaid',
      '12.5',
      'Paid: 12.5 arrived for 10 USDC on BASE. The surplus can be sent back, or goes to the wallet.',
    ],
    ['FAILED', 'expired', '0', 'The order expired: nothing came of 10 USDC on BASE.'],
    [
      'FAILED',
      'underpaid',
      '4',
      'The payment has a mismatch equivalent amount in USD: 4 of 10 USDC on BASE arrived in time. It can be sent back, or goes to the wallet.',
    ],
    [
      'FAILED',
      'late',
      '0',
      'The payment of 10 USDC on BASE came after the order had expired. It can be sent back, or goes to the wallet.',
    ],
    [
      'FAILED',
      'wrong_asset',
      '0',
      'The payment came in another token than USDC. It can be sent back, or goes to the wallet.',
    ],
    [
      'FAILED',
      'wrong_network',
      '0',
      'The payment came on another network than BASE. It can be sent back, or goes to the wallet.',
    ],
  ] as const)('%s %s with %s: %s', (state, reason, received, message) => {
    expect(messageOf(state, reason, received)).toBe(message);
  });

  it('fits where it is kept and told, whatever the amounts', () => {
    const most = { ...ORDER, decimals: 18, due: units(10n ** 38n - 1n), received: units(10n ** 38n - 1n) };
    for (const state of ORDER_STATES)
      for (const reason of ORDER_REASONS) expect(orderMessage({ ...most, state, reason }).length).toBeLessThan(500);
  });
});

describe('formatTokens', () => {
  it.each([
    [0n, 6, '0'],
    [1n, 6, '0.000001'],
    [12_500_000n, 6, '12.5'],
    [10_000_000n, 6, '10'],
    [100n, 0, '100'],
    [10n ** 20n, 18, '100'],
    [10n ** 18n + 1n, 18, '1.000000000000000001'],
  ])('%d of %d decimals is %s', (minor, decimals, text) => {
    expect(formatTokens(minor, decimals)).toBe(text);
  });
});
