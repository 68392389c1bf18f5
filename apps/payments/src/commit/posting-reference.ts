import { postingReference, type PostingName } from '@vuka/domain';

/** The reference of the one posting of this name for this id, or of its n-th: `p5:1042`, `p9:1042:2`. The ledger takes each reference once. */
export function referenceOf(name: PostingName, id: number | string, n?: number): string {
  return postingReference(name.toLowerCase().replaceAll('_', '-'), id, n);
}
