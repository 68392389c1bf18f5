import { randomFillSync } from 'node:crypto';

import { v7 } from 'uuid';

/** Every draw from the system costs the same, a dozen bytes or all of these. */
const POOL_BYTES = 4_096;

const pool = Buffer.allocUnsafeSlow(POOL_BYTES);
let used = POOL_BYTES;

/**
 * `size` cryptographically strong random bytes (at most 4096), for keys of rows, traces and IVs: drawn from the system
 * in bulk, each byte handed out once, as a copy, and wiped here.
 */
export function pooledRandomBytes(size: number): Buffer {
  if (size > POOL_BYTES) throw new RangeError(`the pool gives at most ${POOL_BYTES} random bytes at a time`);
  if (used + size > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  const taken = Buffer.from(pool.subarray(used, used + size));
  pool.fill(0, used, used + size);
  used += size;
  return taken;
}

/** A new UUID version 7: ordered by millisecond, random within one. */
export function uuidv7(): string {
  return v7({ random: pooledRandomBytes(16) });
}
