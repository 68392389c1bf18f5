import type { SightedTransfer } from '@vuka/domain';

import { MalformedAnswerError, objectAt, type JsonObject } from '../reader/json-values.js';

import { amountAt, assetAt, booleanAt, hashAt, partyAt, uint64At } from './horizon-values.js';
import type { TransactionFacts } from './transaction.js';

export type MuxedId = bigint | 'other' | undefined;

export interface Movement extends SightedTransfer {
  /** Id of the muxed address; `other`: not a number; undefined: sent to the plain account. */
  readonly muxedId: MuxedId;
}

/** A contract may make several movements in one operation. */
const PLACES = 1_000;
const UINT64 = /^\d{1,20}$/;
const MOST_UINT64 = 2n ** 64n - 1n;

/**
 * Undefined token: the native coin, which is no deposit. Path payments count what arrived; claimable balances
 * are not ours yet. Throws MalformedAnswerError, also if the operation is of another transaction or does not
 * state success.
 */
export function movementsTo(
  account: string,
  record: JsonObject,
  transaction: Pick<TransactionFacts, 'hashes' | 'ledger'>,
): readonly Movement[] {
  if (!transaction.hashes.has(hashAt(record['transaction_hash'], 'operation.transaction_hash')))
    throw new MalformedAnswerError('operation of another transaction');
  if (!booleanAt(record['transaction_successful'], 'operation.transaction_successful'))
    throw new MalformedAnswerError('operation.transaction_successful');
  const first = placeOf(record, transaction.ledger) * PLACES;
  switch (record['type']) {
    case 'payment':
    case 'path_payment_strict_send':
    case 'path_payment_strict_receive':
      return moved(account, record, idOfPayment, first);
    case 'invoke_host_function':
      return changesOf(record).flatMap((change, index) =>
        change['type'] === 'transfer' ? moved(account, change, idOfChange, first + index) : [],
      );
    default:
      return [];
  }
}

/** From 0 in the transaction (SEP-35); the same on an account page. */
function placeOf({ paging_token: token }: JsonObject, ledger: number): number {
  const place = uint64At(token, 'operation.paging_token');
  const operation = Number(place & 0xfffn);
  if (place >> 32n !== BigInt(ledger) || operation === 0) throw new MalformedAnswerError('operation.paging_token');
  return operation - 1;
}

function changesOf({ asset_balance_changes: changes }: JsonObject): readonly JsonObject[] {
  if (changes === undefined || changes === null) return [];
  if (!Array.isArray(changes) || changes.length > PLACES)
    throw new MalformedAnswerError('operation.asset_balance_changes');
  return changes.map((change) => objectAt(change, 'asset_balance_change'));
}

function moved(
  account: string,
  told: JsonObject,
  idOf: (told: JsonObject) => MuxedId,
  ordinal: number,
): readonly Movement[] {
  if (told['to'] !== account) return [];
  const token = assetAt(told, 'operation');
  const from = partyAt(told['from'], 'operation.from');
  const value = amountAt(told['amount'], 'operation.amount');
  const muxedId = idOf(told);
  // Our own sends are not incoming.
  return token === undefined || value === 0n || from === account ? [] : [{ token, from, value, ordinal, muxedId }];
}

/** Horizon omits the id 0, but not the address. */
function idOfPayment({ to_muxed: muxed, to_muxed_id: id }: JsonObject): MuxedId {
  if (isNone(id)) return isNone(muxed) ? undefined : 0n;
  return uint64At(id, 'operation.to_muxed_id');
}

/** Contracts may put texts and bytes here (CAP-67), even with the same digits. */
function idOfChange({ destination_muxed_id: id, destination_muxed_id_type: type }: JsonObject): MuxedId {
  if (isNone(id)) return undefined;
  const isNumber =
    (isNone(type) || String(type).toLowerCase() === 'uint64') &&
    typeof id === 'string' &&
    UINT64.test(id) &&
    BigInt(id) <= MOST_UINT64;
  return isNumber ? BigInt(id) : 'other';
}

const isNone = (value: unknown): boolean => value === undefined || value === null || value === '';
