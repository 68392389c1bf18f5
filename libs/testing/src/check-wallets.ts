import type { Told, WalletChange } from './outside-view.js';
import { amountOf, payoutOf, serviceFeeOf } from './sent-payout.js';

/** Each wallet is down by what its transactions cost, to the cent. */
export function walletFaults(told: readonly Told[], wallets: readonly WalletChange[]): string[] {
  const spent = new Map<string, bigint>();
  for (const one of told) {
    const name = `${one.sent.partner} ${one.sent.currency}`;
    spent.set(name, (spent.get(name) ?? 0n) + costOf(one));
  }
  return wallets.flatMap(({ partner, currency, before, after }) => {
    const expected = before - (spent.get(`${partner} ${currency}`) ?? 0n);
    return after === expected ? [] : [`wallet ${currency} of partner ${partner} is ${after}, and should be ${expected}`];
  });
}

/**
 * COMPLETE: what was paid and our fee, for the markup has come back. FAILED and REVERSED: nothing but the debt for a payment
 * that stands all the same. Not ended: all of it is held.
 */
function costOf({ sent, row, expected }: Told): bigint {
  const debt = row.status === expected.end ? expected.debt : 0n;
  if (row.status === 'COMPLETE') return payoutOf(sent) + serviceFeeOf(sent);
  if (row.status === 'FAILED' || row.status === 'REVERSED') return debt;
  return amountOf(sent) + serviceFeeOf(sent);
}
