import { money } from '@vuka/domain';
import { z } from 'zod';

import type { BalancesAnswer, FloatBalance } from '../../payout-provider.js';
import type { ProviderReply } from '../../provider-http.js';
import { FLOATS } from './channels.js';

const answer = z.object({
  status: z.literal(true),
  data: z.array(z.object({ currency: z.string(), balance: z.number() })).max(50),
});

/**
 * GET /balance, in minor units [D]. Currencies that are not paid are left out. One sum of ours that cannot be read spoils the whole
 * answer, and so does a currency that comes twice. `at`: when the answer had come.
 */
export function readBalances(reply: ProviderReply, at: Date): BalancesAnswer {
  if (reply.kind === 'no_answer') return failed(reply.detail);
  if (reply.status !== 200) return failed(`HTTP ${reply.status}`);
  const { data } = answer.safeParse(reply.body);
  if (data === undefined) return failed('an answer of another shape');
  const balances = new Map<string, FloatBalance>();
  for (const { currency, balance } of data.data) {
    const float = FLOATS.find((one) => one.currency === currency);
    if (float === undefined) continue;
    if (!Number.isSafeInteger(balance)) return failed(`a sum of ${currency} that cannot be read`);
    if (balances.has(currency)) return failed(`${currency} comes twice`);
    balances.set(currency, { wallet: float.wallet, amount: money(BigInt(balance), currency), at });
  }
  return { outcome: 'told', balances: [...balances.values()] };
}

function failed(detail: string): BalancesAnswer {
  return { outcome: 'failed', detail };
}
