import { blocksOnTop, chainFact, type TokenFact } from './chain-facts.js';
import type { IncomingTransfer, BookQuestion, ChainBook } from './chain-book.js';
import { askNode, type RpcCall } from './node-rpc.js';
import { tokenAccountOf } from './solana-address.js';

const PAGE = 1_000;
const MOST_PAGES = 100;

interface Balance {
  readonly accountIndex: number;
  readonly mint: string;
  readonly owner: string;
  readonly uiTokenAmount: { readonly amount: string };
}

interface Transaction {
  readonly slot: number;
  readonly blockTime: number;
  readonly transaction: { readonly message: { readonly accountKeys: readonly string[] } };
  readonly meta: {
    readonly err: unknown;
    readonly loadedAddresses?: { readonly writable: readonly string[]; readonly readonly: readonly string[] };
    readonly preTokenBalances: readonly Balance[];
    readonly postTokenBalances: readonly Balance[];
  };
}

interface Account {
  readonly address: string;
  readonly owner: string;
  readonly token: TokenFact;
}

/** Compares the balances of the owners' token accounts before and after each transaction. */
export async function readSolanaBook({ chain, url, addresses, hashes }: BookQuestion): Promise<ChainBook> {
  const [height] = (await askNode(url, [{ method: 'getSlot', params: [{ commitment: 'confirmed' }] }])) as [number];
  const accounts = accountsOf(chain, addresses);
  const read = readerOf(url, height - chainFact(chain).blocksOnTop[2]);
  const incomingTransfers: IncomingTransfer[] = [];
  for (const account of accounts) {
    const signatures = await signaturesOf(url, account.address);
    const transactions = await read(signatures);
    const found = transactions.flatMap((one, index) =>
      one === null ? [] : (incomingTransferAt(account, one, chain, signatures[index] as string) ?? []),
    );
    const finalSlots = found.map(({ block, received, token }) => block + blocksOnTop(chain, received, token.decimals));
    const times = await timesOf(
      url,
      finalSlots.filter((slot) => slot <= height),
    );
    incomingTransfers.push(
      ...found.map((one, index) => ({ ...one, finalAt: times.get(finalSlots[index] as number) ?? null })),
    );
  }
  const asked = [...new Set(hashes)];
  const failed = await read(asked);
  return {
    chain,
    height,
    incomingTransfers: incomingTransfers.sort((one, other) => one.block - other.block),
    reverted: new Set(asked.filter((_, index) => (failed[index]?.meta.err ?? null) !== null)),
  };
}

function accountsOf(chain: string, owners: readonly string[]): Account[] {
  return owners.flatMap((owner) =>
    chainFact(chain).tokens.map((token): Account => ({ address: tokenAccountOf(owner, token.address), owner, token })),
  );
}

async function signaturesOf(url: string, address: string): Promise<string[]> {
  const all: string[] = [];
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const before = all.at(-1);
    const [told] = (await askNode(url, [
      {
        method: 'getSignaturesForAddress',
        params: [address, { limit: PAGE, commitment: 'confirmed', ...(before !== undefined && { before }) }],
      },
    ])) as [{ signature: string }[]];
    all.push(...told.map(({ signature }) => signature));
    if (told.length < PAGE) return all.reverse();
  }
  throw new Error(`more than ${MOST_PAGES * PAGE} transactions of ${address}`);
}

/** Final transactions are read once, because the check polls many times. */
const FINAL = new Map<string, Transaction>();

function readerOf(url: string, finalized: number): (signatures: readonly string[]) => Promise<(Transaction | null)[]> {
  const nameOf = (signature: string): string => `${url} ${signature}`;
  return async (signatures) => {
    const unknown = signatures.filter((signature) => !FINAL.has(nameOf(signature)));
    const told = new Map((await transactionsOf(url, unknown)).map((one, index) => [unknown[index] as string, one]));
    for (const [signature, one] of told) if (one !== null && one.slot <= finalized) FINAL.set(nameOf(signature), one);
    return signatures.map((signature) => FINAL.get(nameOf(signature)) ?? told.get(signature) ?? null);
  };
}

async function transactionsOf(url: string, signatures: readonly string[]): Promise<(Transaction | null)[]> {
  const options = { encoding: 'json', commitment: 'confirmed', maxSupportedTransactionVersion: 1 };
  return (await askNode(
    url,
    signatures.map((signature): RpcCall => ({ method: 'getTransaction', params: [signature, options] })),
  )) as (Transaction | null)[];
}

async function timesOf(url: string, slots: readonly number[]): Promise<Map<number, Date>> {
  const asked = [...new Set(slots)];
  const told = (await askNode(
    url,
    asked.map((slot): RpcCall => ({ method: 'getBlockTime', params: [slot] })),
  )) as number[];
  return new Map(asked.map((slot, index) => [slot, new Date((told[index] as number) * 1_000)]));
}

function incomingTransferAt(
  { address, owner, token }: Account,
  { slot, blockTime, meta, transaction }: Transaction,
  chain: string,
  hash: string,
): IncomingTransfer | undefined {
  if (meta.err !== null) return undefined;
  const keys = [
    ...transaction.message.accountKeys,
    ...(meta.loadedAddresses?.writable ?? []),
    ...(meta.loadedAddresses?.readonly ?? []),
  ];
  const index = keys.indexOf(address);
  const received = amountIn(meta.postTokenBalances, index, token) - amountIn(meta.preTokenBalances, index, token);
  if (index < 0 || received <= 0n) return undefined;
  const moved = new Map<string, bigint>();
  for (const [balances, sign] of [
    [meta.preTokenBalances, -1n],
    [meta.postTokenBalances, 1n],
  ] as const) {
    for (const one of balances.filter(({ mint }) => mint === token.address))
      moved.set(one.owner, (moved.get(one.owner) ?? 0n) + sign * BigInt(one.uiTokenAmount.amount));
  }
  const senders = [...moved].filter(([, by]) => by < 0n).map(([who]) => who);
  return {
    chain,
    hash,
    otherHashes: [],
    address: owner,
    token,
    received,
    senders,
    block: slot,
    at: new Date(blockTime * 1_000),
    finalAt: null,
  };
}

function amountIn(balances: readonly Balance[], index: number, { address: mint }: TokenFact): bigint {
  return BigInt(balances.find((one) => one.accountIndex === index && one.mint === mint)?.uiTokenAmount.amount ?? '0');
}
