import { Injectable } from '@nestjs/common';
import { type DepositFacts, type Envelope, decodeDeposit } from '@vuka/contracts';
import {
  assetAmountDue,
  convertFloor,
  coverageOf,
  currencyDecimals,
  parseRate,
  shortfallOfOurs,
  tokenRate,
  unitOf,
  type DepositIdentity,
  type Money,
  type TransactionEvent,
} from '@vuka/domain';
import { PermanentEventError } from '@vuka/messaging';

import type { InboxMark } from '../commit/index.js';
import { PayoutWake } from '../due-work/index.js';
import { type TransactionTrigger, TransactionMachine } from '../machine/index.js';
import { type TransactionSnapshot, TransactionStore } from '../transactions/index.js';
import { DepositStore, type Verdict, type ArrivingDeposit } from '../value/index.js';
import { CONSUMER_GROUP } from './consumer-group.js';
import { RecordReversal } from './record-reversal.js';

export const EVENTS_AT_ONCE = 64;

export type VerdictEvent = Envelope<'deposit.seen' | 'deposit.verified' | 'deposit.unusable' | 'deposit.unapplied'>;

interface Said {
  readonly event: TransactionEvent;
  readonly deposit: ArrivingDeposit | null;
  readonly also: readonly ArrivingDeposit[];
  readonly change: Partial<Pick<TransactionTrigger['change'], 'failureCode' | 'detail'>>;
}

/**
 * Repeats, late and disordered events change nothing: the machine's table decides, and what the ledger has is
 * `same`.
 */
@Injectable()
export class RecordVerdict {
  constructor(
    private readonly machine: TransactionMachine,
    private readonly transactions: TransactionStore,
    private readonly deposits: DepositStore,
    private readonly wake: PayoutWake,
    private readonly reversals: RecordReversal,
  ) {}

  /** Resolves when durable. Throws PermanentEventError if the verdict fits no transaction. */
  async run(event: VerdictEvent): Promise<void> {
    const snapshot = await this.transactions.byId(event.data.claim_id);
    if (!snapshot?.pay) throw new PermanentEventError('claim_id: no transaction that waits for a deposit');
    if (snapshot.details.partnerId !== event.data.partner_id)
      throw new PermanentEventError("partner_id: the claim is another partner's");
    const decision = await this.machine.apply(snapshot, (current) => this.trigger(current, event));
    await this.reversals.takeBackAmong(namedIn(event));
    if (decision.kind === 'move' && decision.steps.some(({ to }) => to === 'QUEUED')) this.wake.starts.notify();
  }

  private async trigger(snapshot: TransactionSnapshot, event: VerdictEvent): Promise<TransactionTrigger> {
    const named = namedIn(event);
    const known = named.length === 0 ? new Set<number>() : await this.deposits.known(named);
    const { event: said, deposit, also, change } = toldBy(event, snapshot, known);
    const mark: InboxMark = { group: CONSUMER_GROUP, eventId: event.id, occurredAt: event.occurredAt };
    const verdict: Verdict = { deposit, also: also.filter(({ depositId }) => !known.has(depositId)), mark };
    return { event: said, change: { attemptNo: 0, detail: '', ...change, verdict } };
  }
}

function namedIn({ data }: VerdictEvent): number[] {
  return 'deposit' in data ? [data.deposit, ...data.also].map(({ deposit_id }) => deposit_id) : [];
}

function toldBy(event: VerdictEvent, snapshot: TransactionSnapshot, known: ReadonlySet<number>): Said {
  switch (event.type) {
    case 'deposit.seen':
      return { event: { type: event.type }, deposit: null, also: [], change: {} };
    case 'deposit.unusable': {
      const { reason, releases_claim: releasesClaim } = event.data as Envelope<'deposit.unusable'>['data'];
      return {
        event: { type: event.type, releasesClaim },
        deposit: null,
        also: [],
        change: { failureCode: reason, detail: reason },
      };
    }
    case 'deposit.verified': {
      const {
        deposit: facts,
        also,
        rate,
        quote_passed_over: quoteNotApplied,
        screening_hit: screeningHit,
      } = event.data as Envelope<'deposit.verified'>['data'];
      const deposit = depositOf(facts, rate, snapshot);
      return {
        event: { type: event.type, deposit: identityOf(facts, known), screeningHit },
        deposit: { ...deposit, quoteNotApplied: quoteNotApplied, shortfall: shortfallOf(deposit, snapshot) },
        also: also.map((one) => depositOf(one, rate, snapshot)),
        change: { detail: `${screeningHit ? 'screening hit, ' : ''}deposit ${facts.deposit_id}` },
      };
    }
    case 'deposit.unapplied': {
      const { deposit: facts, also, reason, rate } = event.data as Envelope<'deposit.unapplied'>['data'];
      return {
        event: { type: event.type, deposit: identityOf(facts, known) },
        deposit: depositOf(facts, rate, snapshot),
        also: also.map((one) => depositOf(one, rate, snapshot)),
        change: { failureCode: reason, detail: `${reason}: deposit ${facts.deposit_id}` },
      };
    }
  }
}

function identityOf({ deposit_id: id }: DepositFacts, known: ReadonlySet<number>): DepositIdentity {
  return known.has(id) ? 'same' : 'new';
}

/** Throws PermanentEventError if the facts are invalid, or cannot be this claim's. */
function depositOf(facts: DepositFacts, rate: string, { details, pay }: TransactionSnapshot): ArrivingDeposit {
  if (facts.chain !== pay?.chain || !facts.asset.endsWith(`@${facts.chain}`))
    throw new PermanentEventError('deposit.chain: not the chain of the claim');
  const { depositId, chain, received, decimals, transactionHash } = decodeDeposit(facts);
  if (received.minor === 0n) throw new PermanentEventError('deposit.received_minor: a deposit is more than 0');
  const { currency } = details.amount;
  if (!parseRate(rate, unitOf({ received, decimals }), { currency, decimals: currencyDecimals(currency) }).ok)
    throw new PermanentEventError('rate: must be more than 0');
  return { depositId, chain, received, decimals, transactionHash, rate, shortfall: null, quoteNotApplied: null };
}

/**
 * Our part; 0 if the deposit covers the amount less the markup. Throws PermanentEventError beyond the tolerance:
 * we would pay the rest.
 */
function shortfallOf(deposit: ArrivingDeposit, { details: { amount, fee } }: TransactionSnapshot): Money {
  const { received, rate } = deposit;
  const unit = unitOf(deposit);
  if (coverageOf(received, assetAmountDue(amount, rate, unit), unit).verdict === 'short')
    throw new PermanentEventError('deposit: does not cover the amount, not within the tolerance either');
  const worth = convertFloor(received, tokenRate(rate, amount.currency, unit));
  return shortfallOfOurs(worth, { amount, markup: fee });
}
