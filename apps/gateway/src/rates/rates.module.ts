import { Module } from '@nestjs/common';

import { ChainsModule } from '../chains/index.js';
import { PartnersModule } from '../partners/index.js';
import { CreateQuote } from './create-quote.js';
import { RatesController } from './rates.controller.js';
import { GetRates } from './get-rates.js';

@Module({
  imports: [ChainsModule, PartnersModule],
  controllers: [RatesController],
  providers: [CreateQuote, GetRates],
})
export class RatesModule {}
