import { Module } from '@nestjs/common';

import { CheckoutRoot } from './checkout.root.js';
import { JudgingModule } from './judging/index.js';
import { OrdersModule } from './orders/index.js';

@Module({ imports: [OrdersModule, JudgingModule], providers: [CheckoutRoot] })
export class AppModule {}
