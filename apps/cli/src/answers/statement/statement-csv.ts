import { closeSync, fsyncSync, openSync, readSync, unlinkSync, writeFileSync } from 'node:fs';

import type { StatementEntry } from '@vuka/contracts';

export const STATEMENT_COLUMNS = ['time', 'what', 'transaction_code', 'amount', 'balance', 'entry'] as const;

export function csvRow(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\r\n`;
}

/** Text from others: a spreadsheet must not read it as a formula. */
export function plainCell(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

export function entryRow({ id, at, kind, transaction_code: code, amount, balance }: StatementEntry): string {
  return csvRow([at, kind, plainCell(code), amount, balance, String(id)]);
}

export function balanceRow(what: 'opening' | 'closing', at: string, balance: string): string {
  return csvRow([at, what, '', '', balance, '']);
}

/**
 * Reverses pages that come newest first, of any total size: each is written to a draft file, then read from the last
 * to the first.
 */
export class TurnedPages {
  private readonly handle: number;
  private readonly chunks: { readonly at: number; readonly bytes: number }[] = [];
  private end = 0;

  constructor(private readonly draft: string) {
    this.handle = openSync(draft, 'wx+', 0o600);
  }

  add(entries: readonly StatementEntry[]): void {
    const bytes = Buffer.from([...entries].reverse().map(entryRow).join(''));
    // A single write may be partial; this writes all or throws.
    writeFileSync(this.handle, bytes);
    this.chunks.push({ at: this.end, bytes: bytes.length });
    this.end += bytes.length;
  }

  writeTo(write: (text: string) => void): void {
    for (const { at, bytes } of [...this.chunks].reverse()) {
      const text = Buffer.alloc(bytes);
      readSync(this.handle, text, 0, bytes, at);
      write(text.toString('utf8'));
    }
  }

  close(): void {
    closeSync(this.handle);
    unlinkSync(this.draft);
  }
}

/** The new file is complete on the disk or does not exist. Throws if there is one already. */
export function writeNewFile(path: string, fill: (write: (text: string) => void) => void): void {
  const handle = openSync(path, 'wx', 0o600);
  let isWhole = false;
  try {
    fill((text) => writeFileSync(handle, text));
    fsyncSync(handle);
    isWhole = true;
  } finally {
    closeSync(handle);
    if (!isWhole) unlinkSync(path);
  }
}
