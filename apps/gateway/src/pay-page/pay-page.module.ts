import { Module } from '@nestjs/common';

import { LimitsModule } from '../limits/index.js';
import { PayPageController } from './pay-page.controller.js';
import { ShownOrders } from './shown-orders.js';

@Module({
  imports: [LimitsModule],
  controllers: [PayPageController],
  providers: [ShownOrders],
})
export class PayPageModule {}
