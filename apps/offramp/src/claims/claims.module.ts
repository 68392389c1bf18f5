import { Module } from '@nestjs/common';

import { AddressesModule } from '../addresses/index.js';
import { RatesModule } from '../rates/index.js';
import { ScreeningModule } from '../screening/index.js';
import { AskChain } from './ask-chain.js';
import { CheckDeposit } from './check-deposit.js';
import { ClaimConsumer } from './claim.consumer.js';
import { ClaimStore } from './claim.store.js';
import { DueClaims } from './due-claims.js';
import { PartnerExposure } from './exposure.js';
import { RecheckStore } from './recheck.store.js';
import { RecordCheck } from './record-check.js';
import { TakeClaim } from './take-claim.js';

@Module({
  imports: [AddressesModule, RatesModule, ScreeningModule],
  controllers: [ClaimConsumer],
  providers: [ClaimStore, RecheckStore, PartnerExposure, AskChain, CheckDeposit, RecordCheck, TakeClaim, DueClaims],
  exports: [ClaimStore, RecheckStore, PartnerExposure, AskChain, CheckDeposit, RecordCheck, DueClaims],
})
export class ClaimsModule {}
