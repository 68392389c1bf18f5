import { decodeAmount, type Envelope } from '@vuka/contracts';
import { chainNamed, readTransactionId, type Result } from '@vuka/domain';
import { PermanentEventError } from '@vuka/messaging';
import type { Database } from '@vuka/persistence';
import type { Clock, WakeSignal } from '@vuka/runtime';

import { takeQuote } from '../quotes/index.js';
import type { Peg } from '../rates/index.js';
import { ClaimStore, type NewClaim } from './claim.store.js';

/** The consumer group, as in TOPICS.consumers. */
export const CONSUMER_GROUP = 'offramp';

/** Fiat for one whole token, now; null: whichever token. Error: rate_stale. */
export interface BuyingRates {
  buyingRate(currency: string, symbol: string | null): Result<string>;
  /** Whether a token is worth a dollar, by a word that is fresh. */
  pegOf(symbol: string): Peg;
}

type Awaiting = Envelope<'transaction.awaiting-deposit'>;

/**
 * Takes in what a partner says it sent, in the commit that marks the event as handled: the quote is used there and then, and the rate
 * of the day is frozen (decisions.md section 2, Rates) where there is a fresh one; else the first look that has one freezes it.
 */
export class TakeClaim {
  public constructor(
    private readonly db: Pick<Database, 'inTransaction'>,
    private readonly rates: BuyingRates,
    private readonly dueClaims: WakeSignal,
    private readonly clock: Clock,
    /** For tests: no claim is looked for longer. */
    private readonly mostSearchMs = Infinity,
  ) {}

  /** Resolves when the claim is durable. Throws PermanentEventError where no look can ever come of it. */
  public async run(event: Awaiting): Promise<void> {
    const claim = this.claimOf(event);
    const isNew = await this.db.inTransaction(
      async (tx) => {
        if (!(await ClaimStore.mark(tx, CONSUMER_GROUP, event))) return false;
        if (claim.quoteId === null) return ClaimStore.insert(tx, claim);
        const { quote, passedOver } = await takeQuote(tx, claim.quoteId, { ...claim, claimId: claim.transactionId });
        return ClaimStore.insert(tx, { ...claim, quote, quotePassedOver: passedOver });
      },
      { retries: 2 },
    );
    if (isNew) this.dueClaims.notify();
  }

  private claimOf({ data, correlationId, causationId }: Awaiting): NewClaim {
    const chain = chainNamed(data.chain);
    if (chain === undefined) throw new PermanentEventError('chain: none that is read here');
    // By another spelling the same transfer would be another deposit.
    if (readTransactionId(chain.family, data.transaction_hash) !== data.transaction_hash)
      throw new PermanentEventError('transaction_hash: not canonical');
    const acceptedAt = new Date(data.accepted_at);
    const rate = this.rates.buyingRate(data.currency, data.asset);
    return {
      transactionId: data.transaction_id,
      partnerId: data.partner_id,
      chain: chain.name,
      transactionHash: data.transaction_hash,
      asset: data.asset,
      amount: decodeAmount(data),
      quoteId: data.quote_id,
      quote: null,
      quotePassedOver: null,
      rate: rate.ok ? rate.value : null,
      acceptedAt,
      deadline: new Date(acceptedAt.getTime() + Math.min(chain.searchForMs, this.mostSearchMs)),
      correlationId,
      causationId,
      createdAt: this.clock.now(),
    };
  }
}
