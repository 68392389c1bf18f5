import type { CallContext, InternalClient, offrampApi } from '@vuka/contracts';
import { fail, ok, type PayRequest, type Problem, type Result } from '@vuka/domain';
import type { Logger } from '@vuka/platform';

import type { ServedChains } from './served-chains.js';
import { read } from './service-call.js';

export interface CheckDepositOptions {
  readonly chains: Pick<ServedChains, 'all'>;
  readonly offramp: Pick<InternalClient<typeof offrampApi>, 'checkQuote'>;
  readonly log: Logger;
}

const CHAINS_UNKNOWN: Problem = {
  code: 'service_unavailable',
  message: 'Which chains are served cannot be told at the moment, so this request was not accepted. Send the same request again later',
};

const QUOTE_UNCHECKED =
  'The quote cannot be checked at the moment, so this request was not accepted. Send the same request again later, or without quote_id: ' +
  'it is then paid at the rate of the time';

/**
 * Whether a pay may be accepted at all. The deposit itself is judged by offramp, later and on the chain.
 * Errors: service_unavailable (the chain is not served, or nobody can tell), unsupported_network (its token does not count
 * there), and under a quote quote_mismatch, quote_used, not_found (another partner's looks the same).
 */
export class CheckDeposit {
  constructor(private readonly options: CheckDepositOptions) {}

  async run(pay: PayRequest, partnerId: number, context: CallContext): Promise<Result<unknown>> {
    const chains = await this.options.chains.all();
    if (chains === null) return fail(CHAINS_UNKNOWN);
    const chain = chains.find(({ name }) => name === pay.chain);
    if (chain === undefined) return fail(notServed(pay.chain, chains));
    if (pay.asset !== null && !chain.assets.includes(pay.asset)) return fail(notAccepted(chain.name, chain.assets));
    return pay.quoteId === null ? ok(null) : this.checkQuote(pay, pay.quoteId, partnerId, context);
  }

  private checkQuote({ currency, amountMinor, chain, asset }: PayRequest, quoteId: string, partnerId: number, context: CallContext): Promise<Result<unknown>> {
    const quoted = { partner_id: partnerId, currency, amount_minor: amountMinor.toString(), chain, asset, quote_id: quoteId };
    return read(this.options.log, () => this.options.offramp.checkQuote(quoted, context), QUOTE_UNCHECKED);
  }
}

function notServed(chain: string, served: readonly { readonly name: string }[]): Problem {
  const names = served.length === 0 ? 'No chain is' : `Served: ${served.map(({ name }) => name).join(', ')}`;
  return { code: 'service_unavailable', message: `${chain} is not served at the moment, so this request was not accepted. ${names}` };
}

function notAccepted(chain: string, assets: readonly string[]): Problem {
  const detail = `asset must be one of ${assets.join(', ')} on ${chain}`;
  return { code: 'unsupported_network', message: detail, faults: [{ detail, pointer: '/asset' }] };
}
