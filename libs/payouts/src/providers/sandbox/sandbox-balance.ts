import { currencyDecimals, money, parseDecimal } from '@vuka/domain';
import { z } from 'zod';

import { type BalanceProvider, type BalancesAnswer, type FloatBalance, MAIN_WALLET } from '../../payout-provider.js';
import type { ProviderReply } from '../../provider-http.js';

/** The providers do not know the opening float of the sandbox ledger. */
export const SANDBOX_BALANCE_RULES: BalanceProvider['balanceRules'] = {
  holdsOpening: false,
};

const sums = z.object({
  currencies: z.array(
    z.object({ currency: z.string().regex(/^[A-Z]{3}$/), paid_out: z.string(), came_back: z.string() }),
  ),
});

/** One unreadable sum makes the whole answer `failed`. `at`: when the answer had come. */
export function readBalances(reply: ProviderReply, at: Date): BalancesAnswer {
  if (reply.kind === 'no_answer') return { outcome: 'failed', detail: reply.detail };
  if (reply.status !== 200) return { outcome: 'failed', detail: `HTTP ${reply.status}` };
  const parsed = sums.safeParse(reply.body);
  if (!parsed.success) return { outcome: 'failed', detail: 'an answer of another shape' };
  const balances: FloatBalance[] = [];
  for (const { currency, paid_out, came_back } of parsed.data.currencies) {
    const decimals = decimalsOf(currency);
    const [paid, back] =
      decimals === undefined ? [] : [parseDecimal(paid_out, decimals), parseDecimal(came_back, decimals)];
    if (paid?.ok !== true || back?.ok !== true)
      return { outcome: 'failed', detail: `a sum of ${currency} that cannot be read` };
    balances.push({ wallet: MAIN_WALLET, amount: money(back.value - paid.value, currency), at });
  }
  const isOnce = new Set(balances.map(({ amount }) => amount.currency)).size === balances.length;
  return isOnce ? { outcome: 'told', balances } : { outcome: 'failed', detail: 'a currency that comes twice' };
}

function decimalsOf(currency: string): number | undefined {
  try {
    return currencyDecimals(currency);
  } catch {
    return undefined;
  }
}
