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

/** KES 1,000.00 at the sandbox's rate: what an order asks for unless it says otherwise. */
export const DUE = '7.809054';
const STANDS_WITHIN_MS = 60_000;
const ANSWERED_WITHIN_MS = 30_000;
/** A block has whole seconds, and the chain has to be looked through. */
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

/** What partners and their payers do with orders of a running sandbox: KES 1,000.00 in USDC on CELO unless they say otherwise. */
export class Orders {
  /** In every order's name, so that one suite's are told from another's. */
  private readonly run = randomBytes(3).toString('hex');
  /** One after the other: a busy machine has no time for all of them at once, and their time runs. */
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

  /** Accepted. Throws what is refused. */
  async open(name: string, more: Partial<OrderQuery> = {}, client = this.fixture.one): Promise<Asked> {
    const query = this.query(name, more);
    const asked = this.turn.then(() => this.ask(query, client));
    this.turn = asked.catch(() => undefined);
    return { client, id: query.order_id, answer: dataOf<OrderAnswer>(await asked) };
  }

  /** As a partner does: where the answer says that the outcome is open, the same again. */
  ask(query: OrderQuery, client = this.fixture.one): Promise<Answer> {
    return until(
      async () => {
        const answer = await client.orders.ask(query);
        return answer.status !== 504 && answer;
      },
      { withinMs: ANSWERED_WITHIN_MS, what: `an answer to order ${query.order_id}`, everyMs: 100 },
    );
  }

  /** A payer sends whole tokens, by default what is due; final at once unless `mine` is false. Gives the hash. */
  send(
    { answer }: Asked,
    amount: string = answer.asset_amount,
    { chain = answer.network, asset = answer.asset, to = answer.address, ...more }: Sending = {},
  ): Promise<string> {
    return this.fixture.transfer(chain, { asset, amount, to, ...more });
  }

  /** As a payer does who has the sandbox's command. */
  async sendByHand({ answer: { network, address, asset, asset_amount: amount } }: Asked): Promise<string> {
    const words = ['--chain', network, '--asset', asset, '--amount', amount, '--to', address];
    return (await sandboxCommand(this.fixture.vuka, 'transfer', ...words)).at(-1) ?? '';
  }

  /** Its row, once it stands there. */
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

  /** Waits until no block that is made now is on time for it any more. */
  async isTooLate({ answer }: Asked): Promise<void> {
    const end = Date.parse(answer.expires_at) + ORDER_GRACE_MS + CLOCKS_MS;
    await until(() => Date.now() > end, {
      withinMs: 600_000,
      what: `the time of order ${answer.order_id} is over`,
      everyMs: 250,
    });
  }

  /** The rows of what was credited for orders. */
  async credits(client = this.fixture.one): Promise<StatusRow[]> {
    return (await client.listed<StatusRow>('/v1/transactions')).filter(({ type }) => type === 'CHECKOUT');
  }
}
