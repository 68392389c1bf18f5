import { currencyDecimals, money, parseDecimal } from '@vuka/domain';
import { z } from 'zod';

import type { BalanceProvider, BalancesAnswer, FloatBalance } from '../../payout-provider.js';
import type { ProviderReply } from '../../provider-http.js';
import { walletName } from './floats.js';
import { PAWAPAY_NETWORKS } from './networks.js';

export const PAWAPAY_BALANCE_RULES: BalanceProvider['balanceRules'] = {
  holdsOpening: false,
};

/** A wallet holds fees' fractions, also of currencies that have no decimals (`10798.03` shillings of Uganda [D]). */
const DECIMALS = 6;

const answer = z.object({
  balances: z
    .array(
      z.object({
        country: z.string(),
        currency: z.string(),
        balance: z.string(),
        // '' where it is of the country.
        provider: z.string().nullish(),
      }),
    )
    .max(500),
});

/**
 * GET /v2/wallet-balances. Left out are wallets of a country and currency that we do not pay, and of a network that we do not know.
 * One sum of ours that cannot be read spoils the whole answer, and so does a wallet that comes twice. `at`: when the answer had come.
 */
export function readBalances(reply: ProviderReply, at: Date): BalancesAnswer {
  if (reply.kind === 'no_answer') return failed(reply.detail);
  if (reply.status !== 200) return failed(`HTTP ${reply.status}`);
  const { data } = answer.safeParse(reply.body);
  if (data === undefined) return failed('an answer of another shape');
  const balances = new Map<string, FloatBalance>();
  for (const { country, currency, balance, provider } of data.balances) {
    const network = PAWAPAY_NETWORKS.find(
      (one) => one.country === country && one.currency === currency && (!provider || one.provider === provider),
    );
    if (network === undefined) continue;
    const read = signed(balance);
    if (read === null) return failed(`a sum of ${currency} that cannot be read`);
    const { countryCode } = network;
    const wallet = walletName(countryCode, provider ?? '');
    const key = `${wallet} ${currency}`;
    if (balances.has(key)) return failed(`the wallet ${key} comes twice`);
    balances.set(key, { wallet, amount: money(toMinor(read, currency), currency), country: countryCode, at });
  }
  return { outcome: 'told', balances: [...balances.values()] };
}

function failed(detail: string): BalancesAnswer {
  return { outcome: 'failed', detail };
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
