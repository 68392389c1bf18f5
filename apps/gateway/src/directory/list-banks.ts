import { Inject, Injectable } from '@nestjs/common';
import { validationApi, type BankRecord, type CallContext, type InternalClient } from '@vuka/contracts';
import { DEFAULT_BANKS_CURRENCY, ok, type Currency, type Result } from '@vuka/domain';
import type { Logger } from '@vuka/runtime';
import { LOGGER, clientOf } from '@vuka/service-host';

import { read } from '../calls/index.js';

/** null: the default currency. [] if no banks are known. Errors: service_unavailable. */
@Injectable()
export class ListBanks {
  constructor(
    @Inject(clientOf(validationApi))
    private readonly validation: Pick<InternalClient<typeof validationApi>, 'listBanks'>,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async run(currency: Currency | null, context: CallContext): Promise<Result<readonly BankRecord[]>> {
    const input = { currency: currency?.code ?? DEFAULT_BANKS_CURRENCY };
    const answer = await read(this.log, () => this.validation.listBanks(input, context));
    return answer.ok ? ok(answer.value.banks) : answer;
  }
}
