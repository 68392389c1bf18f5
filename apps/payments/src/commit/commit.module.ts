import { Global, Module } from '@nestjs/common';

import { PARTNER_TRAFFIC } from '../due-work/index.js';
import { CommitWriter } from './commit-writer.js';
import { TransactionIds } from './transaction-ids.js';
import { VelocityStore } from './velocity.store.js';

const providers = [
  TransactionIds,
  CommitWriter,
  VelocityStore,
  { provide: PARTNER_TRAFFIC, useExisting: CommitWriter },
];

/** Global: one writer for all. */
@Global()
@Module({ providers, exports: providers })
export class CommitModule {}
