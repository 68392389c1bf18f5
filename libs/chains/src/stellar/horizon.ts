import type { BlockReference } from '@vuka/domain';

import { RpcError, type EndpointClient } from '../reader/endpoint-client.js';
import { MalformedAnswerError, objectAt, type JsonObject } from '../reader/json-values.js';

import { hashAt, ledgerAt, timeAt, uint64At } from './horizon-values.js';
import { readTransaction, type TransactionFacts } from './transaction.js';

export interface Newest {
  readonly ledger: number;
  readonly closedAtMs: number;
  readonly networkPassphrase: string;
}

/** Above the limit of a transaction (100). */
const OPERATIONS = '200';
const NEWEST = '200';
const MOST_PAGES = 10;

/** Bytes by label. Page records include their transactions. */
export const LONGEST_BYTES: Readonly<Record<string, number>> = {
  transaction: 1024 * 1024,
  operations: 4 * 1024 * 1024,
  payments: 8 * 1024 * 1024,
  transactions: 8 * 1024 * 1024,
  account: 1024 * 1024,
};

/** Throws RpcError, MalformedAnswerError. */
export class Horizon {
  constructor(private readonly client: EndpointClient) {}

  async newest(): Promise<Newest> {
    const root = objectAt(await this.there('root', '/'), 'root');
    const networkPassphrase = root['network_passphrase'];
    if (typeof networkPassphrase !== 'string') throw new MalformedAnswerError('root.network_passphrase');
    return {
      ledger: ledgerAt(root['history_latest_ledger'], 'root.history_latest_ledger'),
      closedAtMs: timeAt(root['history_latest_ledger_closed_at'], 'root.history_latest_ledger_closed_at'),
      networkPassphrase,
    };
  }

  /** Undefined if unknown. */
  async transaction(hash: string): Promise<TransactionFacts | undefined> {
    const answer = await this.found('transaction', `/transactions/${hash}`);
    if (answer === undefined) return undefined;
    const transaction = readTransaction(answer);
    if (!transaction.hashes.has(hash)) throw new MalformedAnswerError('another transaction');
    return transaction;
  }

  async operations(hash: string, count: number): Promise<readonly JsonObject[]> {
    const records = recordsOf(
      await this.there('operations', `/transactions/${hash}/operations`, { limit: OPERATIONS }),
    );
    if (records.length !== count) throw new MalformedAnswerError('fewer operations than there are');
    return records;
  }

  /** Undefined if absent. */
  async ledger(sequence: number): Promise<BlockReference | undefined> {
    const answer = await this.found('ledger', `/ledgers/${String(sequence)}`);
    if (answer === undefined) return undefined;
    const ledger = objectAt(answer, 'ledger');
    if (ledgerAt(ledger['sequence'], 'ledger.sequence') !== sequence) throw new MalformedAnswerError('ledger.sequence');
    return {
      number: sequence,
      hash: hashAt(ledger['hash'], 'ledger.hash'),
      timeMs: timeAt(ledger['closed_at'], 'ledger.closed_at'),
    };
  }

  /** Operations with their transactions, after a paging token; none without an account. */
  async payments(account: string, cursor: string, limit: number): Promise<readonly JsonObject[]> {
    const query = { cursor, limit: String(limit), order: 'asc', join: 'transactions', include_failed: 'false' };
    const answer = await this.found('payments', `/accounts/${account}/payments`, query);
    return answer === undefined ? [] : recordsOf(answer);
  }

  /** Undefined if absent. */
  async account(id: string): Promise<JsonObject | undefined> {
    const answer = await this.found('account', `/accounts/${id}`);
    if (answer === undefined) return undefined;
    const account = objectAt(answer, 'account');
    if (account['account_id'] !== id) throw new MalformedAnswerError('account.account_id');
    return account;
  }

  /** Usual bid per operation, minor units; fully charged only if the ledger is full. */
  async usualFee(): Promise<bigint> {
    const stats = objectAt(await this.there('fee_stats', '/fee_stats'), 'fee_stats');
    return uint64At(objectAt(stats['max_fee'], 'fee_stats.max_fee')['p70'], 'fee_stats.max_fee.p70');
  }

  /**
   * The transaction, even a failed one, that used this sequence number. undefined if not among the newest
   * 2,000.
   */
  async userOf(account: string, sequence: bigint): Promise<TransactionFacts | undefined> {
    let cursor: string | null = null;
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const query = { limit: NEWEST, order: 'desc', include_failed: 'true', ...(cursor !== null && { cursor }) };
      const answer = await this.found('transactions', `/accounts/${account}/transactions`, query);
      const records = answer === undefined ? [] : recordsOf(answer);
      const own = records.filter((record) => record['source_account'] === account);
      const user = own.find((record) => record['source_account_sequence'] === String(sequence));
      if (user !== undefined) return readTransaction(user);
      const last = records.at(-1)?.['paging_token'];
      // Newest first: nothing below.
      if (
        typeof last !== 'string' ||
        own.some(
          (record) => uint64At(record['source_account_sequence'], 'transaction.source_account_sequence') < sequence,
        )
      )
        return undefined;
      cursor = last;
    }
    return undefined;
  }

  private async there(label: string, path: string, query: Readonly<Record<string, string>> = {}): Promise<unknown> {
    const answer = await this.found(label, path, query);
    if (answer === undefined) throw new RpcError('http_status', '404');
    return answer;
  }

  /** Undefined only if Horizon itself says so; a proxy's 404 proves nothing. */
  private async found(label: string, path: string, query: Readonly<Record<string, string>> = {}): Promise<unknown> {
    const { status, body } = await this.client.get(label, path, query);
    if (status >= 200 && status < 300) return body;
    if (status === 404 && objectAt(body, 'problem')['status'] === 404) return undefined;
    throw new RpcError('http_status', String(status));
  }
}

function recordsOf(answer: unknown): readonly JsonObject[] {
  const { records } = objectAt(objectAt(answer, 'page')['_embedded'], 'page._embedded');
  if (!Array.isArray(records)) throw new MalformedAnswerError('page.records');
  return records.map((record) => objectAt(record, 'record'));
}
