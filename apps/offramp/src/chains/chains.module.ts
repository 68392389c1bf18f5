import { Module } from '@nestjs/common';
import type { Settings } from '@vuka/config';
import { type Clock, type Logger, Metrics, type MonotonicClock } from '@vuka/runtime';
import { CLOCK, LOGGER, SETTINGS } from '@vuka/service-host';

import { SERVED_CHAIN_NAMES } from './chain-reader.js';
import { OPEN_READER, readersWith, ServedChains } from './served-chains.js';

@Module({
  providers: [
    {
      provide: SERVED_CHAIN_NAMES,
      inject: [SETTINGS],
      useFactory: ({ chains }: Settings): ReadonlySet<string> => new Set(Object.keys(chains.endpoints)),
    },
    {
      provide: OPEN_READER,
      inject: [LOGGER, Metrics, CLOCK],
      useFactory: (log: Logger, metrics: Metrics, clock: Clock & MonotonicClock) =>
        readersWith({ log, metrics, clock }),
    },
    ServedChains,
  ],
  exports: [SERVED_CHAIN_NAMES, ServedChains],
})
export class ChainsModule {}
