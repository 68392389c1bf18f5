import { Module } from '@nestjs/common';

import { ListBanks } from './list-banks.js';

/** What validation is made of. */
@Module({ providers: [{ provide: ListBanks, useFactory: () => new ListBanks() }] })
export class AppModule {}
