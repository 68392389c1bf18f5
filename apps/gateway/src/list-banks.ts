import type { BankRecord, CallContext, InternalClient, validationApi } from '@vuka/contracts';
import { ok, type Result } from '@vuka/domain';
import type { Logger } from '@vuka/platform';

import { optionalCurrencyOfPath } from './path-currency.js';
import { read } from './service-call.js';

export interface ListBanksOptions {
  readonly validation: Pick<InternalClient<typeof validationApi>, 'listBanks'>;
  readonly log: Logger;
}

/** decisions.md section 2, banks. */
const DEFAULT_CURRENCY = 'NGN';

/** The banks of a currency or country, [] where none are known. Errors: not_found (currency), service_unavailable. */
export class ListBanks {
  constructor(private readonly options: ListBanksOptions) {}

  async run(path: string | undefined, context: CallContext): Promise<Result<readonly BankRecord[]>> {
    const currency = optionalCurrencyOfPath(path);
    if (!currency.ok) return currency;
    const input = { currency: currency.value?.code ?? DEFAULT_CURRENCY };
    const answer = await read(this.options.log, () => this.options.validation.listBanks(input, context));
    return answer.ok ? ok(answer.value.banks) : answer;
  }
}
