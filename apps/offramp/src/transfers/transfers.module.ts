import { Module } from '@nestjs/common';
import { transferSigner } from '@vuka/chains';
import type { Settings } from '@vuka/config';
import { type Clock, type Logger, Metrics, type MonotonicClock } from '@vuka/runtime';
import { CLOCK, LOGGER, SETTINGS } from '@vuka/service-host';

import { AddressesModule } from '../addresses/index.js';
import { ChainsModule } from '../chains/index.js';
import { RefundsModule } from '../refunds/index.js';
import { ScreeningModule } from '../screening/index.js';
import { SwitchesModule } from '../switches/index.js';
import { AwaitSignature } from './await-signature.js';
import { FollowTransfer } from './follow-transfer.js';
import { OPEN_OUTGOING, OutgoingChains, outgoingOf } from './outgoing-chains.js';
import { PrepareTransfer } from './prepare-transfer.js';
import { Hindrances, RefundGuards } from './refund-guards.js';
import { RefundTurn } from './refund-turn.js';
import { SIGNER_OF, SignTransfer } from './sign-transfer.js';
import { TurnWaits } from './turn-waits.js';
import { WorkOnRefunds } from './work-on-refunds.js';

@Module({
  imports: [AddressesModule, ChainsModule, RefundsModule, ScreeningModule, SwitchesModule],
  providers: [
    {
      provide: OPEN_OUTGOING,
      inject: [SETTINGS, LOGGER, Metrics, CLOCK],
      useFactory: ({ chains }: Settings, log: Logger, metrics: Metrics, clock: Clock & MonotonicClock) =>
        outgoingOf(chains, { log, metrics, clock }),
    },
    { provide: SIGNER_OF, useValue: transferSigner },
    OutgoingChains,
    RefundGuards,
    TurnWaits,
    Hindrances,
    SignTransfer,
    PrepareTransfer,
    AwaitSignature,
    FollowTransfer,
    RefundTurn,
    WorkOnRefunds,
  ],
  exports: [OutgoingChains, WorkOnRefunds],
})
export class TransfersModule {}
