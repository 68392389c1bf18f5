import { Inject, Injectable } from '@nestjs/common';
import { type Envelope, encodeDeposit } from '@vuka/contracts';
import { assetSymbol, WALLET_CURRENCIES } from '@vuka/domain';
import { appendToOutbox, newEnvelope } from '@vuka/messaging';
import { Database } from '@vuka/persistence';
import { type Clock, WakeSignal } from '@vuka/runtime';

import { CLOCK, OUTBOX_SIGNAL } from '@vuka/service-host';

import { type BuyingRates, ClaimStore, DepositStore, type UnappliedDeposit } from '../claims/index.js';
import { OrderWatchStore } from '../orders/index.js';
import { Rates } from '../rates/index.js';
import { Switches } from '../switches/index.js';

const AT_ONCE = 50;

/**
 * Policy `wallet`: credits unused value at the rate of the day, with one commit per deposit. Screened deposits wait for
 * a person; all wait without a fresh rate, or while switched off.
 */
@Injectable()
export class CreditUnapplied {
  public readonly name = 'credit-unapplied';
  public readonly signal = new WakeSignal();
  private readonly deposits: DepositStore;
  /** Deposits that have to wait must not hide those behind them. */
  private after = 0;

  public constructor(
    @Inject(Database) private readonly db: Pick<Database, 'query' | 'inTransaction'>,
    @Inject(Rates) private readonly rates: BuyingRates,
    @Inject(Switches) private readonly switches: Pick<Switches, 'isOff'>,
    @Inject(OUTBOX_SIGNAL) private readonly outboxSignal: WakeSignal,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.deposits = new DepositStore(db);
  }

  /** True: there may be more. */
  public async tick(): Promise<boolean> {
    const creditableIn = WALLET_CURRENCIES.filter((currency) => this.rates.buyingRate(currency, null).ok);
    if (creditableIn.length === 0) return false;
    const waiting = await this.deposits.unapplied({ creditableIn, after: this.after, limit: AT_ONCE });
    for (const deposit of waiting) if (await this.credit(deposit)) this.outboxSignal.notify();
    const isLastPage = waiting.length < AT_ONCE;
    this.after = isLastPage ? 0 : (waiting.at(-1)?.depositId ?? 0);
    return !isLastPage;
  }

  private async credit(deposit: UnappliedDeposit): Promise<boolean> {
    const symbol = assetSymbol(deposit.received.currency);
    const rate = this.rates.buyingRate(deposit.currency, symbol);
    if (!rate.ok || (await this.switches.isOff(deposit.chain, symbol))) return false;
    return this.db.inTransaction(
      async (tx) => {
        const { claimId, orderNumber } = deposit;
        const { sequence } =
          orderNumber === null
            ? await ClaimStore.lockToTell(tx, claimId)
            : await OrderWatchStore.lockToTell(tx, orderNumber);
        const now = this.clock.now();
        if (!(await DepositStore.credit(tx, deposit.depositId, rate.value, now))) return false;
        await appendToOutbox(tx, [creditedEvent(deposit, rate.value, sequence, now)]);
        if (orderNumber === null) await ClaimStore.told(tx, claimId, sequence);
        else await OrderWatchStore.told(tx, orderNumber, sequence);
        return true;
      },
      { retries: 2 },
    );
  }
}

/** Under the order number, which the partner knows. */
function creditedEvent(deposit: UnappliedDeposit, rate: string, sequence: number, now: Date): Envelope {
  const { partnerId, currency, correlationId, causationId } = deposit;
  const claimId = deposit.orderNumber ?? deposit.claimId;
  return newEnvelope({
    type: 'deposit.credited',
    key: String(claimId),
    sequence,
    occurredAt: now,
    correlationId,
    causationId,
    producer: 'offramp',
    data: { claim_id: claimId, partner_id: partnerId, deposit: encodeDeposit(deposit), currency, rate },
  });
}
