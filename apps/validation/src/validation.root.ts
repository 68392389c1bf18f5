import { Injectable } from '@nestjs/common';
import type { InternalHandlers, validationApi } from '@vuka/contracts';
import { ok } from '@vuka/domain';
import type { ServiceRoot } from '@vuka/service-host';

import { ListBanks } from './list-banks.js';
import { ResolveName } from './resolve-name.js';

/** State is only in memory. The owner closes the providers. */
@Injectable()
export class ValidationRoot implements ServiceRoot {
  readonly handlers: InternalHandlers<typeof validationApi>;

  constructor(banks: ListBanks, resolveName: ResolveName) {
    this.handlers = {
      listBanks: async ({ currency }) => ok({ banks: [...banks.of(currency)] }),
      resolveName: (input, context) => resolveName.run(input, context),
    };
  }

  async start(): Promise<void> {
    // No background work.
  }
}
