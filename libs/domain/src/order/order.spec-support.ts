import { parseDecimal } from '../money/decimal.js';
import { money, type Money } from '../money/money.js';
import {
  confirmDeadline,
  ORDER_CONFIRM_MS,
  ORDER_GRACE_MS,
  type OrderDeposit,
  type OrderFacts,
} from './judge-order.js';
import type { OrderPrice } from './order-uses.js';

export const END = new Date('2026-11-21T12:07:00Z');
export const after = (ms: number): Date => new Date(END.getTime() + ms);

export function tokens(text: string, asset = 'USDC@BASE', decimals = 6): Money {
  const parsed = parseDecimal(text, decimals);
  if (!parsed.ok) throw new Error(parsed.error);
  return money(parsed.value, asset);
}

export const units = (minor: bigint): Money => money(minor, 'USDC@BASE');

/** 10 USDC on BASE for 1,293.50 shillings, before its end. */
export const ORDER: OrderFacts & OrderPrice = {
  state: 'PENDING',
  reason: '',
  chain: 'BASE',
  decimals: 6,
  due: tokens('10'),
  amount: money(1_293_50n, 'KES'),
  expiresAt: END,
  passedAt: null,
  confirmDeadline: after(ORDER_CONFIRM_MS),
};

/** The chain scan passed its end. */
export const passed = (order = ORDER, passedAt = after(ORDER_GRACE_MS + 1_000)): typeof ORDER => ({
  ...order,
  passedAt,
  confirmDeadline: confirmDeadline({ ...order, passedAt }),
});

export const deposit = (depositId: number, more: Partial<OrderDeposit> = {}): OrderDeposit => ({
  depositId,
  state: 'confirmed',
  chain: 'BASE',
  received: tokens('10'),
  blockTime: after(-60_000),
  used: null,
  ...more,
});

/** `4 USDC + 6 USDC on CELO late seen`, as in the golden table; ids count from 1. */
export function depositsOf(text: string): OrderDeposit[] {
  if (text === 'nothing') return [];
  return text.split(' + ').map((one, at) => {
    const [, amount = '', symbol = '', chain = 'BASE', words = ''] =
      /^([\d.]+) (\w+)(?: on ([A-Z]+))?((?: [a-z]+)*)$/.exec(one) ?? [];
    const said = new Set(words.replace('in time', 'intime').split(' '));
    const state = (['seen', 'screened', 'gone', 'reverted'] as const).find((word) => said.has(word)) ?? 'confirmed';
    const received = tokens(amount, `${symbol}@${chain}`);
    const blockTime = said.has('late')
      ? after(ORDER_GRACE_MS + 1)
      : said.has('intime')
        ? after(ORDER_GRACE_MS)
        : after(-60_000);
    return {
      depositId: state === 'seen' ? null : at + 1,
      state,
      chain,
      received,
      blockTime,
      used: said.has('used') ? received : null,
    };
  });
}
