import { Module } from '@nestjs/common';
import { type RateLimitStore, TokenBuckets } from '@vuka/http';
import type { Clock, MonotonicClock } from '@vuka/runtime';
import { CLOCK, RATE_LIMIT_STORE } from '@vuka/service-host';

import { AskProviders } from './ask-providers.js';
import { ListBanks } from './list-banks.js';
import { MemoryNameCache } from './name-cache.js';
import { PredictNetwork } from './predict-network.js';
import { ResolveName } from './resolve-name.js';
import { ValidationRoot } from './validation.root.js';

@Module({
  providers: [
    ListBanks,
    AskProviders,
    MemoryNameCache,
    PredictNetwork,
    {
      provide: TokenBuckets,
      inject: [CLOCK, RATE_LIMIT_STORE],
      useFactory: (clock: Clock & MonotonicClock, store: RateLimitStore | null) =>
        new TokenBuckets(clock, store ?? undefined),
    },
    ResolveName,
    ValidationRoot,
  ],
})
export class AppModule {}
