import { isSolanaAddress, type SightedTransfer } from '@vuka/domain';

import { MalformedAnswerError, objectAt, type JsonObject } from '../reader/json-values.js';

/** Exists, but we cannot read it: our defect. */
export class UnreadableError extends MalformedAnswerError {}

export interface TransactionFacts {
  readonly slot: number;
  readonly succeeded: boolean;
  readonly transfers: readonly SightedTransfer[];
}

export interface TransactionQuestion {
  /** The transaction id. */
  readonly signature: string;
  /** With their mints. */
  readonly accounts: ReadonlyMap<string, string>;
}

/** An index is one byte. */
const MOST_KEYS = 256;
const AMOUNT = /^\d{1,20}$/;

interface Balance {
  readonly mint: string;
  readonly owner: string;
  readonly amount: bigint;
}
type Balances = ReadonlyMap<number, Balance>;

/**
 * Only balance differences count, never instructions. Other fields are not read, so new versions do not break
 * it. Throws MalformedAnswerError, also if success is not stated.
 */
export function readTransaction(
  answer: unknown,
  { signature, accounts }: TransactionQuestion,
): TransactionFacts | undefined {
  if (answer === null) return undefined;
  const told = objectAt(answer, 'transaction');
  const transaction = objectAt(told['transaction'], 'transaction.transaction');
  const signatures = listAt(transaction['signatures'], 'transaction.signatures');
  if (signatures[0] !== signature) throw new MalformedAnswerError('transaction of another signature');
  const meta = objectAt(told['meta'], 'transaction.meta');
  const slot = countAt(told['slot'], 'transaction.slot');
  const succeeded = succeededAt(meta['err']);
  if (!succeeded) return { slot, succeeded, transfers: [] };
  const keys = keysOf(objectAt(transaction['message'], 'transaction.message'), meta, told['version']);
  const [before, after] = [
    balancesAt(meta['preTokenBalances'], keys, 'preTokenBalances'),
    balancesAt(meta['postTokenBalances'], keys, 'postTokenBalances'),
  ];
  const transfers: SightedTransfer[] = [];
  for (const [index, key] of keys.entries()) {
    const mint = accounts.get(key);
    if (mint === undefined) continue;
    if ([before.get(index), after.get(index)].some((balance) => balance !== undefined && balance.mint !== mint))
      throw new MalformedAnswerError('account of another mint');
    const value = (after.get(index)?.amount ?? 0n) - (before.get(index)?.amount ?? 0n);
    if (value > 0n)
      transfers.push({ token: mint, ...sendersOf(mint, index, before, after, keys[0] ?? ''), value, ordinal: index });
  }
  return { slot, succeeded, transfers };
}

/** If nobody's balance fell (minted), the fee payer. */
function sendersOf(
  mint: string,
  ours: number,
  before: Balances,
  after: Balances,
  feePayer: string,
): Pick<SightedTransfer, 'from' | 'alsoFrom'> {
  const changes = new Map<string, bigint>();
  const add = (balances: Balances, sign: bigint): void => {
    for (const [index, { mint: of, owner, amount }] of balances)
      if (of === mint && index !== ours) changes.set(owner, (changes.get(owner) ?? 0n) + sign * amount);
  };
  add(before, -1n);
  add(after, 1n);
  const fallen = [...changes]
    .filter(([, change]) => change < 0n)
    .sort(([one, by], [other, byOther]) => (by === byOther ? (one < other ? -1 : 1) : by < byOther ? -1 : 1));
  const [from = feePayer, ...others] = fallen.map(([owner]) => owner);
  return { from, ...(others.length > 0 && { alsoFrom: others }) };
}

/** Index order: message keys, then lookup tables. */
function keysOf(message: JsonObject, meta: JsonObject, version: unknown): readonly string[] {
  const own = listAt(message['accountKeys'], 'message.accountKeys');
  const loaded = meta['loadedAddresses'];
  // Only version 0 has tables.
  const { writable = [], readonly = [] } =
    loaded === undefined || loaded === null ? noTables(version) : objectAt(loaded, 'meta.loadedAddresses');
  const keys = [
    ...own,
    ...listAt(writable, 'loadedAddresses.writable'),
    ...listAt(readonly, 'loadedAddresses.readonly'),
  ].map((key) => addressAt(key, 'account key'));
  if (keys.length === 0 || keys.length > MOST_KEYS || new Set(keys).size !== keys.length)
    throw new MalformedAnswerError('message.accountKeys');
  return keys;
}

function noTables(version: unknown): JsonObject {
  if (version === 0) throw new MalformedAnswerError('meta.loadedAddresses');
  return {};
}

function balancesAt(value: unknown, keys: readonly string[], where: string): Balances {
  const balances = new Map<number, Balance>();
  for (const one of listAt(value, where)) {
    const balance = objectAt(one, where);
    const index = countAt(balance['accountIndex'], where);
    const { amount } = objectAt(balance['uiTokenAmount'], where);
    if (index >= keys.length || balances.has(index) || typeof amount !== 'string' || !AMOUNT.test(amount))
      throw new MalformedAnswerError(where);
    balances.set(index, {
      mint: addressAt(balance['mint'], where),
      owner: addressAt(balance['owner'], where),
      amount: BigInt(amount),
    });
  }
  return balances;
}

function succeededAt(err: unknown): boolean {
  if (err === undefined) throw new MalformedAnswerError('meta.err');
  return err === null;
}

export function listAt(value: unknown, where: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new MalformedAnswerError(where);
  return value;
}

export function addressAt(value: unknown, where: string): string {
  if (typeof value !== 'string' || !isSolanaAddress(value)) throw new MalformedAnswerError(where);
  return value;
}

export function countAt(value: unknown, where: string): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw new MalformedAnswerError(where);
  return value as number;
}
