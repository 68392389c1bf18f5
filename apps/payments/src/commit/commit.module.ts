import { Module } from '@nestjs/common';

import { MoveWriter } from './move-writer.js';
import { TransactionIds } from './transaction-ids.js';

const providers = [MoveWriter, TransactionIds];

@Module({
  providers,
  exports: providers,
})
export class CommitModule {}
