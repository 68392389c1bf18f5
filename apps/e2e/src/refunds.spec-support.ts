import { randomBytes } from 'node:crypto';

import { newRefundKeys } from '@vuka/chains';
import { dataOf, readChainBook, until, type Answer, type ApiClient } from '@vuka/testing';

import type { PayFixture } from './pay-fixture.spec-support.js';

export interface RefundAnswer {
  readonly refund_id: number;
  readonly status: string;
  readonly chain: string;
  readonly asset: string;
  readonly amount: string;
  readonly address: string;
  readonly refund_transaction_hash: string;
}

const SENT_WITHIN_MS = 90_000;
/** It advances by chain polls, one per second. */
const ASKED_EVERY_MS = 500;

export class Refunds {
  constructor(private readonly fixture: PayFixture) {}

  ask(chain: string, hash: string, address?: string, client: ApiClient = this.fixture.one): Promise<Answer> {
    return client.refund({ chain, transaction_hash: hash, ...(address !== undefined && { refund_address: address }) });
  }

  async newRecipient(chain: string): Promise<string> {
    if (chain === 'STELLAR') {
      const { stellar } = await newRefundKeys(['stellar']);
      await this.fixture.stellar().hold({ account: stellar!.address, asset: 'USDC', amount: '0' });
      return stellar!.address;
    }
    if (chain === 'SOLANA') return (await newRefundKeys(['solana'])).solana!.address;
    return `0x${randomBytes(20).toString('hex')}`;
  }

  async stands(
    status: string,
    chain: string,
    hash: string,
    address: string,
    client: ApiClient = this.fixture.one,
  ): Promise<RefundAnswer> {
    return this.reaches(status, chain, hash, address, {
      client,
      each: (now) => (now === 'PROCESSING' ? this.finalise(chain) : undefined),
    });
  }

  async reaches(
    status: string,
    chain: string,
    hash: string,
    address: string,
    { client = this.fixture.one, each }: { client?: ApiClient; each?: (now: string) => Promise<void> | undefined } = {},
  ): Promise<RefundAnswer> {
    return until(
      async () => {
        const now = dataOf<RefundAnswer>(await this.ask(chain, hash, address, client));
        if (now.status === status) return now;
        await each?.(now.status);
        throw new Error(`the refund is ${now.status}`);
      },
      { withinMs: SENT_WITHIN_MS, what: `the refund of ${hash} is ${status}`, everyMs: ASKED_EVERY_MS },
    );
  }

  async finalise(chain: string): Promise<void> {
    if (chain === 'SOLANA') await this.fixture.solana().mine(40);
    else if (chain === 'STELLAR') await this.fixture.stellar().mine(1);
    else await this.fixture.chain(chain).mineToFinality();
  }

  async received(chain: string, address: string): Promise<readonly bigint[]> {
    const url = this.fixture.vuka.chainUrls.get(chain);
    if (url === undefined) throw new Error(`the sandbox runs no ${chain}`);
    if (chain === 'STELLAR') return receivedOnStellar(url, address);
    const { incomingTransfers } = await readChainBook({ chain, url, addresses: [address], hashes: [] });
    return incomingTransfers.filter(({ token }) => token.symbol === 'USDC').map(({ received }) => received);
  }
}

/** To an account that is not ours: the checker's book reads only partners' muxed addresses. */
async function receivedOnStellar(url: string, account: string): Promise<readonly bigint[]> {
  const answer = await fetch(`${url}/accounts/${account}/payments?order=asc&limit=200`);
  const {
    _embedded: { records },
  } = (await answer.json()) as {
    _embedded: { records: readonly { type: string; to?: string; asset_code?: string; amount?: string }[] };
  };
  return records
    .filter(({ type, to, asset_code: code }) => type === 'payment' && to === account && code === 'USDC')
    .map(({ amount = '0' }) => BigInt(amount.replace('.', '')));
}
