import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';

import type { StellarAccount } from './accounts.js';
import type { LedgerRun } from './ledger-clock.js';
import type { StoredTransaction } from './stored-transaction.js';

/** Append-only. */
export interface Entry {
  /** Input of this network's ledger hashes. */
  readonly seed?: string;
  readonly runs?: readonly LedgerRun[];
  readonly transactions?: readonly StoredTransaction[];
  readonly accounts?: readonly StellarAccount[];
}

/**
 * Written before each answer, so that a killed node answers the same after restart. A torn last line was
 * never answered, and is dropped.
 */
export class Journal {
  private readonly file: string;

  constructor(folder: string) {
    this.file = join(folder, 'ledgers.jsonl');
  }

  read(): Entry[] {
    if (!existsSync(this.file)) return [];
    const bytes = readFileSync(this.file);
    const end = bytes.lastIndexOf('\n') + 1;
    if (end < bytes.length) truncateSync(this.file, end);
    return bytes
      .toString('utf8', 0, end)
      .split('\n')
      .filter((line) => line !== '')
      .map(entryOf);
  }

  add(entry: Entry): void {
    const accounts = entry.accounts?.map(({ id, sequence, native, lines }) => ({
      id,
      sequence: String(sequence),
      native: String(native),
      lines: Object.fromEntries(
        Object.entries(lines).map(([asset, { balance, limit }]) => [asset, [String(balance), String(limit)]]),
      ),
    }));
    appendFileSync(this.file, `${JSON.stringify({ ...entry, ...(accounts && { accounts }) })}\n`, { mode: 0o600 });
  }
}

interface AccountLine {
  readonly id: string;
  readonly sequence: string;
  readonly native: string;
  readonly lines: Readonly<Record<string, readonly [string, string]>>;
}

function entryOf(line: string): Entry {
  const { accounts, ...entry } = JSON.parse(line) as Omit<Entry, 'accounts'> & { accounts?: readonly AccountLine[] };
  return {
    ...entry,
    ...(accounts && {
      accounts: accounts.map(({ id, sequence, native, lines }) => ({
        id,
        sequence: BigInt(sequence),
        native: BigInt(native),
        lines: Object.fromEntries(
          Object.entries(lines).map(([asset, [balance, limit]]) => [
            asset,
            { balance: BigInt(balance), limit: BigInt(limit) },
          ]),
        ),
      })),
    }),
  };
}
