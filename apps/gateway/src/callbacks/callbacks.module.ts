import { Module } from '@nestjs/common';

import { LimitsModule } from '../limits/index.js';
import { ApprovalsController } from './approvals.controller.js';
import { CallbacksController } from './callbacks.controller.js';
import { PassApproval } from './pass-approval.js';
import { PassCallback } from './pass-callback.js';

@Module({
  imports: [LimitsModule],
  controllers: [CallbacksController, ApprovalsController],
  providers: [PassCallback, PassApproval],
})
export class CallbacksModule {}
