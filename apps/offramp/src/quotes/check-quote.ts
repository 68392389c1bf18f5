import { Inject, Injectable } from '@nestjs/common';
import { type offrampApi, decodeAmount } from '@vuka/contracts';
import { fail, mayUseQuote, ok, QUOTE_USABLE_MS, type Result } from '@vuka/domain';
import type { Clock } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';
import type { z } from 'zod';

import { QuoteStore } from './quote.store.js';
import { fits } from './take-quote.js';

export type CheckQuoteInput = z.output<typeof offrampApi.operations.checkQuote.input>;

const TOO_LATE = `The quote expired over ${QUOTE_USABLE_MS / 60_000} minutes ago, so no payment can use it any more. Send the same request without quote_id: it is then paid at the rate of the time`;

/**
 * A quote that expired lately is fine: the block will tell whether the transfer was in time. Errors: not_found,
 * quote_mismatch (also expired too long ago), quote_used.
 */
@Injectable()
export class CheckQuote {
  constructor(
    @Inject(QuoteStore) private readonly quotes: Pick<QuoteStore, 'find'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async run(input: CheckQuoteInput): Promise<Result<Record<string, never>>> {
    const quote = await this.quotes.find(input.partner_id, input.quote_id);
    if (quote === undefined) return fail({ code: 'not_found', message: 'quote_id is no quote of yours' });
    const { partner_id: partnerId, chain, asset } = input;
    if (!fits(quote, { partnerId, amount: decodeAmount(input), chain, asset })) {
      return fail({
        code: 'quote_mismatch',
        message: 'The quote was given for another amount, currency, chain or asset: a pay under it asks for the same',
      });
    }
    if (quote.takenBy !== null)
      return fail({ code: 'quote_used', message: 'The quote has been used: each is for one payment' });
    return mayUseQuote(quote, this.clock.now()) ? ok({}) : fail({ code: 'quote_mismatch', message: TOO_LATE });
  }
}
