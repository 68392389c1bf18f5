import type { BankRecord, CallContext, InternalClient, validationApi } from '@vuka/contracts';
import { DEFAULT_BANKS_CURRENCY, ok, type Currency, type Result } from '@vuka/domain';
import type { Logger } from '@vuka/runtime';

import { read } from '../calls/index.js';

export interface ListBanksOptions {
  readonly validation: Pick<InternalClient<typeof validationApi>, 'listBanks'>;
  readonly log: Logger;
}

/** The banks of a currency (null: that of the registry's default), [] where none are known. Errors: service_unavailable. */
export class ListBanks {
  constructor(private readonly options: ListBanksOptions) {}

  async run(currency: Currency | null, context: CallContext): Promise<Result<readonly BankRecord[]>> {
    const input = { currency: currency?.code ?? DEFAULT_BANKS_CURRENCY };
    const answer = await read(this.options.log, () => this.options.validation.listBanks(input, context));
    return answer.ok ? ok(answer.value.banks) : answer;
  }
}
