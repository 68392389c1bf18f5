import type { UnsignedTransfer } from '@vuka/chains';

import { ENDING, type RefundInHand } from '../refunds/index.js';

/** For people: when the chain can prove that it was not sent. */
export function provenWhen({ expiresAt, place }: Pick<UnsignedTransfer, 'expiresAt' | 'place'>): string {
  if (expiresAt !== null) return `after ${expiresAt}`;
  return `when nonce ${String(place)} of the wallet is used. The next refund uses it. If there is none, send any transfer from the wallet with that nonce`;
}

export function endingOf({ endsAs, versions }: RefundInHand): string {
  const shown = versions.find(({ state }) => state === 'prepared') ?? versions.at(-1);
  const why = endsAs === 'cancelled' ? 'it is cancelled' : 'its deposit vanished';
  return `${ENDING}: ${why}, but it was exported. It ends when its chain proves that it cannot arrive${shown === undefined ? '' : `: ${provenWhen(shown.unsigned)}`}`;
}
