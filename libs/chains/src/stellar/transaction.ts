import { MalformedAnswerError, objectAt, type JsonObject } from '../reader/json-values.js';

import { booleanAt, countAt, hashAt, ledgerAt, timeAt, uint64At } from './horizon-values.js';

/** Only an id memo routes, never a text with the same digits. */
export type Memo =
  { readonly kind: 'none' } | { readonly kind: 'id'; readonly id: bigint } | { readonly kind: 'other' };

export interface TransactionFacts {
  /** Of a fee bump the outer hash (chains.md section 3.1). */
  readonly transactionId: string;
  /** All hashes by which Horizon finds it. */
  readonly hashes: ReadonlySet<string>;
  readonly succeeded: boolean;
  readonly ledger: number;
  readonly timeMs: number;
  readonly memo: Memo;
  /** Fewer operations make an answer invalid. */
  readonly operations: number;
}

const OTHER_MEMOS: readonly unknown[] = ['text', 'hash', 'return'];

/**
 * Horizon echoes the requested hash; a fee bump's id is in `fee_bump_transaction`. Throws
 * MalformedAnswerError, also without `successful`: success is never assumed.
 */
export function readTransaction(answer: unknown): TransactionFacts {
  const transaction = objectAt(answer, 'transaction');
  const hash = hashAt(transaction['hash'], 'transaction.hash');
  const bump = hashesOfBump(transaction);
  const hashes = new Set(bump ?? [hash]);
  if (!hashes.has(hash)) throw new MalformedAnswerError('transaction.hash');
  return {
    transactionId: bump?.[0] ?? hash,
    hashes,
    succeeded: booleanAt(transaction['successful'], 'transaction.successful'),
    ledger: ledgerAt(transaction['ledger'], 'transaction.ledger'),
    timeMs: timeAt(transaction['created_at'], 'transaction.created_at'),
    memo: memoOf(transaction),
    operations: countAt(transaction['operation_count'], 'transaction.operation_count'),
  };
}

function hashesOfBump({
  fee_bump_transaction: outer,
  inner_transaction: inner,
}: JsonObject): readonly [outer: string, inner: string] | undefined {
  if ((outer === undefined || outer === null) && (inner === undefined || inner === null)) return undefined;
  return [
    hashAt(objectAt(outer, 'fee_bump_transaction')['hash'], 'fee_bump_transaction.hash'),
    hashAt(objectAt(inner, 'inner_transaction')['hash'], 'inner_transaction.hash'),
  ];
}

function memoOf({ memo_type: type, memo }: JsonObject): Memo {
  if (type === 'none') return { kind: 'none' };
  if (type === 'id') return { kind: 'id', id: uint64At(memo, 'transaction.memo') };
  if (OTHER_MEMOS.includes(type)) return { kind: 'other' };
  throw new MalformedAnswerError('transaction.memo_type');
}
