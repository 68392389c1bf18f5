import { Module } from '@nestjs/common';

import { AddressesModule } from '../addresses/index.js';
import { IncomingTransfersModule } from '../incoming-transfers/index.js';
import { ChainsModule } from '../chains/index.js';
import { ClaimsModule } from '../claims/index.js';
import { RatesModule } from '../rates/index.js';
import { SwitchesModule } from '../switches/index.js';
import { CheckOrderDeposit } from './check-order-deposit.js';
import { OrderClaims } from './open-order-claims.js';
import { OrderChains } from './order-chains.js';
import { OrderWatchStore } from './order-watch.store.js';
import { PassWatches } from './pass-watches.js';
import { RecordOrderCheck } from './record-order-check.js';
import { ReserveOrder } from './reserve-order.js';
import { SettlementConsumer } from './settlement.consumer.js';
import { TakeSettlement } from './take-settlement.js';

@Module({
  imports: [AddressesModule, IncomingTransfersModule, ChainsModule, ClaimsModule, RatesModule, SwitchesModule],
  controllers: [SettlementConsumer],
  providers: [
    OrderWatchStore,
    OrderChains,
    ReserveOrder,
    OrderClaims,
    CheckOrderDeposit,
    RecordOrderCheck,
    PassWatches,
    TakeSettlement,
  ],
  exports: [OrderWatchStore, ReserveOrder, OrderClaims, CheckOrderDeposit, RecordOrderCheck, PassWatches],
})
export class OrdersModule {}
