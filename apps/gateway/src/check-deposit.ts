import type { CallContext, InternalClient, offrampApi } from '@vuka/contracts';
import { acceptedTokens, chainNamed, fail, ok, type PayRequest, type Problem, type Result } from '@vuka/domain';
import type { Logger } from '@vuka/platform';

import type { CheckRefundAddress } from './check-refund-address.js';
import type { ServedChains } from './served-chains.js';
import { read } from './service-call.js';

export interface CheckDepositOptions {
  readonly chains: Pick<ServedChains, 'all'>;
  readonly offramp: Pick<InternalClient<typeof offrampApi>, 'checkQuote'>;
  readonly addresses: Pick<CheckRefundAddress, 'run'>;
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
 * Errors: service_unavailable (the chain or the token is not served now, or nobody can tell), unsupported_network (its token does not count
 * there), under a quote quote_mismatch, quote_used, not_found (another partner's looks the same), and invalid_request where the chain knows
 * no such refund_address. The value is that address as the chain spells it.
 */
export class CheckDeposit {
  constructor(private readonly options: CheckDepositOptions) {}

  async run(pay: PayRequest, partnerId: number, context: CallContext): Promise<Result<{ readonly refundAddress: string | null }>> {
    const chains = await this.options.chains.all();
    if (chains === null) return fail(CHAINS_UNKNOWN);
    const chain = chains.find(({ name }) => name === pay.chain);
    if (chain === undefined) return fail(notServed(pay.chain, chains));
    if (pay.asset !== null && !chain.assets.includes(pay.asset)) return fail(notTaken(pay.asset, chain.name, chain.assets));
    const quoted = pay.quoteId === null ? ok(null) : await this.checkQuote(pay, pay.quoteId, partnerId, context);
    if (!quoted.ok) return quoted;
    const address = pay.refundAddress === null ? ok(null) : await this.options.addresses.run(pay.chain, pay.refundAddress, context);
    return address.ok ? ok({ refundAddress: address.value }) : address;
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

/** A token that counts on the chain and is not told of is switched off: the same request may be sent again later. */
function notTaken(asset: string, chain: string, assets: readonly string[]): Problem {
  const known = chainNamed(chain);
  if (known !== undefined && acceptedTokens(known).some(({ symbol }) => symbol === asset)) {
    return { code: 'service_unavailable', message: `${asset} is not taken on ${chain} at the moment, so this request was not accepted. Taken: ${assets.join(', ') || 'none'}` };
  }
  const detail = `asset must be one of ${assets.join(', ')} on ${chain}`;
  return { code: 'unsupported_network', message: detail, faults: [{ detail, pointer: '/asset' }] };
}
