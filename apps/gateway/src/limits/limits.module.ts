import { Module } from '@nestjs/common';
import { type RateLimitStore, TokenBuckets } from '@vuka/http';
import type { MonotonicClock } from '@vuka/runtime';
import { CLOCK, RATE_LIMIT_STORE } from '@vuka/service-host';

import { RateLimits } from './rate-limits.js';

@Module({
  providers: [
    {
      provide: TokenBuckets,
      inject: [CLOCK, RATE_LIMIT_STORE],
      useFactory: (clock: MonotonicClock, store: RateLimitStore | null) => new TokenBuckets(clock, store ?? undefined),
    },
    RateLimits,
  ],
  exports: [RateLimits],
})
export class LimitsModule {}
