import { Module } from '@nestjs/common';

import { CommitModule } from '../commit/index.js';
import { FloatMovementStore } from './float-movement.store.js';
import { MoveFloat } from './move-float.js';
import { ProviderFees } from './provider-fees.js';

const providers = [FloatMovementStore, MoveFloat, ProviderFees];

/** Our money at providers: what moves it beside payouts. */
@Module({ imports: [CommitModule], providers, exports: providers })
export class FloatsModule {}
