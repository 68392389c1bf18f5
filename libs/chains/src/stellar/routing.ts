import { readStellarAddress } from '../address/stellar-address.js';

import type { MuxedId } from './movements.js';
import type { Memo } from './transaction.js';

/** G…, and the number of a muxed address; undefined: what is nobody's of it. */
export interface StellarAddress {
  readonly account: string;
  readonly id: bigint | undefined;
}

/** Of an address that is one. */
export function readAddress(text: string): StellarAddress {
  const read = readStellarAddress(text);
  if (!read.ok) throw new TypeError('an address of ours is one of Stellar');
  return { account: read.value.account, id: read.value.id ?? undefined };
}

/**
 * Whose a payment to the account is (chains.md section 3.4): the muxed id's, else the memo's where that is an id. Undefined where there is
 * neither, where what stands for a muxed id is no number, and where a memo stands beside one and says anything else: people have to look at that.
 */
export function routeOf(muxedId: MuxedId, memo: Memo): bigint | undefined {
  if (muxedId === 'other') return undefined;
  if (muxedId === undefined) return memo.kind === 'id' ? memo.id : undefined;
  const isOne = memo.kind === 'none' || (memo.kind === 'id' && memo.id === muxedId);
  return isOne ? muxedId : undefined;
}
