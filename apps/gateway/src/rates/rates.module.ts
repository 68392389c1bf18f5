import { Module } from '@nestjs/common';

import { ChainsModule } from '../chains/index.js';
import { PartnersModule } from '../partners/index.js';
import { GiveQuote } from './give-quote.js';
import { RatesController } from './rates.controller.js';
import { TellRates } from './tell-rates.js';

@Module({
  imports: [ChainsModule, PartnersModule],
  controllers: [RatesController],
  providers: [GiveQuote, TellRates],
})
export class RatesModule {}
