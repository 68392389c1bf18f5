import { Module } from '@nestjs/common';
import type { Settings } from '@vuka/config';
import type { Clock } from '@vuka/runtime';
import { CLOCK, SETTINGS } from '@vuka/service-host';

import { HttpRateSource } from './http-rate-source.js';
import { rateRules } from './rate-rules.js';
import { RATE_SOURCE, type RateSource } from './rate-source.js';
import { RateStore } from './rate.store.js';
import { RATE_RULES, Rates } from './rates.js';
import { sandboxRates } from './sandbox-rates.js';

@Module({
  providers: [
    { provide: RATE_SOURCE, inject: [SETTINGS, CLOCK], useFactory: rateSourceOf },
    { provide: RATE_RULES, inject: [SETTINGS], useFactory: ({ rates }: Settings) => rateRules(rates) },
    RateStore,
    Rates,
  ],
  exports: [Rates],
})
export class RatesModule {}

function rateSourceOf({ rates, env }: Settings, clock: Clock): RateSource {
  if (rates.url !== null) return new HttpRateSource(rates.url);
  if (env === 'sandbox') return sandboxRates(clock);
  return {
    read: () => Promise.reject(new Error('there is no rate source: RATES_URL is not set')),
    close: async () => undefined,
  };
}
