import { Module } from '@nestjs/common';

import { LimitsModule } from '../limits/index.js';
import { CallbacksController } from './callbacks.controller.js';
import { PassCallback } from './pass-callback.js';

@Module({
  imports: [LimitsModule],
  controllers: [CallbacksController],
  providers: [PassCallback],
})
export class CallbacksModule {}
