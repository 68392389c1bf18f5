import { Module } from '@nestjs/common';

import { ChainsModule } from '../chains/index.js';
import { PartnersModule } from '../partners/index.js';
import { CreateOrder } from './create-order.js';
import { FindOrder } from './find-order.js';
import { OrdersController } from './orders.controller.js';
import { PublicAddress } from './public-address.js';

@Module({
  imports: [ChainsModule, PartnersModule],
  controllers: [OrdersController],
  providers: [CreateOrder, FindOrder, PublicAddress],
  exports: [PublicAddress],
})
export class OrdersModule {}
