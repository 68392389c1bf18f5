import { isSame, mayUseQuote } from '@vuka/domain';
import type { Transaction } from '@vuka/persistence';

import { type Quote, type QuoteDetails, QuoteStore } from './quote.store.js';

/** A claim as a quote is held against it. */
export interface ClaimForQuote extends Omit<QuoteDetails, 'asset'> {
  readonly claimId: number;
  readonly asset: string | null;
  /** When its pay was accepted. */
  readonly acceptedAt: Date;
}

export type TakenQuote =
  | { readonly quote: Quote; readonly quoteNotApplied: null }
  /** The claim goes on at the rate of the day, and its partner is told why. */
  | { readonly quote: null; readonly quoteNotApplied: 'used' | 'unknown' | 'expired' };

/**
 * Gives a quote to a claim, in the commit that takes the claim in: single use, only for what it was given for, and only to a pay that was accepted while
 * the quote could be used. All of that was checked when the pay was accepted; what has changed since is no reason to refuse money that is on its way.
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

/** The claim of a quote was released: another one may use it. */
export function releaseQuote(tx: Transaction, claimId: number): Promise<void> {
  return QuoteStore.release(tx, claimId);
}

/** Whether a pay asks for what the quote was given for; a pay that names no token means the quote's. */
export function fits(quote: QuoteDetails, asked: Omit<ClaimForQuote, 'claimId' | 'acceptedAt'>): boolean {
  return (
    quote.partnerId === asked.partnerId &&
    isSame(quote.amount, asked.amount) &&
    quote.chain === asked.chain &&
    (asked.asset === null || quote.asset === asked.asset)
  );
}
