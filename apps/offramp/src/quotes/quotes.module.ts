import { Module } from '@nestjs/common';

import { AddressesModule } from '../addresses/index.js';
import { RatesModule } from '../rates/index.js';
import { SwitchesModule } from '../switches/index.js';
import { CheckQuote } from './check-quote.js';
import { CreateQuote } from './create-quote.js';
import { QuoteStore } from './quote.store.js';

@Module({
  imports: [AddressesModule, RatesModule, SwitchesModule],
  providers: [QuoteStore, CreateQuote, CheckQuote],
  exports: [QuoteStore, CreateQuote, CheckQuote],
})
export class QuotesModule {}
