import { expect } from '@jest/globals';
import {
  dataOf,
  destinationIn,
  minorOf,
  until,
  type Answer,
  type ApiClient,
  type PayBody,
  type StatusRow,
} from '@vuka/testing';

import type { ChainDriver } from './chain-driver.spec-support.js';
import type { PayFixture } from './pay-fixture.spec-support.js';

/** KES per dollar in the sandbox: 129.35 less one per cent. */
export const KES_RATE = '128.0565';
export const AMOUNT = 1000;
const END_WITHIN_MS = 60_000;

export const codeOf = (answer: Answer): string => dataOf<{ transaction_code: string }>(answer).transaction_code;

export class Pays {
  constructor(private readonly fixture: PayFixture) {}

  get celo(): ChainDriver {
    return this.fixture.chain('CELO');
  }

  async deposit(
    amount: string,
    {
      asset = 'USDC',
      chain = 'CELO',
      client = this.fixture.one,
      ...more
    }: { asset?: string; chain?: string; client?: ApiClient; from?: string; mine?: boolean } = {},
  ): Promise<string> {
    return this.fixture.transfer(chain, { asset, amount, to: await client.settlementAddress(chain), ...more });
  }

  body(hash: string, { number = '7890', ...more }: Partial<PayBody> & { number?: string } = {}): PayBody {
    return {
      ...destinationIn('KES', 'mobile', number),
      amount: AMOUNT,
      transaction_hash: hash,
      callback_url: this.fixture.receiver.url(),
      ...more,
    };
  }

  ask(hash: string, more: Partial<PayBody> & { number?: string } = {}, client = this.fixture.one): Promise<Answer> {
    return client.pay('KES', this.body(hash, more));
  }

  async claim(
    hash: string,
    more: Partial<PayBody> & { number?: string } = {},
    client = this.fixture.one,
  ): Promise<string> {
    return codeOf(await this.ask(hash, more, client));
  }

  async underpaid(amount: string, chain = 'CELO'): Promise<string> {
    const hash = await this.deposit(amount, { chain });
    await this.ended(await this.claim(hash, { chain }), 'FAILED');
    return hash;
  }

  /** Minor units that this transaction moved in the wallet, by the statement: others may move it too. */
  async brought(code: string, currency = 'KES', client = this.fixture.one): Promise<bigint> {
    const lines = await client.listed<{ transaction_code: string; amount: string }>('/account/statement', { currency });
    return lines
      .filter(({ transaction_code: of }) => of === code)
      .reduce((sum, { amount }) => sum + minorOf(amount, currency), 0n);
  }

  async ended(code: string, status: string, client = this.fixture.one, withinMs = END_WITHIN_MS): Promise<StatusRow> {
    const row = await until(
      async () => {
        const now = await client.status(code);
        if (now?.status !== status) throw new Error(`it is ${String(now?.status)} ${String(now?.failure_code)}`);
        return now;
      },
      { withinMs, what: `${code} is ${status}`, everyMs: 200 },
    );
    const isTold =
      status === 'PROCESSING' || this.fixture.receiver.of(code).some(({ payload }) => payload.status === status);
    if (!isTold)
      await this.fixture.receiver.waitFor(
        (all) => all.some(({ payload }) => payload.transaction_code === code && payload.status === status),
        { withinMs: 60_000, what: `the webhook of ${code}` },
      );
    return row;
  }
}

export function expectRefused(answer: Answer, status: number, errorCode: string): string {
  expect([answer.status, answer.headers['error-code'], answer.body?.code]).toEqual([status, errorCode, status]);
  expect(Object.keys(answer.body ?? {})).toEqual(['code', 'message']);
  return answer.body?.message ?? '';
}
