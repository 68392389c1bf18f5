import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { chainFact, spelled, tokenAt, type Family } from './chain-facts.js';
import { askNode } from './node-rpc.js';
import { readChainBook } from './read-chain-book.js';
import type { VukaProcess } from '../processes/vuka-process.js';

export interface Outflow {
  readonly chain: string;
  readonly hash: string;
  readonly to: string;
  readonly symbol: string;
  /** Minor units of the token. */
  readonly value: bigint;
}

interface Log {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly transactionHash: string;
}

/** `Transfer(address,address,uint256)` */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** EVM: all transfers out. Solana and Stellar: only those to the given addresses. */
export async function refundOutflows(
  { dataDir, chainUrls }: Pick<VukaProcess, 'dataDir' | 'chainUrls'>,
  recipients: ReadonlyMap<string, readonly string[]>,
): Promise<Outflow[]> {
  const file = join(dataDir, 'sandbox-refund-keys.json');
  if (!existsSync(file)) return [];
  const wallets = JSON.parse(readFileSync(file, 'utf8')) as Partial<Record<Family, { address: string }>>;
  const found = await Promise.all(
    [...chainUrls].map(async ([chain, url]): Promise<Outflow[]> => {
      const { family } = chainFact(chain);
      const wallet = wallets[family]?.address;
      if (wallet === undefined) return [];
      return family === 'evm'
        ? evmOutflows(chain, url, wallet)
        : cameFrom(wallet, chain, url, recipients.get(chain) ?? []);
    }),
  );
  return found.flat();
}

async function evmOutflows(chain: string, url: string, wallet: string): Promise<Outflow[]> {
  const from = `0x${wallet.slice(2).toLowerCase().padStart(64, '0')}`;
  const [logs] = await askNode(url, [
    { method: 'eth_getLogs', params: [{ fromBlock: '0x0', toBlock: 'latest', topics: [TRANSFER, from] }] },
  ]);
  return (logs as Log[]).map(({ address, topics, data, transactionHash: hash }): Outflow => ({
    chain,
    hash,
    to: `0x${(topics[2] ?? '').slice(-40)}`.toLowerCase(),
    symbol: tokenAt(chain, address)?.symbol ?? address,
    value: BigInt(data),
  }));
}

async function cameFrom(wallet: string, chain: string, url: string, recipients: readonly string[]): Promise<Outflow[]> {
  const { incomingTransfers } = await readChainBook({ chain, url, addresses: [...new Set(recipients)], hashes: [] });
  return incomingTransfers
    .filter(({ senders }) => senders.includes(wallet))
    .map(({ hash, address: to, token: { symbol }, received: value }): Outflow => ({
      chain,
      hash,
      to: spelled(chain, to),
      symbol,
      value,
    }));
}
