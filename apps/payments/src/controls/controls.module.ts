import { Module } from '@nestjs/common';

import { DueWorkModule } from '../due-work/index.js';
import { TransactionsModule } from '../transactions/index.js';
import { FreezePayouts } from './freeze-payouts.js';
import { FreezeStore } from './freeze.store.js';
import { FrozenPartners, RefuseFrozen } from './frozen-partners.js';
import { PartnerConsumer } from './partner.consumer.js';
import { PayoutStops } from './payout-stops.js';
import { RecordPartnerStatus } from './record-partner-status.js';
import { ReleaseParked } from './release-parked.js';
import { PendingPayLimit } from './waiting-pays.js';
import { WakeStopped } from './wake-stopped.js';

const providers = [
  FrozenPartners,
  RefuseFrozen,
  PendingPayLimit,
  PayoutStops,
  WakeStopped,
  RecordPartnerStatus,
  FreezeStore,
  FreezePayouts,
  ReleaseParked,
];

@Module({
  imports: [DueWorkModule, TransactionsModule],
  controllers: [PartnerConsumer],
  providers,
  exports: providers,
})
export class ControlsModule {}
