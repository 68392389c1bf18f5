import { Inject, Injectable } from '@nestjs/common';
import type { ChainSettings } from '@vuka/config';
import { type Envelope, decodeAmount } from '@vuka/contracts';
import { chainNamed, readTransactionId, type Result } from '@vuka/domain';
import { PermanentEventError } from '@vuka/messaging';
import { Database } from '@vuka/persistence';
import type { Clock, WakeSignal } from '@vuka/runtime';

import { CLOCK, SETTINGS } from '@vuka/service-host';

import { takeQuote } from '../quotes/index.js';
import { type Peg, Rates } from '../rates/index.js';
import { ClaimStore, type NewClaim } from './claim.store.js';
import { DueClaims } from './due-claims.js';

/** As in TOPICS.consumers. */
export const CONSUMER_GROUP = 'offramp';

/** Fiat per whole token now. `symbol` null: any token. Error: rate_stale. */
export interface BuyingRates {
  buyingRate(currency: string, symbol: string | null): Result<string>;
  /** By fresh data. */
  pegOf(symbol: string): Peg;
}

export interface SearchSettings {
  readonly chains: Pick<ChainSettings, 'searchMs'>;
}

type Awaiting = Envelope<'transaction.awaiting-deposit'>;

/**
 * Takes the quote and freezes the rate of the day, in the commit that marks the event as handled (decisions.md section
 * 2, Rates). Without a fresh rate the first check that has one freezes it.
 */
@Injectable()
export class TakeClaim {
  public constructor(
    @Inject(Database) private readonly db: Pick<Database, 'inTransaction'>,
    @Inject(Rates) private readonly rates: BuyingRates,
    @Inject(DueClaims) private readonly dueClaims: WakeSignal,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: SearchSettings,
  ) {}

  /** Throws PermanentEventError if no check could ever succeed. */
  public async run(event: Awaiting): Promise<void> {
    const claim = this.claimOf(event);
    const isNew = await this.db.inTransaction(
      async (tx) => {
        if (!(await ClaimStore.mark(tx, CONSUMER_GROUP, event))) return false;
        if (claim.quoteId === null) return ClaimStore.insert(tx, claim);
        const { quote, quoteNotApplied } = await takeQuote(tx, claim.quoteId, {
          ...claim,
          claimId: claim.transactionId,
        });
        return ClaimStore.insert(tx, { ...claim, quote, quoteNotApplied: quoteNotApplied });
      },
      { retries: 2 },
    );
    if (isNew) this.dueClaims.notify();
  }

  private claimOf({ data, correlationId, causationId }: Awaiting): NewClaim {
    const chain = chainNamed(data.chain);
    if (chain === undefined) throw new PermanentEventError('chain: none that is read here');
    // Another spelling would make another deposit.
    if (readTransactionId(chain.family, data.transaction_hash) !== data.transaction_hash)
      throw new PermanentEventError('transaction_hash: not canonical');
    const acceptedAt = new Date(data.accepted_at);
    const rate = this.rates.buyingRate(data.currency, data.asset);
    const { searchMs = Infinity } = this.settings.chains;
    return {
      transactionId: data.transaction_id,
      partnerId: data.partner_id,
      chain: chain.name,
      transactionHash: data.transaction_hash,
      asset: data.asset,
      amount: decodeAmount(data),
      quoteId: data.quote_id,
      quote: null,
      quoteNotApplied: null,
      rate: rate.ok ? rate.value : null,
      acceptedAt,
      deadline: new Date(acceptedAt.getTime() + Math.min(chain.searchForMs, searchMs)),
      correlationId,
      causationId,
      createdAt: this.clock.now(),
    };
  }
}
