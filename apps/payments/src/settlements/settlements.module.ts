import { Module } from '@nestjs/common';

import { MachineModule } from '../machine/index.js';
import { TransactionsModule } from '../transactions/index.js';
import { ExecuteSettlement } from './execute-settlement.js';
import { SettlePayout } from './settle-payout.js';
import { SettlementStore } from './settlement.store.js';

const providers = [SettlementStore, ExecuteSettlement, SettlePayout];

@Module({
  imports: [MachineModule, TransactionsModule],
  providers,
  exports: providers,
})
export class SettlementsModule {}
