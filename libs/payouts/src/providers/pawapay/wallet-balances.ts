import { currencyDecimals, money, parseDecimal } from '@vuka/domain';
import { z } from 'zod';

import type { BalanceProvider, BalancesAnswer } from '../../payout-provider.js';
import type { ProviderReply } from '../../provider-http.js';
import { PAWAPAY_CURRENCIES } from './networks.js';

export const PAWAPAY_BALANCE_RULES: BalanceProvider['balanceRules'] = {
  holdsOpening: false,
};

/** A wallet holds fees' fractions, also of currencies that have no decimals (`10798.03` shillings of Uganda [D]). */
const DECIMALS = 6;

const answer = z.object({
  balances: z.array(z.object({ country: z.string(), currency: z.string(), balance: z.string() })).max(500),
});

/**
 * GET /v2/wallet-balances, by currency: wallets are per country, some per network. Wallets of currencies that we do not pay
 * in are left out; one sum of ours that cannot be read spoils the whole answer.
 */
export function readBalances(reply: ProviderReply): BalancesAnswer {
  if (reply.kind === 'no_answer') return { outcome: 'failed', detail: reply.detail };
  if (reply.status !== 200) return { outcome: 'failed', detail: `HTTP ${reply.status}` };
  const { data } = answer.safeParse(reply.body);
  if (data === undefined) return { outcome: 'failed', detail: 'an answer of another shape' };
  const sums = new Map<string, bigint>();
  for (const { currency, balance } of data.balances) {
    if (!PAWAPAY_CURRENCIES.includes(currency)) continue;
    const read = signed(balance);
    if (read === null) return { outcome: 'failed', detail: `a sum of ${currency} that cannot be read` };
    sums.set(currency, (sums.get(currency) ?? 0n) + read);
  }
  const balances = [...sums].map(([currency, sum]) => money(toMinor(sum, currency), currency));
  return { outcome: 'told', balances };
}

function signed(text: string): bigint | null {
  const read = parseDecimal(text.replace(/^-/, ''), DECIMALS);
  if (!read.ok) return null;
  return text.startsWith('-') ? -read.value : read.value;
}

/** Rounded down, so that never more is told than there is. */
function toMinor(sum: bigint, currency: string): bigint {
  const unit = 10n ** BigInt(DECIMALS - currencyDecimals(currency));
  const whole = sum / unit;
  return sum < 0n && whole * unit !== sum ? whole - 1n : whole;
}
