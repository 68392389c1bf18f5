import type { DepositFacts, Envelope, EventType, OrderSettled } from '@vuka/contracts';
import { newEnvelope } from '@vuka/messaging';

import { CommitWriter } from '../commit/commit-writer.js';
import type { PaymentCommit, CommitOutcome } from '../commit/payment-commit.js';
import { CreditDeposit } from '../deposits/credit-deposit.js';
import { RecordOrderDeposits } from '../orders/record-order-deposits.js';
import { RevertOrderDeposit } from '../orders/revert-order-deposit.js';
import { SettleOrder } from '../orders/settle-order.js';
import { nextHash, RATE } from './pay-harness.spec-support.js';
import type { PaymentsDatabase } from './payments-database.spec-support.js';
import { RefundHarness } from './refund-harness.spec-support.js';

const FIRST_ORDER = 5_000_000_000_000_000;
let orders = 0;

export interface Use {
  readonly deposit: DepositFacts;
  readonly used: bigint;
  readonly credited: bigint;
}

/** Before or after its next commit. */
export type Death = 'before' | 'after';

/** 500.00 KES, or what its uses add up to. */
export class OrderHarness extends RefundHarness {
  orderId = 'shop-1';
  readonly incomingTransfers: RecordOrderDeposits;
  readonly orderReversals: RevertOrderDeposit;
  readonly orderSettlements: SettleOrder;
  private readonly credit: CreditDeposit;
  private death: Death | null = null;
  private meanwhile: (() => Promise<unknown>) | null = null;
  private spoken = 0;

  constructor(pg: PaymentsDatabase) {
    super(pg);
    this.id = FIRST_ORDER + ++orders;
    const parts = this.partsWith([CommitWriter, { commit: (move: PaymentCommit) => this.mortal(move) }]);
    this.credit = parts.get(CreditDeposit);
    this.orderReversals = parts.get(RevertOrderDeposit);
    this.incomingTransfers = parts.get(RecordOrderDeposits);
    this.orderSettlements = parts.get(SettleOrder);
  }

  /** In another process. */
  async beside(): Promise<OrderHarness> {
    const other = new OrderHarness({ ...this.pg, db: await this.pg.connect() });
    other.id = this.id;
    other.partner = this.partner;
    return other;
  }

  diesNext(death: Death): void {
    this.death = death;
  }

  /** Between the next commit's read and the commit. */
  beforeNext(meanwhile: () => Promise<unknown>): void {
    this.meanwhile = meanwhile;
  }

  private async mortal(move: PaymentCommit): Promise<CommitOutcome> {
    const { death, meanwhile } = this;
    this.death = null;
    this.meanwhile = null;
    await meanwhile?.();
    if (death === 'before') throw new Error('died before its commit');
    const outcome = await this.writer.commit(move, 'background');
    if (death === 'after') throw new Error('died after its commit');
    return outcome;
  }

  transfer(receivedMinor: bigint): DepositFacts {
    return this.facts({ received_minor: receivedMinor.toString(), transaction_hash: nextHash() });
  }

  private orderEvent<T extends EventType>(type: T, producer: string, data: object): Envelope<T> {
    return newEnvelope({
      type,
      key: String(this.id),
      sequence: ++this.spoken,
      occurredAt: this.clock.now(),
      correlationId: 'r-order',
      causationId: '00-order',
      producer,
      data: { order_number: this.id, partner_id: this.partner, ...data } as unknown as Envelope<T>['data'],
    });
  }

  confirmedEvent(...deposits: readonly DepositFacts[]): Envelope<'order-deposit.confirmed'> {
    return this.orderEvent('order-deposit.confirmed', 'offramp', {
      claim_id: 6_000_000_000_000_000 + (deposits[0]?.deposit_id ?? 0),
      deposits,
      rate: RATE,
      screening_hit: false,
    });
  }

  revertedEvent(deposit: DepositFacts): Envelope<'order-deposit.reverted'> {
    return this.orderEvent('order-deposit.reverted', 'offramp', {
      claim_id: 6_000_000_000_000_000 + deposit.deposit_id,
      deposit,
    });
  }

  creditedEvent(deposit: DepositFacts): Envelope<'deposit.credited'> {
    return this.event('deposit.credited', { deposit, currency: 'KES', rate: RATE });
  }

  /** Credits add up to `amount`, or are a part of it. */
  settledEvent(
    uses: readonly Use[],
    more: { readonly amount?: bigint; readonly reason?: OrderSettled['reason'] } = {},
  ): Envelope<'order.settled'> {
    const sum = uses.reduce((total, { credited }) => total + credited, 0n);
    const credit: OrderSettled['credit'] = {
      transaction_code: this.code,
      currency: 'KES',
      amount_minor: (more.amount ?? sum).toString(),
      rate: RATE,
      message: 'The order was paid',
    };
    return this.orderEvent('order.settled', 'checkout', {
      order_id: this.orderId,
      reason: more.reason ?? '',
      credit,
      currency: 'KES',
      rate: RATE,
      uses: uses.map(useOf),
    });
  }

  leftEvent(...deposits: readonly DepositFacts[]): Envelope<'order.settled'> {
    const uses = deposits.map((deposit) => useOf({ deposit, used: 0n, credited: 0n }));
    return this.orderEvent('order.settled', 'checkout', {
      order_id: this.orderId,
      reason: 'underpaid',
      credit: null,
      currency: 'KES',
      rate: RATE,
      uses,
    });
  }

  hear(event: Envelope): Promise<void> {
    switch (event.type) {
      case 'order-deposit.confirmed':
        return this.incomingTransfers.run(event as Envelope<'order-deposit.confirmed'>);
      case 'order-deposit.reverted':
        return this.orderReversals.run(event as Envelope<'order-deposit.reverted'>);
      case 'order.settled':
        return this.orderSettlements.run(event as Envelope<'order.settled'>);
      case 'deposit.credited':
        return this.credit.run(event as Envelope<'deposit.credited'>);
      default:
        throw new Error(`nobody hears ${event.type}`);
    }
  }

  /** Redelivers like the event bus. */
  async hearUntilDone(event: Envelope): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.hear(event);
      } catch (error) {
        if (tries === 5) throw error;
      }
    }
  }

  async hearAll(...events: readonly Envelope[]): Promise<this> {
    for (const event of events) await this.hear(event);
    return this;
  }
}

function useOf({ deposit, used, credited }: Use): OrderSettled['uses'][number] {
  return { deposit, used_minor: used.toString(), credited_minor: credited.toString(), screening_hit: false };
}

/** 388.05 for a whole deposit, 129.36 for 1 of another's 2 tokens. */
export async function completeOrder(pg: PaymentsDatabase): Promise<{
  readonly harness: OrderHarness;
  readonly whole: DepositFacts;
  readonly more: DepositFacts;
  readonly uses: readonly Use[];
}> {
  const harness = new OrderHarness(pg);
  const [whole, more] = [harness.transfer(3_000_000n), harness.transfer(2_000_000n)];
  const uses = [
    { deposit: whole, used: 3_000_000n, credited: 388_05n },
    { deposit: more, used: 1_000_000n, credited: 129_36n },
  ];
  await harness.hearAll(
    harness.confirmedEvent(whole),
    harness.confirmedEvent(more),
    harness.settledEvent(uses, { reason: 'overpaid' }),
  );
  return { harness, whole, more, uses };
}
