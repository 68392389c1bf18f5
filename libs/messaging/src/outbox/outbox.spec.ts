import { readFileSync } from 'node:fs';

import { describe, expect, it } from '@jest/globals';

import { OUTBOX_BUCKETS } from './buckets.js';
import { OUTBOX_SQL } from './outbox.js';

describe('outbox.sql', () => {
  it('lets in the buckets that keys are spread over, and no other', () => {
    const [, least, beyond] =
      /constraint outbox_bucket_check check \(bucket >= (\d+) and bucket < (\d+)\)/.exec(
        readFileSync(OUTBOX_SQL, 'utf8'),
      ) ?? [];
    expect([least, beyond]).toEqual(['0', String(OUTBOX_BUCKETS)]);
  });
});
