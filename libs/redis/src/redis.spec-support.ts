import { describe } from '@jest/globals';
import { findRedis } from '@vuka/local-servers';

const redis = await findRedis();
if (!redis.ok) {
  if (process.env['REQUIRE_DISTRIBUTED'] === '1') throw new Error(`Redis is required here and cannot be had: ${redis.why}`);
  process.stdout.write(`\n*** SKIPPED, all that needs a real Redis: ${redis.why} ***\n\n`);
}

/** Skips, loudly, where no Redis can be had; fails where it is required. */
export const describeWithRedis: (name: string, suite: () => void) => void = redis.ok ? describe : describe.skip;
