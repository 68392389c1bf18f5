import type { CheckoutSettings } from '@vuka/config';
import {
  EVENTS,
  type CallContext,
  type DepositFacts,
  type Envelope,
  type EventType,
  type InternalClient,
  type offrampApi,
  type OrderReservation,
} from '@vuka/contracts';
import { fail, ok, type Result } from '@vuka/domain';
import type { Wake } from '@vuka/jobs';
import type { Subscription, EventBus } from '@vuka/messaging';
import type { Database } from '@vuka/persistence';
import { borrowDatabase, type TestDatabase } from '@vuka/persistence/test-postgres';
import { createLogger, type ManualClock, uuidv7 } from '@vuka/runtime';
import { openService, type OpenedService } from '@vuka/service-host';
import { testContext } from '@vuka/service-host/test-context';
import { until as waitUntil } from '@vuka/testing';

import { checkout } from '../checkout.js';
import type { CheckoutRoot } from '../checkout.root.js';
import type { OrderInput } from '../orders/create-order.js';
import { CHECKOUT_MIGRATIONS } from '../store/migrations.js';

export type { TestDatabase };
export type CheckoutService = OpenedService<CheckoutRoot>;

/** Includes the empty schema of offramp. */
export const startTestDatabase = (): Promise<TestDatabase> =>
  borrowDatabase([{ name: 'checkout', migrations: CHECKOUT_MIGRATIONS }, { name: 'offramp' }], { lookupsOnly: true });

export class HandEventBus implements Pick<EventBus, 'subscribe'> {
  private subscription: Subscription | undefined;

  public subscribe(subscription: Subscription): () => Promise<void> {
    this.subscription = subscription;
    return async () => undefined;
  }

  public async deliver(event: Envelope): Promise<void> {
    if (this.subscription === undefined) throw new Error('nobody subscribed');
    await this.subscription.handle(event);
  }
}

export class HandJobs {
  private readonly wakes = new Map<string, Wake>();

  public every(queue: string, wake: Wake): void {
    this.wakes.set(queue, wake);
  }

  public async wakeAt(): Promise<void> {}

  public async wake(queue: string): Promise<void> {
    await this.wakes.get(queue)?.('tick');
  }
}

export const START = new Date('2026-11-20T10:00:00.000Z');
export const context: CallContext = {
  requestId: 'request-1',
  traceparent: '00-trace-1',
  deadline: START.getTime() + 86_400_000,
};
export const SETTINGS: CheckoutSettings = {
  orderSeconds: 420,
  confirmMinutes: 45,
  mostOpenOrders: 1_000,
  mostOpenOrdersCents: 100_000_000n,
  mostOrdersADay: 1_000,
};
export const MINUTE = 60_000;
/** Six decimals; a hundredth of a token is tolerated. */
export const DUE = 10_000_000n;

type Reserve = InternalClient<typeof offrampApi>['reserveOrder'];
export type Reservation = Parameters<Reserve>[0];

/** Reserves each number once, each worth ten dollars. */
export class ScriptedOfframp {
  public readonly asked: Reservation[] = [];
  /** Replace the next answers. */
  public readonly next: ((input: Reservation) => Promise<Result<OrderReservation>>)[] = [];

  public constructor(private readonly clock: ManualClock) {}

  public reserveOrder(input: Reservation): Promise<Result<OrderReservation>> {
    this.asked.push(input);
    const script = this.next.shift();
    if (script !== undefined) return script(input);
    return Promise.resolve(
      BigInt(input.most_usd_cents) < 1_000n
        ? fail({ code: 'rate_limited', message: 'worth more' })
        : ok(this.reservation(input)),
    );
  }

  public reservation({ order_number: number, lives_s: livesS }: Reservation): OrderReservation {
    const now = this.clock.now();
    return {
      address: `0x${number.toString(16).padStart(40, '0')}`,
      memo_address: '',
      memo: '',
      rate: '129.35',
      due_minor: DUE.toString(),
      usd_cents: '1000',
      decimals: 6,
      created_at: now.toISOString(),
      expires_at: new Date(now.getTime() + livesS * 1_000).toISOString(),
    };
  }
}

/** Ten dollars on CELO. */
export const orderInput = (over: Partial<OrderInput> = {}): OrderInput => ({
  partner_id: 1,
  order_id: 'order-1',
  network: 'CELO',
  asset: 'USDC',
  currency: 'KES',
  amount_minor: '129350',
  callback_url: 'https://partner.example/hook',
  ...over,
});

export interface Process {
  readonly service: CheckoutService;
  readonly eventBus: HandEventBus;
  readonly jobs: HandJobs;
  readonly offramp: ScriptedOfframp;
  readonly logged: string[];
}

export async function startProcess(
  database: TestDatabase,
  clock: ManualClock,
  settings: Partial<CheckoutSettings> = {},
): Promise<Process> {
  const [eventBus, jobs, offramp, logged] = [
    new HandEventBus(),
    new HandJobs(),
    new ScriptedOfframp(clock),
    [] as string[],
  ];
  const log = createLogger('checkout', {
    level: 'info',
    destination: { write: (line: string) => void logged.push(line) },
  });
  const service = await openService(
    checkout,
    testContext({
      settings: { checkout: { ...SETTINGS, ...settings } },
      database: database.config,
      eventBus: eventBus,
      jobs,
      clients: { offramp },
      clock,
      log,
    }),
  );
  return { service, eventBus, jobs, offramp, logged };
}

export const emptyTables = (db: Database): Promise<unknown> =>
  db.query('truncate order_deposits, claim_words, order_transitions, orders, outbox, inbox, dead_letters cascade');

export async function toldOf(
  db: Database,
  orderNumber: number,
): Promise<{ changes: Envelope<'order.complete'>[]; settled: Envelope<'order.settled'>[] }> {
  const rows = await db.query<{ topic: string; envelope: string }>(
    'select topic, envelope from outbox where key = $1 order by xid, id',
    [String(orderNumber)],
  );
  const of = <T extends EventType>(topic: string): Envelope<T>[] =>
    rows.filter((row) => row.topic === topic).map(({ envelope }) => JSON.parse(envelope) as Envelope<T>);
  return { changes: of('checkout.order.events.v1'), settled: of('checkout.settlement.events.v1') };
}

export type OrderDepositType =
  | 'order-deposit.seen'
  | 'order-deposit.confirmed'
  | 'order-deposit.gone'
  | 'order-deposit.reverted'
  | 'order-watch.passed';

/** Events of one order with rising sequence, unless given. */
export class Teller {
  private sequence = 0;

  public constructor(
    private readonly orderNumber: number,
    private readonly clock: ManualClock,
    private readonly expiresAt: Date = new Date(START.getTime() + SETTINGS.orderSeconds * 1_000),
  ) {}

  public seen(claimId: number, transfer: Partial<Transfer> = {}): Envelope<'order-deposit.seen'> {
    const { chain, asset, decimals, received_minor, transaction_hash, block_time } = this.facts(claimId, transfer);
    return this.event('order-deposit.seen', {
      claim_id: claimId,
      chain,
      transaction_hash,
      block_time,
      values: [{ asset, decimals, received_minor }],
    });
  }

  public confirmed(
    claimId: number,
    transfer: Partial<Transfer> = {},
    screeningHit = false,
  ): Envelope<'order-deposit.confirmed'> {
    return this.event('order-deposit.confirmed', {
      claim_id: claimId,
      deposits: [this.facts(claimId, transfer)],
      rate: '129.35',
      screening_hit: screeningHit,
    });
  }

  public gone(claimId: number): Envelope<'order-deposit.gone'> {
    return this.event('order-deposit.gone', { claim_id: claimId });
  }

  public reverted(claimId: number, transfer: Partial<Transfer> = {}): Envelope<'order-deposit.reverted'> {
    return this.event('order-deposit.reverted', { claim_id: claimId, deposit: this.facts(claimId, transfer) });
  }

  public passed(): Envelope<'order-watch.passed'> {
    return this.event('order-watch.passed', {
      chain: 'CELO',
      scanned_to: new Date(this.expiresAt.getTime() + 31_000).toISOString(),
    });
  }

  private facts(
    claimId: number,
    { amount = DUE, chain = 'CELO', symbol = 'USDC', at = START, deposit = claimId * 10 }: Partial<Transfer>,
  ): DepositFacts {
    return {
      deposit_id: deposit,
      chain,
      asset: `${symbol}@${chain}`,
      decimals: 6,
      received_minor: amount.toString(),
      transaction_hash: `0x${claimId.toString(16).padStart(64, '0')}`,
      block_number: 100 + claimId,
      block_time: at.toISOString(),
    };
  }

  private event<T extends OrderDepositType>(
    type: T,
    data: Omit<Envelope<T>['data'], 'order_number' | 'partner_id'>,
  ): Envelope<T> {
    this.sequence += 1;
    return {
      id: uuidv7(),
      type,
      version: EVENTS[type].version,
      key: String(this.orderNumber),
      sequence: this.sequence,
      occurredAt: this.clock.now().toISOString(),
      correlationId: 'request-1',
      causationId: '00-trace-1',
      producer: 'offramp',
      data: { order_number: this.orderNumber, partner_id: 1, ...data } as Envelope<T>['data'],
    };
  }
}

export interface Transfer {
  /** Token minor units. */
  readonly amount: bigint;
  readonly chain: string;
  readonly symbol: string;
  readonly at: Date;
  readonly deposit: number;
}

export function latch<T>(): {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
} {
  let [resolve, reject]: [(value: T) => void, (error: Error) => void] = [() => undefined, () => undefined];
  const promise = new Promise<T>((onValue, onError) => {
    [resolve, reject] = [onValue, onError];
  });
  return { promise, resolve, reject };
}

export const until = (condition: () => boolean | Promise<boolean>): Promise<boolean> =>
  waitUntil(condition, { withinMs: 20_000, what: 'the condition holds' });
