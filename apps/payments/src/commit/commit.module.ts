import { Global, Module } from '@nestjs/common';

import { PARTNER_TRAFFIC } from '../due-work/index.js';
import { MoveWriter } from './move-writer.js';
import { TransactionIds } from './transaction-ids.js';

const providers = [TransactionIds, MoveWriter, { provide: PARTNER_TRAFFIC, useExisting: MoveWriter }];

/** Whoever writes money does it by the one writer in here. */
@Global()
@Module({ providers, exports: providers })
export class CommitModule {}
