import { isSame, mayUseQuote } from '@vuka/domain';
import type { Transaction } from '@vuka/persistence';

import { type Quote, type QuoteDetails, QuoteStore } from './quote.store.js';

export interface ClaimForQuote extends Omit<QuoteDetails, 'asset'> {
  readonly claimId: number;
  readonly asset: string | null;
  readonly acceptedAt: Date;
}

export type TakenQuote =
  | { readonly quote: Quote; readonly quoteNotApplied: null }
  | { readonly quote: null; readonly quoteNotApplied: 'used' | 'unknown' | 'expired' };

/**
 * In the commit that takes the claim. A quote is used once, for what it was given for. The pay was checked when
 * accepted; a later change is no reason to refuse money that is on its way.
 */
export async function takeQuote(tx: Transaction, quoteId: string, claim: ClaimForQuote): Promise<TakenQuote> {
  const quote = await QuoteStore.take(tx, claim.partnerId, quoteId, claim.claimId);
  if (quote !== undefined) {
    const quoteNotApplied = whyNot(quote, claim);
    if (quoteNotApplied === null) return { quote, quoteNotApplied };
    await QuoteStore.release(tx, claim.claimId);
    return { quote: null, quoteNotApplied };
  }
  const known = await tx.query('select 1 from quotes where id = $1 and partner_id = $2', [quoteId, claim.partnerId]);
  return { quote: null, quoteNotApplied: known.length > 0 ? 'used' : 'unknown' };
}

function whyNot(quote: Quote, claim: ClaimForQuote): 'unknown' | 'expired' | null {
  if (!fits(quote, claim)) return 'unknown';
  return mayUseQuote(quote, claim.acceptedAt) ? null : 'expired';
}

export function releaseQuote(tx: Transaction, claimId: number): Promise<void> {
  return QuoteStore.release(tx, claimId);
}

/** A pay that names no token means the quote's. */
export function fits(quote: QuoteDetails, asked: Omit<ClaimForQuote, 'claimId' | 'acceptedAt'>): boolean {
  return (
    quote.partnerId === asked.partnerId &&
    isSame(quote.amount, asked.amount) &&
    quote.chain === asked.chain &&
    (asked.asset === null || quote.asset === asked.asset)
  );
}
