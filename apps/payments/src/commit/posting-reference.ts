import { postingReference, type PostingName } from '@vuka/domain';

/** `payout-settled:1042`, or the n-th: `duplicate-payment:1042:2`. Unique in the ledger. */
export function referenceOf(name: PostingName, id: number | string, n?: number): string {
  return postingReference(name.toLowerCase().replaceAll('_', '-'), id, n);
}
