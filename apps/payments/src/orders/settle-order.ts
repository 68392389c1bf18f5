import { Inject, Injectable } from '@nestjs/common';
import { type Envelope, type OrderSettled, decodeAmount, decodeDeposit } from '@vuka/contracts';
import {
  assetSymbol,
  WALLET_CURRENCIES,
  compare,
  decodeMoney,
  isSame,
  subtract,
  sum,
  zero,
  type Money,
} from '@vuka/domain';
import { PermanentEventError } from '@vuka/messaging';
import { type Logger, uuidv7 } from '@vuka/runtime';
import { LOGGER } from '@vuka/service-host';

import {
  type DepositState,
  type Insertion,
  type PaymentCommit,
  CommitWriter,
  type NewDeposit,
  type Posting,
  type TransactionLife,
} from '../commit/index.js';
import { CONSUMER_GROUP } from '../deposits/index.js';
import { PayoutWake } from '../due-work/index.js';
import { type OrderCredit, OrderStore } from '../transactions/index.js';
import { DepositStore, type KeptDeposit, type OrderShare } from '../value/index.js';
import {
  incomingTransferOf,
  checkSame,
  commitUntilDone,
  creditAndDebtOf,
  creditOf,
  debtOf,
  orderDepositRow,
  takenUnapplied,
} from './order-move.js';
import { ToldBefore } from './told-before.js';

type Event = Envelope<'order.settled'>;
type Use = OrderSettled['uses'][number];
type Credit = NonNullable<OrderSettled['credit']>;

interface Part {
  readonly postings: readonly Posting[];
  readonly arrives?: NewDeposit;
  readonly patch?: { readonly depositId: number; readonly expected: DepositState; readonly state: DepositState };
  /** It vanished before: its partner owes the credit. */
  readonly owes?: true;
}

const NOTHING: Part = { postings: [] };

/**
 * What an order used is credited to the wallet (order_settled) under its own transaction; the rest waits for the
 * partner. Each deposit once, whatever the order or repetition of events. The first of several events inserts the
 * transaction.
 */
@Injectable()
export class SettleOrder {
  constructor(
    private readonly deposits: DepositStore,
    private readonly orders: OrderStore,
    private readonly writer: CommitWriter,
    private readonly before: ToldBefore,
    /** A wallet may now be able to pay debts. */
    private readonly wake: PayoutWake,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * Resolves when durable. Throws PermanentEventError if sums are wrong, or a deposit is somebody else's or used
   * otherwise.
   */
  async run(event: Event): Promise<void> {
    const { data } = event;
    checkSums(data);
    // Before the commit, and harmless without it.
    await this.orders.remember({
      orderNumber: data.order_number,
      partnerId: data.partner_id,
      orderId: data.order_id,
      currency: data.currency,
    });
    const orderCredit = orderCreditOf(data);
    if (orderCredit) await this.orders.rememberCredit(data.order_number, orderCredit);
    const ids = data.uses.map(({ deposit }) => deposit.deposit_id);
    // A vanished deposit is credited and owed in one commit, so the money comes with the freeze.
    const gone = (await this.deposits.vanished(ids)).filter(({ transactionId }) => transactionId === data.order_number);
    if (gone.length > 0) await this.before.takeBackAmong(gone.map(({ depositId }) => depositId));
    let owes = false;
    const wrote = await commitUntilDone(
      this.writer,
      `the settlement of order ${data.order_number}`,
      async (codeIsTaken) => {
        const move = await this.next(event, codeIsTaken);
        owes ||= move?.incident !== undefined;
        return move;
      },
    );
    if (wrote && owes)
      this.log.error(
        { code: 'order_value_owed', order_number: data.order_number },
        'an order was credited for a deposit that had vanished',
      );
    await this.before.takeBackAmong(ids);
    await this.before.creditAmong(ids);
    if (wrote && orderCredit) this.wake.debts.notify();
  }

  private async next(event: Event, codeIsTaken: boolean): Promise<PaymentCommit | null> {
    const { data } = event;
    const { order_number: orderNumber, partner_id: partnerId, credit, uses } = data;
    const inserts = credit !== null && orderCreditOf(data) !== null && !(await this.orders.isCredited(orderNumber));
    const ids = uses.map(({ deposit }) => deposit.deposit_id);
    const known = await this.deposits.byIds(ids);
    const gone = known.size === ids.length ? [] : await this.deposits.vanished(ids);
    const parts = uses.map((use) => {
      const kept = known.get(use.deposit.deposit_id);
      if (!kept)
        return gone.some(({ depositId }) => depositId === use.deposit.deposit_id)
          ? arrivingGone(use, data)
          : arriving(use, data);
      checkSame(kept, orderNumber, partnerId, use.deposit);
      return waiting(use, kept, data);
    });
    if (!inserts && parts.every((part) => part === NOTHING)) return null;
    const arrived = parts.flatMap(({ arrives }) => arrives ?? []);
    const patches = parts.flatMap(({ patch }) => patch ?? []);
    const vanished = parts
      .flatMap(({ patch, arrives, owes }) => (owes ? [patch ?? arrives] : []))
      .flatMap((one) => one?.depositId ?? []);
    return {
      commitId: uuidv7(),
      ...(inserts
        ? insertedBy(event, codeIsTaken ? this.otherCode(event, credit) : credit)
        : { transactionId: null, about: orderNumber, transitions: [] }),
      expectedSequence: 0,
      postings: parts.flatMap(({ postings }) => postings),
      ...(arrived.length > 0 ? { deposits: arrived } : {}),
      ...(patches.length > 0 ? { depositPatches: patches } : {}),
      ...(vanished.length > 0
        ? {
            incident: {
              state: 'COMPLETE',
              event: 'deposit.reverted',
              attemptNo: 0,
              detail: `deposit ${vanished.join(', ')} had vanished when its order was credited`,
            },
          }
        : {}),
      mark: { group: CONSUMER_GROUP, eventId: event.id, occurredAt: event.occurredAt },
      outbox: [],
    };
  }

  /**
   * Codes and references share one name space, and the partner knows its order's code. If a payout uses it as its
   * reference, the payout keeps it; the credit gets an unguessable code.
   */
  private otherCode({ data }: Event, credit: Credit): Credit {
    const transaction_code = uuidv7();
    this.log.warn(
      { code: 'order_code_taken', order_number: data.order_number, transaction_code },
      'a payout already has the code of this order as its reference, so the credit gets another code',
    );
    return { ...credit, transaction_code };
  }
}

function checkSums({ credit, currency, uses }: OrderSettled): void {
  if (!(WALLET_CURRENCIES as readonly string[]).includes(currency))
    throw new PermanentEventError('currency: no wallet is of it');
  const all = sum(
    currency,
    uses.map(({ credited_minor: credited }) => decodeMoney(credited, currency)),
  );
  // ledger:check compares the sum over all events of an order.
  if (compare(all, decodeMoney(credit?.amount_minor ?? '0', currency)) > 0)
    throw new PermanentEventError('uses: what they credit is more than the amount');
  if (credit && credit.currency !== currency) throw new PermanentEventError("credit.currency: not the order's");
  if (new Set(uses.map(({ deposit }) => deposit.deposit_id)).size !== uses.length)
    throw new PermanentEventError('uses: a deposit is there twice');
  for (const use of uses) {
    const { used, credited } = amountsOf(use, currency);
    if (compare(used, decodeDeposit(use.deposit).received) > 0)
      throw new PermanentEventError('uses: more is used than was received');
    if (used.minor === 0n ? credited.minor > 0n : credit === null)
      throw new PermanentEventError('uses: something is used without a credit, or credited for nothing');
  }
}

function amountsOf({ deposit, used_minor, credited_minor }: Use, currency: string): OrderShare {
  return { used: decodeMoney(used_minor, deposit.asset), credited: decodeMoney(credited_minor, currency) };
}

function shareOf(use: Use, currency: string): OrderShare | null {
  const share = amountsOf(use, currency);
  return share.used.minor === 0n ? null : share;
}

function stateAfter(share: OrderShare | null, received: Money): DepositState {
  return share && isSame(share.used, received) ? 'credited' : 'unapplied';
}

/** The settlement came before the event that the deposit is final. */
function arriving(use: Use, { partner_id: partnerId, currency, rate }: OrderSettled): Part {
  const share = shareOf(use, currency);
  const arrives = orderDepositRow(use.deposit, partnerId, rate, stateAfter(share, decodeDeposit(use.deposit).received));
  return { arrives, postings: [incomingTransferOf(arrives), ...(share ? [creditOf(arrives, share)] : [])] };
}

/** Vanished already: the value leaves at once, and the order's credit is owed in the same commit. */
function arrivingGone(use: Use, { partner_id: partnerId, currency, rate }: OrderSettled): Part {
  const share = shareOf(use, currency);
  const arrives = orderDepositRow(use.deposit, partnerId, rate, 'reverted');
  const rest = share ? subtract(arrives.received, share.used) : arrives.received;
  const postings = [
    incomingTransferOf(arrives),
    ...(share ? [creditOf(arrives, share), debtOf(arrives, share)] : []),
    ...(rest.minor > 0n ? [takenUnapplied(arrives, rest)] : []),
  ];
  return share ? { arrives, postings, owes: true } : { arrives, postings };
}

function waiting(use: Use, kept: KeptDeposit, { currency }: OrderSettled): Part {
  const share = shareOf(use, currency);
  const { depositId, state } = kept;
  if (kept.share) {
    const asBefore = share && isSame(kept.share.used, share.used) && isSame(kept.share.credited, share.credited);
    if (!asBefore) throw new PermanentEventError(`uses: deposit ${depositId} is credited otherwise`);
    return NOTHING;
  }
  if (state === 'ordered') {
    return {
      postings: share ? [creditOf(kept, share)] : [],
      patch: { depositId, expected: state, state: stateAfter(share, kept.received) },
    };
  }
  if (!share) return NOTHING;
  if (state !== 'reverted') throw new PermanentEventError(`uses: deposit ${depositId} is ${state}`);
  // The partner knows that the order is COMPLETE: it is credited, and owes it.
  return { postings: creditAndDebtOf(kept, share), patch: { depositId, expected: state, state }, owes: true };
}

function insertedBy(
  { data, correlationId, causationId }: Event,
  credit: Credit,
): Pick<PaymentCommit, 'transactionId' | 'insertion' | 'life' | 'transitions'> {
  const amount = decodeAmount(credit);
  const insertion: Insertion = {
    details: {
      id: data.order_number,
      partnerId: data.partner_id,
      transactionCode: credit.transaction_code,
      operation: 'checkout',
      amount,
      fee: zero(amount.currency),
      serviceFee: zero(amount.currency),
      callbackUrl: null,
      requestId: correlationId,
      traceparent: causationId,
    },
    destination: {
      kind: 'checkout',
      bankCode: '',
      bankName: '',
      mobileNetwork: '',
      keyId: null,
      sealed: '',
      blindIndex: '',
    },
    fingerprint: `checkout:${data.order_number}`,
  };
  const life: TransactionLife = {
    state: 'COMPLETE',
    sequence: 1,
    publicSequence: 0,
    attemptNo: 0,
    paidAttemptNo: null,
    message: credit.message,
    failureCode: null,
    receiptNumber: null,
    publicName: null,
    dueAt: null,
    parkDeadline: null,
  };
  const transitions = [
    { from: null, to: 'COMPLETE' as const, event: 'order.settled', attemptNo: 0, detail: data.reason },
  ];
  return { transactionId: data.order_number, insertion, life, transitions };
}

/** With several transfers, the first used one. null: nothing is credited. */
function orderCreditOf({ order_id: orderId, credit, uses }: OrderSettled): OrderCredit | null {
  const first = credit && uses.find((use) => shareOf(use, credit.currency) !== null)?.deposit;
  if (!first) return null;
  return {
    orderId,
    chain: first.chain,
    asset: assetSymbol(first.asset),
    transactionHash: first.transaction_hash,
    rate: credit.rate,
  };
}
