import { readStellarAddress } from '../address/stellar-address.js';

import type { MuxedId } from './movements.js';
import type { Memo } from './transaction.js';

/** `id` undefined: belongs to no partner. */
export interface StellarAddress {
  readonly account: string;
  readonly id: bigint | undefined;
}

/** Throws TypeError. */
export function readAddress(text: string): StellarAddress {
  const read = readStellarAddress(text);
  if (!read.ok) throw new TypeError('an address of ours is one of Stellar');
  return { account: read.value.account, id: read.value.id ?? undefined };
}

/**
 * By muxed id, else by id memo (chains.md section 3.4). Undefined, for people, if there is none, it is no
 * number, or the memo contradicts it.
 */
export function routeOf(muxedId: MuxedId, memo: Memo): bigint | undefined {
  if (muxedId === 'other') return undefined;
  if (muxedId === undefined) return memo.kind === 'id' ? memo.id : undefined;
  const isOne = memo.kind === 'none' || (memo.kind === 'id' && memo.id === muxedId);
  return isOne ? muxedId : undefined;
}
