import { Module } from '@nestjs/common';

import { KeptValueStore } from './kept-value.store.js';

@Module({ providers: [KeptValueStore], exports: [KeptValueStore] })
export class KeptValuesModule {}
