import { Module } from '@nestjs/common';

import { ChainsModule } from '../chains/index.js';
import { IdempotencyModule } from '../idempotency/index.js';
import { PartnersModule } from '../partners/index.js';
import { AcceptPayout } from './accept-payout.js';
import { CheckDeposit } from './check-deposit.js';
import { CheckPayout } from './check-payout.js';
import { ControlSandboxPayout } from './control-sandbox-payout.js';
import { PayoutRequests } from './payout-requests.js';
import { PayoutsController } from './payouts.controller.js';
import { SandboxPayoutsController } from './sandbox-payouts.controller.js';

@Module({
  imports: [ChainsModule, IdempotencyModule, PartnersModule],
  controllers: [PayoutsController, SandboxPayoutsController],
  providers: [AcceptPayout, CheckDeposit, CheckPayout, ControlSandboxPayout, PayoutRequests],
})
export class PayoutsModule {}
