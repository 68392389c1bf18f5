import { Module, type DynamicModule } from '@nestjs/common';
import type { RequestRate } from '@vuka/config';
import { type RateLimitStore, TokenBuckets } from '@vuka/http';
import { looksUpNames, type PayoutProvider } from '@vuka/payouts';
import type { Cipher, Clock, Logger, MonotonicClock } from '@vuka/runtime';

import { AskRails } from './ask-rails.js';
import { ListBanks } from './list-banks.js';
import { MemoryNameCache } from './name-cache.js';
import { ResolveName } from './resolve-name.js';

export interface ValidationOptions {
  /** All rails, in order of preference: those that tell names are asked for them. */
  readonly providers: readonly PayoutProvider[];
  readonly cipher: Pick<Cipher, 'blindIndex'>;
  readonly clock: Clock & MonotonicClock;
  readonly log: Logger;
  /** How often one partner may look up one destination; null = as often as it likes. */
  readonly perDestination: RequestRate | null;
  /** Where that is counted: a store that all validations share, or by default this process's memory. Its owner closes it. */
  readonly rateLimitStore?: RateLimitStore;
}

/** What validation is made of. */
@Module({})
export class AppModule {
  static of({ providers, cipher, clock, log, perDestination, rateLimitStore }: ValidationOptions): DynamicModule {
    const rails = new AskRails({ rails: providers.filter(looksUpNames), clock, log });
    const parts = {
      rails,
      cipher,
      clock,
      cache: new MemoryNameCache(clock),
      buckets: new TokenBuckets(clock, rateLimitStore),
      perDestination,
    };
    return {
      module: AppModule,
      providers: [
        { provide: ListBanks, useFactory: () => new ListBanks() },
        { provide: ResolveName, useFactory: () => new ResolveName(parts) },
      ],
    };
  }
}
