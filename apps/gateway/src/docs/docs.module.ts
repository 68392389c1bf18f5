import { Module } from '@nestjs/common';
import type { Settings } from '@vuka/config';
import type { Currencies } from '@vuka/domain';
import { CURRENCIES_IN_FORCE, SETTINGS } from '@vuka/service-host';

import { OperationTable } from '../operations/index.js';
import { DocsSite } from './docs-site.js';
import { DocsController } from './docs.controller.js';

@Module({
  controllers: [DocsController],
  providers: [
    {
      provide: DocsSite,
      inject: [OperationTable, CURRENCIES_IN_FORCE, SETTINGS],
      useFactory: (table: OperationTable, currencies: Currencies, { env }: Settings) =>
        new DocsSite(table, currencies, env === 'sandbox'),
    },
  ],
})
export class DocsModule {}
