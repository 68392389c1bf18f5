import { Module } from '@nestjs/common';

import { AddressesModule } from '../addresses/index.js';
import { ArrivalsModule } from '../arrivals/index.js';
import { ChainsModule } from '../chains/index.js';
import { ClaimsModule } from '../claims/index.js';
import { RatesModule } from '../rates/index.js';
import { SwitchesModule } from '../switches/index.js';
import { CheckOrderDeposit } from './check-order-deposit.js';
import { OrderClaims } from './open-order-claims.js';
import { OrderChains } from './order-chains.js';
import { OrderWatchStore } from './order-watch.store.js';
import { PassWatches } from './pass-watches.js';
import { RecordOrderLook } from './record-order-look.js';
import { ReserveOrder } from './reserve-order.js';
import { SettlementConsumer } from './settlement.consumer.js';
import { TakeSettlement } from './take-settlement.js';

@Module({
  imports: [AddressesModule, ArrivalsModule, ChainsModule, ClaimsModule, RatesModule, SwitchesModule],
  controllers: [SettlementConsumer],
  providers: [
    OrderWatchStore,
    OrderChains,
    ReserveOrder,
    OrderClaims,
    CheckOrderDeposit,
    RecordOrderLook,
    PassWatches,
    TakeSettlement,
  ],
  exports: [OrderWatchStore, ReserveOrder, OrderClaims, CheckOrderDeposit, RecordOrderLook, PassWatches],
})
export class OrdersModule {}
