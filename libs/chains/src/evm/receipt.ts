import type { SightedTransfer } from '@vuka/domain';
import { getAddress, id } from 'ethers';

import { MalformedAnswerError, objectAt, type JsonObject } from '../reader/json-values.js';

import { addressAt, hashAt, quantityAt } from './rpc-values.js';

export interface ReceiptFacts {
  readonly succeeded: boolean;
  readonly blockHash: string;
  readonly blockNumber: number;
  readonly transfers: readonly SightedTransfer[];
}

/** ERC-20 `Transfer(address indexed from, address indexed to, uint256 value)`. */
export const TRANSFER = id('Transfer(address,address,uint256)');
/** ERC-721 has the same first topic, but a fourth one. */
const TRANSFER_TOPICS = 3;
/** Address in 32 bytes: the upper 12 are zero. */
const ADDRESS_WORD = /^0x0{24}([0-9a-f]{40})$/;
const ONE_WORD = /^0x[0-9a-fA-F]{64}$/;
const STATUS = { '0x0': false, '0x1': true } as const;
/** More than any of our blocks can have. */
const MOST_LOGS = 20_000;
/** For unlisted tokens: anybody can make thousands in one transaction. */
const MOST_UNKNOWN = 20;

export interface ReceiptQuestion {
  /** Lower case. */
  readonly transactionHash: string;
  readonly address: string;
  /** Of all other tokens only 20 transfers are reported. */
  readonly tokens: ReadonlySet<string>;
}

/**
 * Undefined if in no block. Only token logs count, never `to` or call data; the caller decides which
 * contracts to trust. Throws MalformedAnswerError, also without `status`: success is never assumed.
 */
export function readReceipt(
  answer: unknown,
  { transactionHash, address, tokens }: ReceiptQuestion,
): ReceiptFacts | undefined {
  const receipt = objectAt(answer, 'receipt');
  if (hashAt(receipt['transactionHash'], 'receipt.transactionHash') !== transactionHash)
    throw new MalformedAnswerError('receipt of another transaction');
  // Pending, at some nodes.
  if (receipt['blockHash'] === null || receipt['blockNumber'] === null) return undefined;
  const status = receipt['status'];
  if (status !== '0x0' && status !== '0x1') throw new MalformedAnswerError('receipt.status');
  const blockHash = hashAt(receipt['blockHash'], 'receipt.blockHash');
  const logs = receipt['logs'];
  if (!Array.isArray(logs) || logs.length > MOST_LOGS) throw new MalformedAnswerError('receipt.logs');
  const own = logs.map((log) => objectAt(log, 'log'));
  if (!own.every((log) => belongs(log, transactionHash, blockHash)))
    throw new MalformedAnswerError('log of another transaction or block');
  return {
    succeeded: STATUS[status],
    blockHash,
    blockNumber: quantityAt(receipt['blockNumber'], 'receipt.blockNumber'),
    // Logs of a reverted transaction are not believed.
    transfers: STATUS[status] ? transfersTo(address, own, tokens) : [],
  };
}

/** Some nodes omit these. */
function belongs(log: JsonObject, transactionHash: string, blockHash: string): boolean {
  const isOf = (value: unknown, hash: string): boolean =>
    value === undefined || value === null || (typeof value === 'string' && value.toLowerCase() === hash);
  return isOf(log['transactionHash'], transactionHash) && isOf(log['blockHash'], blockHash);
}

function transfersTo(address: string, logs: readonly JsonObject[], tokens: ReadonlySet<string>): SightedTransfer[] {
  let unknown = 0;
  const moved = logs
    .flatMap((log, ordinal) => movedBy(log, ordinal) ?? [])
    .filter(({ token, to }) => to !== address || tokens.has(token) || unknown++ < MOST_UNKNOWN);
  return incomingOf(moved, address);
}

export interface Moved {
  readonly token: string;
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
  readonly ordinal: number;
}

/**
 * Net per token. Celo refunds unused fees in the fee token, which are no deposit. `moved`: one transaction,
 * in order.
 */
export function incomingOf(moved: readonly Moved[], address: string): SightedTransfer[] {
  const taken = new Map<string, bigint>();
  for (const { token, from, value } of moved) if (from === address) taken.set(token, (taken.get(token) ?? 0n) + value);
  const transfers: SightedTransfer[] = [];
  for (const { token, from, to, value, ordinal } of moved) {
    if (to !== address) continue;
    const less = taken.get(token) ?? 0n;
    taken.set(token, less > value ? less - value : 0n);
    if (value > less)
      transfers.push({ token: getAddress(token), from: getAddress(from), value: value - less, ordinal });
  }
  return transfers;
}

/** undefined for zero value. Throws MalformedAnswerError. */
export function movedBy({ topics, data, removed, address: contract }: JsonObject, ordinal: number): Moved | undefined {
  if (removed === true || !Array.isArray(topics) || topics.length !== TRANSFER_TOPICS) return undefined;
  const [topic, sender, recipient] = topics.map((word) => (typeof word === 'string' ? word.toLowerCase() : ''));
  const [from, to] = [addressIn(sender), addressIn(recipient)];
  if (topic !== TRANSFER || from === undefined || to === undefined) return undefined;
  if (typeof data !== 'string' || !ONE_WORD.test(data)) return undefined;
  const value = BigInt(data);
  return value === 0n ? undefined : { token: addressAt(contract, 'log.address'), from, to, value, ordinal };
}

function addressIn(word: string | undefined): string | undefined {
  const digits = ADDRESS_WORD.exec(word ?? '')?.[1];
  return digits === undefined ? undefined : `0x${digits}`;
}
