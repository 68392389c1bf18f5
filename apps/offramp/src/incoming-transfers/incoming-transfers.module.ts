import { Module } from '@nestjs/common';

import { IncomingTransferStore } from './incoming-transfer.store.js';
import { ScanStore } from './scan.store.js';

@Module({ providers: [IncomingTransferStore, ScanStore], exports: [IncomingTransferStore, ScanStore] })
export class IncomingTransfersModule {}
