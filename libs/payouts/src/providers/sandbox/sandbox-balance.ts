import { currencyDecimals, money, parseDecimal, type Money } from '@vuka/domain';
import { z } from 'zod';

import type { BalanceProvider, BalancesAnswer } from '../../payout-provider.js';
import type { ProviderReply } from '../../provider-http.js';

/** The sandbox providers debit what they have paid, and know nothing of the float that the sandbox opened the ledger with. */
export const SANDBOX_BALANCE_RULES: BalanceProvider['balanceRules'] = {
  debitsOnAcceptance: false,
  holdsOpening: false,
};

const sums = z.object({
  currencies: z.array(
    z.object({ currency: z.string().regex(/^[A-Z]{3}$/), paid_out: z.string(), came_back: z.string() }),
  ),
});

/** What came back, less what was paid. One sum that cannot be read spoils the whole answer. */
export function readBalances(reply: ProviderReply): BalancesAnswer {
  if (reply.kind === 'no_answer') return { outcome: 'failed', detail: reply.detail };
  if (reply.status !== 200) return { outcome: 'failed', detail: `HTTP ${reply.status}` };
  const parsed = sums.safeParse(reply.body);
  if (!parsed.success) return { outcome: 'failed', detail: 'an answer of another shape' };
  const balances: Money[] = [];
  for (const { currency, paid_out, came_back } of parsed.data.currencies) {
    const decimals = decimalsOf(currency);
    const [paid, back] =
      decimals === undefined ? [] : [parseDecimal(paid_out, decimals), parseDecimal(came_back, decimals)];
    if (paid?.ok !== true || back?.ok !== true)
      return { outcome: 'failed', detail: `a sum of ${currency} that cannot be read` };
    balances.push(money(back.value - paid.value, currency));
  }
  const isOnce = new Set(balances.map(({ currency }) => currency)).size === balances.length;
  return isOnce ? { outcome: 'told', balances } : { outcome: 'failed', detail: 'a currency that comes twice' };
}

/** undefined: no currency of ours. */
function decimalsOf(currency: string): number | undefined {
  try {
    return currencyDecimals(currency);
  } catch {
    return undefined;
  }
}
