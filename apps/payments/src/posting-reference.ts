import { postingReference, type PostingName } from '@vuka/domain';

/** The reference of the one posting of this name for this id: `p5:1042`. The ledger takes each reference once. */
export function referenceOf(name: PostingName, id: number | string): string {
  return postingReference(name.toLowerCase().replaceAll('_', '-'), id);
}
