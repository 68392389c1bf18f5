import { Module } from '@nestjs/common';

import { ArrivalStore } from './arrival.store.js';
import { ScanStore } from './scan.store.js';

@Module({ providers: [ArrivalStore, ScanStore], exports: [ArrivalStore, ScanStore] })
export class ArrivalsModule {}
