import type { StatementKind } from '@vuka/contracts';
import type { PostingName } from '@vuka/domain';

/** What a posting is to the partner whose wallet it changes, by the side on which it does. */
interface WalletSides {
  readonly in?: StatementKind;
  readonly out?: StatementKind;
}

/** Every posting with a leg to or from a wallet. The names of postings are ours: partners are told what happened. */
export const KINDS_OF_POSTINGS = {
  P0: { in: 'opening' },
  P0b: { in: 'top_up' },
  P0b_debit: { out: 'debit' },
  P1: { out: 'hold' },
  P5: { in: 'markup' },
  P6: { in: 'release' },
  P8: { in: 'reversal', out: 'collected' },
  P9_unwind: { in: 'paid_again_returned', out: 'collected' },
  P9c: { out: 'collected' },
  P12_wallet: { in: 'refund_failed' },
  P13: { in: 'checkout' },
  P14: { in: 'deposit' },
} as const satisfies Partial<Record<PostingName, WalletSides>>;

/** `amountMinor` below 0 left the wallet. Throws on a posting that changes no wallet so: that is a bug. */
export function statementKindOf(posting: string, amountMinor: bigint): StatementKind {
  const sides: WalletSides | undefined = Object.hasOwn(KINDS_OF_POSTINGS, posting)
    ? KINDS_OF_POSTINGS[posting as keyof typeof KINDS_OF_POSTINGS]
    : undefined;
  const kind = amountMinor < 0n ? sides?.out : sides?.in;
  if (kind === undefined) throw new Error(`posting ${posting} has no word for what it does to a wallet`);
  return kind;
}
