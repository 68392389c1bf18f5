import { Module } from '@nestjs/common';

import { IncomingTransfersModule } from '../incoming-transfers/index.js';
import { ChainsModule } from '../chains/index.js';
import { ClaimsModule } from '../claims/index.js';
import { OrdersModule } from '../orders/index.js';
import { RecordPage } from './record-page.js';
import { ScanChains } from './scan-chains.js';
import { WatchedAddresses } from './watched-addresses.js';

@Module({
  imports: [IncomingTransfersModule, ChainsModule, ClaimsModule, OrdersModule],
  providers: [WatchedAddresses, RecordPage, ScanChains],
  exports: [ScanChains],
})
export class ScansModule {}
