import { blocksOnTop, tokenAt } from './chain-facts.js';
import type { IncomingTransfer, BookQuestion, ChainBook } from './chain-book.js';
import { askNode, type RpcCall } from './node-rpc.js';

interface Log {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly transactionHash: string;
  readonly blockNumber: string;
}

type Found = Omit<IncomingTransfer, 'at' | 'finalAt'>;

/** `Transfer(address,address,uint256)` */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

export async function readEvmBook({ chain, url, addresses, hashes }: BookQuestion): Promise<ChainBook> {
  const [head] = await askNode(url, [{ method: 'eth_blockNumber', params: [] }]);
  const height = Number(head);
  const to = addresses.map((address) => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`);
  const filter = { fromBlock: '0x0', toBlock: hex(height), topics: [TRANSFER, null, to] };
  const [logs] = addresses.length === 0 ? [[]] : await askNode(url, [{ method: 'eth_getLogs', params: [filter] }]);
  const found = incomingTransfersOf(chain, logs as Log[]);
  const finalBlockOf = ({ block, received, token }: Found): number =>
    block + blocksOnTop(chain, received, token.decimals);
  const blocks = found.flatMap((one) => [one.block, finalBlockOf(one)]).filter((block) => block <= height);
  const times = await timesOf(url, new Set(blocks));
  const incomingTransfers = found.map((one) => ({
    ...one,
    at: times.get(one.block) as Date,
    finalAt: times.get(finalBlockOf(one)) ?? null,
  }));
  return { chain, height, incomingTransfers, reverted: await revertedAmong(url, new Set(hashes)) };
}

function incomingTransfersOf(chain: string, logs: readonly Log[]): Found[] {
  const found = new Map<string, Found>();
  for (const { address: contract, topics, data, transactionHash: hash, blockNumber } of logs) {
    const token = tokenAt(chain, contract);
    if (token === undefined || topics.length !== 3 || data.length !== 66 || BigInt(data) === 0n) continue;
    const [from, address] = topics.slice(1).map((topic) => `0x${topic.slice(-40)}`.toLowerCase()) as [string, string];
    const name = `${hash} ${address} ${token.symbol}`;
    const before = found.get(name);
    found.set(name, {
      chain,
      hash,
      address,
      token,
      otherHashes: [],
      received: (before?.received ?? 0n) + BigInt(data),
      senders: [...(before?.senders ?? []), from],
      block: Number(blockNumber),
    });
  }
  return [...found.values()];
}

async function timesOf(url: string, blocks: ReadonlySet<number>): Promise<Map<number, Date>> {
  const asked = [...blocks];
  const told = (await askNode(
    url,
    asked.map((block): RpcCall => ({ method: 'eth_getBlockByNumber', params: [hex(block), false] })),
  )) as { timestamp: string }[];
  return new Map(asked.map((block, index) => [block, new Date(Number(told[index]?.timestamp) * 1_000)]));
}

async function revertedAmong(url: string, hashes: ReadonlySet<string>): Promise<Set<string>> {
  const asked = [...hashes];
  const receipts = (await askNode(
    url,
    asked.map((hash): RpcCall => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
  )) as ({ status: string } | null)[];
  return new Set(asked.filter((_, index) => receipts[index]?.status === '0x0'));
}

const hex = (value: number): string => `0x${value.toString(16)}`;
