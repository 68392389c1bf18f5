import type { SightedTransfer } from '@vuka/domain';
import { getAddress, id } from 'ethers';

import { MalformedAnswerError, objectAt, type JsonObject } from '../reader/json-values.js';

import { addressAt, hashAt, quantityAt } from './rpc-values.js';

/** What a receipt says of a transaction and one address. Hashes in lower case. */
export interface ReceiptFacts {
  readonly succeeded: boolean;
  readonly blockHash: string;
  readonly blockNumber: number;
  readonly transfers: readonly SightedTransfer[];
}

/** `Transfer(address indexed from, address indexed to, uint256 value)` of ERC-20. */
export const TRANSFER = id('Transfer(address,address,uint256)');
/** Not indexed value: ERC-721 has the same first topic, and a fourth one. */
const TRANSFER_TOPICS = 3;
/** An address in a word of 32 bytes: the upper 12 are zero. */
const ADDRESS_WORD = /^0x0{24}([0-9a-f]{40})$/;
const ONE_WORD = /^0x[0-9a-fA-F]{64}$/;
const STATUS = { '0x0': false, '0x1': true } as const;
/** More than a block of any chain we read has room for; what is longer is not looked through. */
const MOST_LOGS = 20_000;
/** Of tokens that are none of ours: enough to see what came, and no more, since anybody can make thousands in one transaction. */
const MOST_UNKNOWN = 20;

export interface ReceiptQuestion {
  /** In lower case, as all of these. */
  readonly transactionHash: string;
  readonly address: string;
  /** Contracts whose transfers all count; of all others together the first 20 are told. */
  readonly tokens: ReadonlySet<string>;
}

/**
 * The facts of an `eth_getTransactionReceipt`; undefined where the transaction is in no block yet. Only what tokens tell counts:
 * never `to`, call data or the order of logs. The value of a Transfer log is what its contract says; whether that contract is to be
 * believed is for who knows the tokens. Throws MalformedAnswerError, also where `status` is missing: success is told, never assumed.
 */
export function readReceipt(
  answer: unknown,
  { transactionHash, address, tokens }: ReceiptQuestion,
): ReceiptFacts | undefined {
  const receipt = objectAt(answer, 'receipt');
  if (hashAt(receipt['transactionHash'], 'receipt.transactionHash') !== transactionHash)
    throw new MalformedAnswerError('receipt of another transaction');
  // Some nodes tell of what waits for its block.
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
    // A reverted transaction has no logs; one that had would not be believed.
    transfers: STATUS[status] ? transfersTo(address, own, tokens) : [],
  };
}

/** Not every node repeats in a log where it belongs. */
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

/** A movement of a token, of one log. Hexadecimal in lower case. */
export interface Moved {
  readonly token: string;
  readonly from: string;
  readonly to: string;
  /** More than 0. */
  readonly value: bigint;
  readonly ordinal: number;
}

/**
 * What came to an address of each token, less what the same transaction took away: where our address pays its fee in a token, as Celo has it,
 * what is left of the fee comes back as a transfer to us, and is no deposit. `moved`: of one transaction, in its order.
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

/** Of a log by which more than nothing moved. Throws MalformedAnswerError. */
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
