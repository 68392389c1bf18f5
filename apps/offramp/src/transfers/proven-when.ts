import type { UnsignedTransfer } from '@vuka/chains';

import { ENDING, type RefundInHand } from '../refunds/index.js';

/** For people: when the chain can prove that it was not sent. */
export function provenWhen({ expiresAt, place }: Pick<UnsignedTransfer, 'expiresAt' | 'place'>): string {
  if (expiresAt !== null) return `after ${expiresAt}`;
  return `once nonce ${String(place)} of the wallet is used: the next refund takes it; none coming, send anything from the wallet with that nonce`;
}

export function endingOf({ endsAs, versions }: RefundInHand): string {
  const shown = versions.find(({ state }) => state === 'prepared') ?? versions.at(-1);
  const why = endsAs === 'cancelled' ? 'it is given up' : 'its chain took its deposit back';
  return `${ENDING}: ${why}, and a signer was shown it: it ends when its chain proves that it never got in, ${shown === undefined ? 'and not before' : provenWhen(shown.unsigned)}`;
}
