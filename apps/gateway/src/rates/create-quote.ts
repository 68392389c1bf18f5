import { Inject, Injectable } from '@nestjs/common';
import { encodeAmount, offrampApi, type CallContext, type InternalClient, type QuoteView } from '@vuka/contracts';
import {
  formatMoney,
  decodeMoney,
  type Money,
  DEFAULT_CURRENCY,
  fail,
  ok,
  parseQuote,
  quoteRefusal,
  type Coverage,
  type Currency,
  type Result,
} from '@vuka/domain';
import type { Logger } from '@vuka/runtime';
import { clientOf, COVERAGE, LOGGER } from '@vuka/service-host';

import { read } from '../calls/index.js';
import type { JsonBody } from '../http/index.js';
import type { Caller } from '../keys/index.js';
import { PartnerTerms } from '../partners/index.js';

/** decisions.md section 2, quote; exact decimals. */
export type QuoteAnswer = Omit<QuoteView, 'amount_minor'> & { readonly amount: string };

export interface CreateQuoteInput {
  readonly caller: Caller;
  readonly currency: Currency | null;
  readonly body: JsonBody;
  readonly context: CallContext;
}

const UNANSWERED = 'No quote can be given at the moment, and nothing was promised. Try again later';

/** Errors: those of parseQuote, what no configured route carries to anybody, rate_stale, service_unavailable (also: chain not served). */
@Injectable()
export class CreateQuote {
  constructor(
    @Inject(clientOf(offrampApi)) private readonly offramp: Pick<InternalClient<typeof offrampApi>, 'quote'>,
    private readonly terms: PartnerTerms,
    @Inject(LOGGER) private readonly log: Logger,
    @Inject(COVERAGE) private readonly coverage: Coverage,
  ) {}

  async run({ caller, currency, body, context }: CreateQuoteInput): Promise<Result<QuoteAnswer>> {
    const { offramp, terms, log } = this;
    const inForce = terms.of(caller);
    if (!inForce.ok) return inForce;
    const parsed = parseQuote(inForce.value.currencies[currency?.code ?? DEFAULT_CURRENCY], body);
    if (!parsed.ok) return parsed;
    const { amount, chain, asset } = parsed.value;
    const refusal = quoteRefusal(this.coverage, amount);
    if (refusal !== null) return fail(refusal);
    const asked = {
      partner_id: caller.partnerId,
      ...encodeAmount(amount),
      chain,
      asset,
    };
    const given = await read(log, () => offramp.quote(asked, context), UNANSWERED);
    return given.ok ? ok(answerOf(given.value, amount)) : given;
  }
}

function answerOf({ amount_minor: minor, quote_id, rate, ...rest }: QuoteView, { currency }: Money): QuoteAnswer {
  return { quote_id, rate, amount: formatMoney(decodeMoney(minor, currency)), ...rest };
}
