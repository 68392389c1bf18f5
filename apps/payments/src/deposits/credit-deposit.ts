import { Inject, Injectable } from '@nestjs/common';
import { type Envelope, decodeDeposit } from '@vuka/contracts';
import {
  currencyDecimals,
  parseRate,
  postingLegs,
  WALLET_CURRENCIES,
  type Rate,
  isSame,
  unitOf,
  type Deposit,
} from '@vuka/domain';
import { PermanentEventError } from '@vuka/messaging';
import { type Logger, uuidv7 } from '@vuka/runtime';
import { LOGGER } from '@vuka/service-host';

import { type DepositState, type PaymentCommit, CommitWriter, referenceOf } from '../commit/index.js';
import { PayoutWake } from '../due-work/index.js';
import { DepositStore, type EarlyCredit, type KeptDeposit, remainderOf } from '../value/index.js';
import { CONSUMER_GROUP } from './consumer-group.js';

export type CreditEvent = Envelope<'deposit.credited'>;

/**
 * Then the credit waits. `ordered`: its order decides first. The others: the refund may have failed, reported on
 * another topic. A refund requested after the policy event wins.
 */
const WAITS: ReadonlySet<DepositState> = new Set<DepositState>(['ordered', 'refunding', 'refunded']);

/** unapplied_credited: at the rate of the day, once per deposit. */
@Injectable()
export class CreditDeposit {
  constructor(
    private readonly deposits: DepositStore,
    private readonly writer: CommitWriter,
    private readonly wake: PayoutWake,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * Resolves when posted, or kept until its order is settled or its refund has ended. Throws PermanentEventError
   * if the value is not there.
   */
  async run(event: CreditEvent): Promise<void> {
    const { claim_id: claimId, partner_id: partnerId, currency, rate } = event.data;
    const told = decodeDeposit(event.data.deposit);
    const { depositId } = told;
    const credit: EarlyCredit = {
      depositId,
      currency,
      rate,
      mark: { group: CONSUMER_GROUP, eventId: event.id, occurredAt: event.occurredAt },
    };
    rateOf(credit, told);
    let deposit = await this.deposits.byId(depositId);
    if (deposit ? WAITS.has(deposit.state) : !(await this.deposits.isPays(claimId))) {
      await this.deposits.rememberCredit(credit);
      // Of two events at the same time, one finds the other's row.
      deposit = await this.deposits.byId(depositId);
      if (!deposit || WAITS.has(deposit.state)) return;
      return this.creditAmong([depositId]);
    }
    if (!deposit || deposit.transactionId !== claimId || deposit.partnerId !== partnerId)
      throw new PermanentEventError('deposit: the ledger has none such of this claim');
    if (!isSame(deposit.received, told.received))
      throw new PermanentEventError('deposit: the ledger has it with another value');
    await this.post(deposit, credit);
  }

  /** Credits that came before their order was settled, or their refund failed. */
  async creditAmong(depositIds: readonly number[]): Promise<void> {
    for (const credit of await this.deposits.earlyCredits(depositIds)) {
      const deposit = await this.deposits.byId(credit.depositId);
      if (deposit) await this.post(deposit, credit);
    }
  }

  private async post(deposit: KeptDeposit, credit: EarlyCredit): Promise<void> {
    if (deposit.state === 'credited') return;
    if (deposit.state === 'reverted' || WAITS.has(deposit.state)) {
      this.log.info(
        { code: 'credit_dropped', deposit_id: deposit.depositId, state: deposit.state },
        'a deposit that was to be credited is gone by another way',
      );
      return;
    }
    if (deposit.state !== 'unapplied') throw new PermanentEventError(`deposit: its value is ${deposit.state}`);
    const { outcome } = await this.writer.commit(toCommit(credit, deposit), 'background');
    if (outcome === 'ok') this.wake.debts.notify();
    else if (outcome !== 'exists' && outcome !== 'seen')
      throw new Error(`the credit of deposit ${deposit.depositId} was answered ${outcome}`);
  }
}

function rateOf({ rate, currency }: EarlyCredit, deposit: Pick<Deposit, 'received' | 'decimals'>): Rate {
  if (!(WALLET_CURRENCIES as readonly string[]).includes(currency))
    throw new PermanentEventError('currency: no wallet is of it');
  const parsed = parseRate(rate, unitOf(deposit), { currency, decimals: currencyDecimals(currency) });
  if (!parsed.ok) throw new PermanentEventError('rate: must be more than 0');
  return parsed.value;
}

function toCommit(credit: EarlyCredit, kept: KeptDeposit): PaymentCommit {
  const { depositId, transactionId, partnerId } = kept;
  const legs = postingLegs('unapplied_credited', {
    partner: partnerId,
    received: remainderOf(kept),
    rate: rateOf(credit, kept),
  });
  return {
    commitId: uuidv7(),
    transactionId: null,
    about: transactionId,
    expectedSequence: 0,
    transitions: [],
    postings: [{ reference: referenceOf('unapplied_credited', depositId), kind: 'unapplied_credited', legs }],
    depositPatches: [{ depositId, expected: 'unapplied', state: 'credited' }],
    mark: credit.mark,
    outbox: [],
  };
}
