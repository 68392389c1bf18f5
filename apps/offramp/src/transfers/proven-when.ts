import type { UnsignedTransfer } from '@vuka/chains';

/** For people: until when a transfer that a signer was shown may get in, and what has to happen before its chain can prove that it did not. */
export function provenWhen({ expiresAt, place }: Pick<UnsignedTransfer, 'expiresAt' | 'place'>): string {
  if (expiresAt !== null) return `after ${expiresAt}`;
  return `once nonce ${String(place)} of the wallet is used: the next refund takes it; none coming, send anything from the wallet with that nonce`;
}
