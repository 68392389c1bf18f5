import { Module } from '@nestjs/common';
import type { Settings } from '@vuka/config';
import { SETTINGS } from '@vuka/service-host';

import { AddressesModule } from '../addresses/index.js';
import { ChainsModule } from '../chains/index.js';
import { CheckRefundAddress } from './check-refund-address.js';
import { loadScreening, SCREENING } from './screening.js';

@Module({
  imports: [AddressesModule, ChainsModule],
  providers: [
    {
      provide: SCREENING,
      inject: [SETTINGS],
      useFactory: ({ chains, env }: Settings) => loadScreening(chains.screeningFile, env),
    },
    CheckRefundAddress,
  ],
  exports: [SCREENING, CheckRefundAddress],
})
export class ScreeningModule {}
