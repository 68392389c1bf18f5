import { money, parseDecimal } from '@vuka/domain';
import { z } from 'zod';

import { type BalanceProvider, type BalancesAnswer, MAIN_WALLET } from '../../payout-provider.js';
import type { ProviderReply } from '../../provider-http.js';
import { CHAPA_CURRENCY } from './networks.js';

export const CHAPA_BALANCE_RULES: BalanceProvider['balanceRules'] = {
  holdsOpening: false,
};

/** It writes numbers of a computer: 1000.1000000000001. */
const DECIMALS = 20;
const MINOR = 2;

const answer = z.object({
  status: z.literal('success'),
  data: z.array(z.object({ currency: z.string(), available_balance: z.union([z.string(), z.number()]) })).max(100),
});

/**
 * GET /v1/balances [D]: what may be transferred. `ledger_balance` has money besides that is not settled yet. `at`: when the answer had
 * come.
 */
export function readBalances(reply: ProviderReply, at: Date): BalancesAnswer {
  if (reply.kind === 'no_answer') return failed(reply.detail);
  if (reply.status !== 200) return failed(`HTTP ${reply.status}`);
  const { data } = answer.safeParse(reply.body);
  if (data === undefined) return failed('an answer of another shape');
  const ours = data.data.filter(({ currency }) => currency.toUpperCase() === CHAPA_CURRENCY);
  const [only] = ours;
  if (only === undefined || ours.length > 1) return failed(`${ours.length} balances in ${CHAPA_CURRENCY}`);
  const minor = toMinor(String(only.available_balance));
  if (minor === null) return failed('a sum that cannot be read');
  return { outcome: 'told', balances: [{ wallet: MAIN_WALLET, amount: money(minor, CHAPA_CURRENCY), at }] };
}

function failed(detail: string): BalancesAnswer {
  return { outcome: 'failed', detail };
}

/** Rounded down, so that never more is told than there is. */
function toMinor(text: string): bigint | null {
  const read = parseDecimal(text.replace(/^-/, ''), DECIMALS);
  if (!read.ok) return null;
  const unit = 10n ** BigInt(DECIMALS - MINOR);
  if (!text.startsWith('-')) return read.value / unit;
  return -((read.value + unit - 1n) / unit);
}
