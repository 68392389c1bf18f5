import { Module } from '@nestjs/common';

import { AcceptedBefore } from './accepted-before.js';
import { IdempotencyStore } from './idempotency.store.js';
import { RunOnce } from './run-once.js';
import { SweepIdempotencyKeys } from './sweep-idempotency-keys.job.js';

@Module({
  providers: [IdempotencyStore, RunOnce, AcceptedBefore, SweepIdempotencyKeys],
  exports: [RunOnce, AcceptedBefore],
})
export class IdempotencyModule {}
