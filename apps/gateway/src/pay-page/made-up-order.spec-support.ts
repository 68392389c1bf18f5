import type { OrderView } from '@vuka/contracts';

export const PAGE_TOKEN = 'Zq3bR_x-7fW1kP0sYtL9aA';

interface MadeUp extends Partial<OrderView> {
  readonly createdAt?: Date;
}

/** KES 1,500 in USDC on Base for 7 minutes, unpaid. */
export function madeUpOrder({ createdAt = new Date('2026-11-21T12:00:00Z'), ...differently }: MadeUp = {}): OrderView {
  return {
    order_number: 5_000_000_000_000_017,
    order_id: 'INV-17',
    status: 'PENDING',
    reason: '',
    message: 'Waiting for 11.596444 USDC on BASE.',
    network: 'BASE',
    asset: 'USDC',
    token: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    decimals: 6,
    currency: 'KES',
    amount_minor: '150000',
    usd_cents: '1160',
    rate: '129.35',
    due_minor: '11596444',
    received_minor: '0',
    address: '0x52908400098527886E0F7030069857D2E4169EE7',
    memo_address: '',
    memo: '',
    created_at: createdAt.toISOString(),
    expires_at: new Date(createdAt.getTime() + 420_000).toISOString(),
    transaction_hash: null,
    page_token: PAGE_TOKEN,
    ...differently,
  };
}
