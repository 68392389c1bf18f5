import { Module } from '@nestjs/common';

import { Draining } from '../http/index.js';
import { KeysModule } from '../keys/index.js';
import { LimitsModule } from '../limits/index.js';
import { CheckCurrency } from './checks/check-currency.js';
import { CheckKey } from './checks/check-key.js';
import { CheckLimits } from './checks/check-limits.js';
import { NoteKeyUse } from './checks/note-key-use.js';
import { Edge } from './edge.js';
import { HttpApi } from './http-api.js';
import { NoteRefusals } from './note-refusals.js';
import { ReceiveRequest } from './receive-request.js';

@Module({
  imports: [KeysModule, LimitsModule],
  providers: [Draining, ReceiveRequest, CheckKey, NoteKeyUse, CheckLimits, CheckCurrency, Edge, NoteRefusals, HttpApi],
  exports: [Draining, HttpApi],
})
export class EdgeModule {}
