import { tokenNamed } from './chain-facts.js';
import type { IncomingTransfer, BookQuestion, ChainBook } from './chain-book.js';
import { takeMuxedApart } from './stellar-address.js';
import { eachOf } from '../until.js';

const ANSWER_WITHIN_MS = 15_000;
const PAGE = 200;
const MOST_PAGES = 500;
const AT_ONCE = 8;
const DECIMALS = 7;
const WHOLE = 'all of it';

interface Transaction {
  readonly hash: string;
  readonly successful: boolean;
  readonly ledger: number;
  readonly memo_type?: string;
  readonly memo?: string;
  readonly fee_bump_transaction?: { readonly hash: string };
  readonly inner_transaction?: { readonly hash: string };
}

interface Movement {
  readonly type: string;
  readonly from?: string;
  readonly to?: string;
  readonly to_muxed_id?: string;
  readonly destination_muxed_id?: string;
  readonly asset_code?: string;
  readonly asset_issuer?: string;
  readonly amount?: string;
}

interface Payment extends Movement {
  readonly paging_token: string;
  readonly created_at: string;
  readonly transaction_successful: boolean;
  readonly transaction: Transaction;
  readonly asset_balance_changes?: readonly Movement[];
}

const PAYMENTS = new Set(['payment', 'path_payment_strict_send', 'path_payment_strict_receive']);

/**
 * Reads payments to the accounts behind the addresses and matches the id by muxed id, else by memo. A plain account
 * takes all.
 */
export async function readStellarBook({ chain, url, addresses, hashes }: BookQuestion): Promise<ChainBook> {
  const muxed = addresses.map((address) => ({
    address,
    ...(address.startsWith('M') ? takeMuxedApart(address) : { account: address, id: WHOLE }),
  }));
  const { history_latest_ledger: height } = (await ask<{ history_latest_ledger: number }>(`${url}/`)) ?? {
    history_latest_ledger: 0,
  };
  const incomingTransfers: IncomingTransfer[] = [];
  for (const account of new Set(muxed.map((one) => one.account))) {
    const owners = new Map(muxed.filter((one) => one.account === account).map(({ id, address }) => [id, address]));
    for (const payment of await paymentsOf(url, account))
      incomingTransfers.push(...incomingTransfersIn(chain, payment, account, owners));
  }
  const failed = await eachOf([...new Set(hashes)], AT_ONCE, async (hash) => ({
    hash,
    found: await ask<Transaction>(`${url}/transactions/${hash}`),
  }));
  return {
    chain,
    height,
    incomingTransfers: summed(incomingTransfers),
    reverted: new Set(failed.filter(({ found }) => found?.successful === false).map(({ hash }) => hash)),
  };
}

async function paymentsOf(url: string, account: string): Promise<Payment[]> {
  const all: Payment[] = [];
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const query = new URLSearchParams({
      order: 'asc',
      limit: String(PAGE),
      join: 'transactions',
      cursor: all.at(-1)?.paging_token ?? '0',
    });
    const told = await ask<{ _embedded: { records: Payment[] } }>(
      `${url}/accounts/${account}/payments?${query.toString()}`,
    );
    const records = told?._embedded.records ?? [];
    all.push(...records);
    if (records.length < PAGE) return all;
  }
  throw new Error(`more than ${MOST_PAGES * PAGE} payments to ${account}`);
}

function incomingTransfersIn(
  chain: string,
  payment: Payment,
  account: string,
  owners: ReadonlyMap<string, string>,
): IncomingTransfer[] {
  const { transaction, created_at: at, transaction_successful: successful } = payment;
  if (!successful || !transaction.successful) return [];
  const movements = PAYMENTS.has(payment.type)
    ? [payment]
    : (payment.asset_balance_changes ?? []).filter(({ type }) => type === 'transfer');
  const hash = transaction.fee_bump_transaction?.hash ?? transaction.hash;
  return movements.flatMap((movement): IncomingTransfer[] => {
    const address =
      movement.to === account ? (owners.get(WHOLE) ?? owners.get(numberOf(movement, transaction) ?? '')) : undefined;
    const token = tokenNamed(chain, movement.asset_code ?? '');
    const received = BigInt((movement.amount ?? '0').replace('.', ''));
    if (
      address === undefined ||
      token === undefined ||
      token.symbol !== movement.asset_code ||
      token.address !== movement.asset_issuer ||
      received === 0n
    )
      return [];
    if (!/^\d+\.\d{7}$/.test(movement.amount ?? '') || token.decimals !== DECIMALS)
      throw new Error(`${hash} has the amount ${String(movement.amount)}`);
    const inner = transaction.inner_transaction?.hash;
    const when = new Date(at);
    return [
      {
        chain,
        hash,
        otherHashes: inner === undefined ? [] : [inner],
        address,
        token,
        received,
        senders: [movement.from ?? ''],
        block: transaction.ledger,
        at: when,
        finalAt: when,
      },
    ];
  });
}

/** The muxed id, else the memo. If both exist and differ, the transfer is nobody's. */
function numberOf(movement: Movement, { memo_type: type, memo }: Transaction): string | undefined {
  const muxedId = movement.to_muxed_id ?? movement.destination_muxed_id;
  const noted = type === 'id' ? memo : undefined;
  if (muxedId !== undefined && noted !== undefined && muxedId !== noted) return undefined;
  return muxedId ?? noted;
}

function summed(incomingTransfers: readonly IncomingTransfer[]): IncomingTransfer[] {
  const all = new Map<string, IncomingTransfer>();
  for (const one of incomingTransfers) {
    const name = `${one.hash} ${one.address} ${one.token.symbol}`;
    const before = all.get(name);
    all.set(
      name,
      before === undefined
        ? one
        : { ...before, received: before.received + one.received, senders: [...before.senders, ...one.senders] },
    );
  }
  return [...all.values()];
}

async function ask<T>(url: string): Promise<T | undefined> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
  if (answer.status === 200) return (await answer.json()) as T;
  await answer.body?.cancel();
  if (answer.status === 404) return undefined;
  throw new Error(`${new URL(url).pathname} is answered ${answer.status}`);
}
