import { Injectable } from '@nestjs/common';
import type { InternalHandlers, validationApi } from '@vuka/contracts';
import { ok } from '@vuka/domain';
import type { ServiceRoot } from '@vuka/service-host';

import { ListBanks } from './list-banks.js';
import { ResolveName } from './resolve-name.js';

/** Bank directory and names. What it keeps is in memory, so there is nothing to connect to. The providers are their owner's to close. */
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
    // Nothing works here unasked.
  }
}
