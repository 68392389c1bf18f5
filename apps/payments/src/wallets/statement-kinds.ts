import type { StatementKind } from '@vuka/contracts';
import type { PostingName } from '@vuka/domain';

/** By direction, from the partner's wallet. */
interface WalletSides {
  readonly in?: StatementKind;
  readonly out?: StatementKind;
}

/** All postings that touch a wallet. Posting names are internal. */
export const KINDS_OF_POSTINGS = {
  sandbox_opened: { in: 'opening' },
  wallet_topped_up: { in: 'top_up' },
  wallet_debited: { out: 'debit' },
  payout_held: { out: 'hold' },
  payout_settled: { in: 'markup' },
  payout_released: { in: 'release' },
  payout_reversed: { in: 'reversal', out: 'collected' },
  duplicate_payment_returned: { in: 'paid_again_returned', out: 'collected' },
  receivable_collected: { out: 'collected' },
  refund_failed_to_wallet: { in: 'refund_failed' },
  order_settled: { in: 'checkout' },
  unapplied_credited: { in: 'deposit' },
} as const satisfies Partial<Record<PostingName, WalletSides>>;

/** Negative `amountMinor` left the wallet. Throws on an unknown posting: a bug. */
export function statementKindOf(posting: string, amountMinor: bigint): StatementKind {
  const sides: WalletSides | undefined = Object.hasOwn(KINDS_OF_POSTINGS, posting)
    ? KINDS_OF_POSTINGS[posting as keyof typeof KINDS_OF_POSTINGS]
    : undefined;
  const kind = amountMinor < 0n ? sides?.out : sides?.in;
  if (kind === undefined) throw new Error(`posting ${posting} has no word for what it does to a wallet`);
  return kind;
}
