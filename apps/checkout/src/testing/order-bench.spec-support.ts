import type { Envelope, OrderView } from '@vuka/contracts';
import type { Database } from '@vuka/persistence';
import { ManualClock } from '@vuka/runtime';

import type { OrderDepositEvent } from '../judging/record-told.js';
import {
  START,
  context,
  emptyTables,
  orderInput,
  startProcess,
  startTestDatabase,
  type Process,
  type TestDatabase,
} from './checkout.spec-support.js';

export class OrderBench {
  clock = new ManualClock(START);
  checkout!: Process;
  private readonly processes: Process[] = [];

  private constructor(
    private readonly database: TestDatabase,
    readonly db: Database,
  ) {}

  static async open(): Promise<OrderBench> {
    const database = await startTestDatabase();
    return new OrderBench(database, await database.connect());
  }

  end(): Promise<unknown> {
    return this.database.stop();
  }

  async clear(): Promise<void> {
    await emptyTables(this.db);
    this.clock = new ManualClock(START);
    this.checkout = await this.start();
  }

  async stopAll(): Promise<void> {
    await Promise.all(this.processes.splice(0).map(({ service }) => service.stop()));
  }

  async start(): Promise<Process> {
    const started = await startProcess(this.database, this.clock);
    this.processes.push(started);
    return started;
  }

  async newOrder(orderId = 'order-1'): Promise<OrderView> {
    const made = await this.checkout.service.handlers.createOrder(orderInput({ order_id: orderId }), context);
    if (!made.ok) throw new Error(made.error.message);
    return made.value.order;
  }

  async viewOf({ order_id }: OrderView): Promise<OrderView> {
    const found = await this.checkout.service.handlers.orderStatus({ partner_id: 1, order_id }, context);
    if (!found.ok) throw new Error(found.error.message);
    return found.value;
  }

  async deliver(...events: OrderDepositEvent[]): Promise<void> {
    for (const event of events) await this.checkout.eventBus.deliver(event);
  }
}

export const statuses = (changes: readonly Envelope<'order.complete'>[]): string[] =>
  changes.map(({ data }) => data.payload.status);
export const usesOf = ({ data }: Envelope<'order.settled'>): string[] =>
  data.uses.map(({ deposit, used_minor, credited_minor }) => `${deposit.deposit_id}: ${used_minor} ${credited_minor}`);
