import { Module } from '@nestjs/common';

import { AddressesModule } from '../addresses/index.js';
import { ChainsModule } from '../chains/index.js';
import { ClaimWorkModule } from '../claim-work/index.js';
import { ClaimsModule } from '../claims/index.js';
import { SwitchesModule } from '../switches/index.js';
import { RecheckDeposits } from './recheck-deposits.js';
import { AskAgain } from './recheck.js';
import { Rechecks } from './rechecks.js';
import { RecordReversal } from './record-reversal.js';
import { Returns } from './returns.js';
import { WatchReturns } from './watch-returns.js';

@Module({
  imports: [AddressesModule, ChainsModule, ClaimWorkModule, ClaimsModule, SwitchesModule],
  providers: [AskAgain, RecordReversal, RecheckDeposits, Rechecks, WatchReturns, Returns],
  exports: [Rechecks, Returns],
})
export class RechecksModule {}
