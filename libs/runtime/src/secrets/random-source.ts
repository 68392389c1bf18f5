import { randomFillSync } from 'node:crypto';

import { v7 } from 'uuid';

/** System calls cost the same for any size. */
const POOL_BYTES = 4_096;

const pool = Buffer.allocUnsafeSlow(POOL_BYTES);
let used = POOL_BYTES;

/** At most 4096 strong bytes, each given out once and wiped here. */
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

/** Ordered by millisecond, random within. */
export function uuidv7(): string {
  return v7({ random: pooledRandomBytes(16) });
}
