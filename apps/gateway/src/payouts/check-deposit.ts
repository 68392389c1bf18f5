import { Inject, Injectable } from '@nestjs/common';
import { encodeAmount, offrampApi, type CallContext, type InternalClient } from '@vuka/contracts';
import { ok, type PayRequest, type Result } from '@vuka/domain';
import type { Logger } from '@vuka/runtime';
import { LOGGER, clientOf } from '@vuka/service-host';

import { read } from '../calls/index.js';
import { CheckRefundAddress, checkServed, ServedChains } from '../chains/index.js';

const QUOTE_UNCHECKED =
  'The quote cannot be checked at the moment, so this request was not accepted. Send the same request again later, or without quote_id: ' +
  'it is then paid at the rate of the time';

/**
 * offramp judges the deposit itself later, on chain. Gives the refund_address as the chain spells it. Errors:
 * service_unavailable (not served now, or unknown), unsupported_network (the token does not count there),
 * invalid_request (bad refund_address); with a quote quote_mismatch, quote_used, not_found (also another partner's).
 */
@Injectable()
export class CheckDeposit {
  constructor(
    private readonly chains: ServedChains,
    @Inject(clientOf(offrampApi)) private readonly offramp: Pick<InternalClient<typeof offrampApi>, 'checkQuote'>,
    private readonly addresses: CheckRefundAddress,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async run(
    pay: PayRequest,
    partnerId: number,
    context: CallContext,
  ): Promise<Result<{ readonly refundAddress: string | null }>> {
    const served = await checkServed(this.chains, pay.chain, pay.asset);
    if (!served.ok) return served;
    const quoted = pay.quoteId === null ? ok(null) : await this.checkQuote(pay, pay.quoteId, partnerId, context);
    if (!quoted.ok) return quoted;
    const address =
      pay.refundAddress === null ? ok(null) : await this.addresses.run(pay.chain, pay.refundAddress, context);
    return address.ok ? ok({ refundAddress: address.value }) : address;
  }

  private checkQuote(
    { amount, chain, asset }: PayRequest,
    quoteId: string,
    partnerId: number,
    context: CallContext,
  ): Promise<Result<unknown>> {
    const quoted = {
      partner_id: partnerId,
      ...encodeAmount(amount),
      chain,
      asset,
      quote_id: quoteId,
    };
    return read(this.log, () => this.offramp.checkQuote(quoted, context), QUOTE_UNCHECKED);
  }
}
