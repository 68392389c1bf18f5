import { randomBytes } from 'node:crypto';

import {
  dataOf,
  ORDER_GRACE_MS,
  sandboxCommand,
  until,
  type Answer,
  type ApiClient,
  type OrderAnswer,
  type OrderQuery,
  type OrderRow,
  type StatusRow,
} from '@vuka/testing';

import type { PayFixture } from './pay-fixture.spec-support.js';

/** KES 1,000.00 at the sandbox's rate, the default amount. */
export const DUE = '7.809054';
const STANDS_WITHIN_MS = 60_000;
const ANSWERED_WITHIN_MS = 30_000;
/** Block times are whole seconds, and the chain must be scanned. */
const CLOCKS_MS = 1_500;

export interface Asked {
  readonly client: ApiClient;
  readonly id: string;
  readonly answer: OrderAnswer;
}

interface Sending {
  readonly chain?: string;
  readonly asset?: string;
  readonly to?: string;
  readonly memo?: string;
  readonly from?: string;
  readonly mine?: boolean;
}

/** Orders of partners and payers in a running sandbox; by default KES 1,000.00 in USDC on CELO. */
export class Orders {
  private readonly run = randomBytes(3).toString('hex');
  private turn: Promise<unknown> = Promise.resolve();

  constructor(private readonly fixture: PayFixture) {}

  query(name: string, more: Partial<OrderQuery> = {}): OrderQuery {
    return {
      network: 'CELO',
      asset: 'USDC',
      currency_code: 'KES',
      amount: 1000,
      order_id: `${name}-${this.run}`,
      ...more,
    };
  }

  /** Throws what is refused. */
  async open(name: string, more: Partial<OrderQuery> = {}, client = this.fixture.one): Promise<Asked> {
    const query = this.query(name, more);
    const asked = this.turn.then(() => this.ask(query, client));
    this.turn = asked.catch(() => undefined);
    return { client, id: query.order_id, answer: dataOf<OrderAnswer>(await asked) };
  }

  /** Repeats the request while the outcome is open, as a partner does. */
  ask(query: OrderQuery, client = this.fixture.one): Promise<Answer> {
    return until(
      async () => {
        const answer = await client.orders.ask(query);
        return answer.status !== 504 && answer;
      },
      { withinMs: ANSWERED_WITHIN_MS, what: `an answer to order ${query.order_id}`, everyMs: 100 },
    );
  }

  send(
    { answer }: Asked,
    amount: string = answer.asset_amount,
    { chain = answer.network, asset = answer.asset, to = answer.address, ...more }: Sending = {},
  ): Promise<string> {
    return this.fixture.transfer(chain, { asset, amount, to, ...more });
  }

  async sendByHand({ answer: { network, address, asset, asset_amount: amount } }: Asked): Promise<string> {
    const words = ['--chain', network, '--asset', asset, '--amount', amount, '--to', address];
    return (await sandboxCommand(this.fixture.vuka, 'transfer', ...words)).at(-1) ?? '';
  }

  async stands({ client, id }: Asked, status: string, withinMs = STANDS_WITHIN_MS): Promise<OrderRow> {
    return until(
      async () => {
        const row = await client.orders.status(id);
        if (row?.status !== status) throw new Error(`it is ${String(row?.status)} ${String(row?.reason)}`);
        return row;
      },
      { withinMs, what: `order ${id} is ${status}`, everyMs: 200 },
    );
  }

  /** Waits until no new block is on time for it. */
  async isTooLate({ answer }: Asked): Promise<void> {
    const end = Date.parse(answer.expires_at) + ORDER_GRACE_MS + CLOCKS_MS;
    await until(() => Date.now() > end, {
      withinMs: 600_000,
      what: `the time of order ${answer.order_id} is over`,
      everyMs: 250,
    });
  }

  async credits(client = this.fixture.one): Promise<StatusRow[]> {
    return (await client.listed<StatusRow>('/v1/transactions')).filter(({ type }) => type === 'CHECKOUT');
  }
}
