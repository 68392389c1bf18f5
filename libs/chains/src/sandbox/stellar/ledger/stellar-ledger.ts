import { createHash, randomBytes } from 'node:crypto';

import { Asset } from '@stellar/stellar-sdk';
import type { Clock } from '@vuka/runtime';

import type { StellarAccount } from './accounts.js';
import {
  applyTransaction,
  innerOf,
  invalidity,
  type Codes,
  type Envelope,
  type TransactionSurroundings,
} from './apply-transaction.js';
import { Journal, type Entry } from './journal.js';
import { LedgerClock, type LedgerRun } from './ledger-clock.js';
import { hashOf, storedTransaction, type StoredTransaction } from './stored-transaction.js';

export interface StellarLedgerOptions {
  readonly folder: string;
  readonly networkPassphrase: string;
  readonly paceMs: number;
  readonly clock: Clock;
}

export interface Payment {
  /** Paging token. */
  readonly token: bigint;
  readonly transaction: StoredTransaction;
  /** From 0. */
  readonly index: number;
}

export type Submission =
  | { readonly kind: 'invalid'; readonly codes: Codes }
  /** Already in a ledger. */
  | { readonly kind: 'known'; readonly transaction: StoredTransaction }
  /** Already pending. */
  | { readonly kind: 'waiting'; readonly ends: Promise<Ending> }
  | { readonly kind: 'taken'; readonly ends: Promise<Ending> }
  | { readonly kind: 'busy' };

/** With codes if no longer valid when the ledger closed. */
export type Ending =
  { readonly ok: true; readonly transaction: StoredTransaction } | { readonly ok: false; readonly codes: Codes };

interface Waiting {
  readonly envelope: Envelope;
  readonly hash: string;
  readonly isSigned: boolean;
  readonly ends: Promise<Ending>;
  readonly settle: (ending: Ending) => void;
}

const FIRST_LEDGER = 1;
const MOST_WAITING = 1_000;
const MOST_LEDGERS_AT_ONCE = 10_000;

/** SEP-35; operation from 1, 0 for the transaction. */
export const pagingToken = ({ ledger, place }: Pick<StoredTransaction, 'ledger' | 'place'>, operation = 0): bigint =>
  (BigInt(ledger) << 32n) | (BigInt(place) << 12n) | BigInt(operation);

/**
 * Ledgers close by the clock, also while the node is down. Transactions wait for the next one. The folder
 * keeps everything.
 */
export class StellarLedger {
  private readonly journal: Journal;
  private readonly clock = new LedgerClock();
  private readonly accounts = new Map<string, StellarAccount>();
  private readonly transactions = new Map<string, StoredTransaction>();
  private readonly byLedger = new Map<number, readonly StoredTransaction[]>();
  private readonly paid = new Map<string, Payment[]>();
  private readonly made = new Map<string, StoredTransaction[]>();
  private readonly contracts = new Map<string, string>();
  private seed = '';
  private head = 0;
  private waiting: Waiting[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: StellarLedgerOptions) {
    this.journal = new Journal(options.folder);
    const entries = this.journal.read();
    for (const entry of entries) this.take(entry);
    if (entries.length === 0)
      this.write({
        seed: randomBytes(16).toString('hex'),
        runs: [{ from: FIRST_LEDGER, fromMs: this.nowMs, paceMs: options.paceMs }],
      });
    else if (this.clock.paceMs !== options.paceMs) this.stall(false);
  }

  get latest(): number {
    this.closeWhatIsDue();
    return this.head;
  }

  get first(): number {
    return this.clock.first;
  }

  get isStalled(): boolean {
    return this.clock.paceMs === null;
  }

  account(id: string): StellarAccount | undefined {
    this.closeWhatIsDue();
    return this.accounts.get(id);
  }

  /** By either hash. */
  transaction(hash: string): StoredTransaction | undefined {
    this.closeWhatIsDue();
    return this.transactions.get(hash);
  }

  /** After pending ones. */
  nextSequence(id: string): bigint {
    this.closeWhatIsDue();
    return (this.accountAfterWaiting(id)?.sequence ?? 0n) + 1n;
  }

  /** Oldest first, failed ones too. */
  payments(id: string): readonly Payment[] {
    this.closeWhatIsDue();
    return this.paid.get(id) ?? [];
  }

  /** Made or received, oldest first. */
  transactionsOf(id: string): readonly StoredTransaction[] {
    this.closeWhatIsDue();
    return this.made.get(id) ?? [];
  }

  ledgerAt(ledger: number):
    | {
        readonly hash: string;
        readonly previousHash: string;
        readonly closedAtMs: number;
        readonly transactions: readonly StoredTransaction[];
      }
    | undefined {
    const closedAtMs = ledger > this.latest ? undefined : this.clock.timeOf(ledger);
    return closedAtMs === undefined
      ? undefined
      : {
          hash: this.hashOf(ledger),
          previousHash: this.hashOf(ledger - 1),
          closedAtMs,
          transactions: this.byLedger.get(ledger) ?? [],
        };
  }

  submit(envelope: Envelope, isSigned: boolean): Submission {
    const hash = hashOf(envelope);
    const ledger = this.latest + 1;
    const known = this.transactions.get(hash);
    if (known !== undefined) return { kind: 'known', transaction: known };
    const before = this.waiting.find((one) => one.hash === hash);
    if (before !== undefined) return { kind: 'waiting', ends: before.ends };
    if (this.waiting.length >= MOST_WAITING) return { kind: 'busy' };
    const closesAtMs = this.clock.timeOf(ledger) ?? this.nowMs;
    const codes = invalidity(
      envelope,
      { ledger, closesAtMs },
      { ...this.surroundings(isSigned), read: (id) => this.accountAfterWaiting(id) },
    );
    if (codes !== undefined) return { kind: 'invalid', codes };
    let settle: Waiting['settle'] = () => undefined;
    const ends = new Promise<Ending>((resolve) => (settle = resolve));
    this.waiting.push({ envelope, hash, isSigned, ends, settle });
    this.comeBack();
    return { kind: 'taken', ends };
  }

  /** Pending transactions go into the first. */
  closeNow(ledgers: number): void {
    if (!Number.isInteger(ledgers) || ledgers < 1 || ledgers > MOST_LEDGERS_AT_ONCE)
      throw new RangeError(`ledgers must be a whole number from 1 to ${String(MOST_LEDGERS_AT_ONCE)}`);
    const first = this.latest + 1;
    const last = first + ledgers - 1;
    const fromMs = this.nowMs;
    this.close(first, fromMs, [{ from: first, fromMs, paceMs: 0 }, this.runFrom(last + 1, this.isStalled)]);
  }

  /** No ledger closes meanwhile; transactions wait. */
  stall(on: boolean): void {
    this.write({ runs: [this.runFrom(this.latest + 1, on)] });
    this.comeBack();
  }

  /** Overwrites. */
  set(accounts: readonly StellarAccount[]): void {
    this.closeWhatIsDue();
    this.write({ accounts });
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  private get nowMs(): number {
    return this.options.clock.now().getTime();
  }

  private runFrom(from: number, isStalled: boolean): LedgerRun {
    const { paceMs } = this.options;
    return { from, fromMs: this.nowMs + paceMs, paceMs: isStalled ? null : paceMs };
  }

  private surroundings(isSigned: boolean): TransactionSurroundings {
    return {
      read: (id) => this.accounts.get(id),
      assetOfContract: (contract) => this.contracts.get(contract),
      isSigned,
    };
  }

  /** Sequence after pending ones. */
  private accountAfterWaiting(id: string): StellarAccount | undefined {
    const account = this.accounts.get(id);
    const mine = this.waiting.filter(({ envelope }) => innerOf(envelope).source === id).length;
    return account === undefined ? undefined : { ...account, sequence: account.sequence + BigInt(mine) };
  }

  private closeWhatIsDue(): void {
    const next = this.head + 1;
    const due = this.clock.latestAt(this.nowMs);
    if (this.waiting.length > 0 && due >= next) this.close(next, this.clock.timeOf(next) ?? this.nowMs, []);
    this.head = Math.max(this.head, due);
  }

  private close(ledger: number, closesAtMs: number, runs: readonly LedgerRun[]): void {
    const transactions: StoredTransaction[] = [];
    const changed = new Map<string, StellarAccount>();
    const settled: (() => void)[] = [];
    for (const { envelope, isSigned, settle } of this.waiting) {
      const surroundings = {
        ...this.surroundings(isSigned),
        read: (id: string): StellarAccount | undefined => changed.get(id) ?? this.accounts.get(id),
      };
      const codes = invalidity(envelope, { ledger, closesAtMs }, surroundings);
      if (codes !== undefined) {
        settled.push(() => settle({ ok: false, codes }));
        continue;
      }
      const applied = applyTransaction(envelope, { ledger, closesAtMs }, surroundings);
      for (const account of applied.changed) changed.set(account.id, account);
      const transaction = storedTransaction(envelope, applied, { ledger, closesAtMs, place: transactions.length + 1 });
      transactions.push(transaction);
      settled.push(() => settle({ ok: true, transaction }));
    }
    this.write({ runs, transactions, accounts: [...changed.values()] });
    this.waiting = [];
    for (const settle of settled) settle();
  }

  private write(entry: Entry): void {
    this.journal.add(entry);
    this.take(entry);
  }

  private take({ seed, runs = [], transactions = [], accounts = [] }: Entry): void {
    if (seed !== undefined) this.seed = seed;
    for (const run of runs) this.clock.add(run);
    for (const account of accounts) {
      this.accounts.set(account.id, account);
      for (const asset of Object.keys(account.lines)) this.knowContractOf(asset);
    }
    for (const transaction of transactions) this.index(transaction);
    this.head = Math.max(this.head, (runs.at(-1)?.from ?? 0) - 1);
  }

  private index(transaction: StoredTransaction): void {
    const { hash, innerHash, ledger } = transaction;
    for (const one of innerHash === null ? [hash] : [hash, innerHash]) this.transactions.set(one, transaction);
    this.byLedger.set(ledger, [...(this.byLedger.get(ledger) ?? []), transaction]);
    const parties = new Set([
      String(transaction.fields['source_account']),
      ...transaction.operations.flatMap(({ payers }) => payers),
    ]);
    for (const id of parties) listIn(this.made, id).push(transaction);
    for (const [index, { payers }] of transaction.operations.entries()) {
      for (const id of new Set(payers))
        listIn(this.paid, id).push({ token: pagingToken(transaction, index + 1), transaction, index });
    }
  }

  private knowContractOf(asset: string): void {
    const [code = '', issuer] = asset.split(':');
    if (![...this.contracts.values()].includes(asset))
      this.contracts.set(new Asset(code, issuer).contractId(this.options.networkPassphrase), asset);
  }

  private hashOf(ledger: number): string {
    return createHash('sha256')
      .update(`${this.seed}:${String(ledger)}`)
      .digest('hex');
  }

  /** A timer closes the next ledger for those who wait. */
  private comeBack(): void {
    clearTimeout(this.timer);
    const atMs = this.waiting.length === 0 ? undefined : this.clock.timeOf(this.head + 1);
    if (atMs === undefined) return;
    this.timer = setTimeout(
      () => {
        this.closeWhatIsDue();
        this.comeBack();
      },
      Math.max(1, atMs - this.nowMs),
    );
    this.timer.unref();
  }
}

function listIn<T>(lists: Map<string, T[]>, id: string): T[] {
  const list = lists.get(id) ?? [];
  lists.set(id, list);
  return list;
}
