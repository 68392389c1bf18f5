import { Module } from '@nestjs/common';
import type { Settings } from '@vuka/config';
import type { Currencies } from '@vuka/domain';
import { CURRENCIES_IN_FORCE, SETTINGS } from '@vuka/service-host';

import { DOCS_FILES, docsFilesFor } from './docs-files.js';
import { DocsController } from './docs.controller.js';

@Module({
  controllers: [DocsController],
  providers: [
    {
      provide: DOCS_FILES,
      inject: [CURRENCIES_IN_FORCE, SETTINGS],
      useFactory: (currencies: Currencies, { env }: Settings) => docsFilesFor(currencies, env === 'sandbox'),
    },
  ],
})
export class DocsModule {}
