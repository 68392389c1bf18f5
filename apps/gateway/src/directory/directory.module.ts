import { Module } from '@nestjs/common';

import { BanksController } from './banks.controller.js';
import { ListBanks } from './list-banks.js';
import { ListCountries } from './list-countries.js';
import { ResolveName } from './resolve-name.js';
import { ValidationController } from './validation.controller.js';

@Module({
  controllers: [BanksController, ValidationController],
  providers: [ListBanks, ListCountries, ResolveName],
  exports: [ListCountries],
})
export class DirectoryModule {}
