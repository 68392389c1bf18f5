import { closeSync, fsyncSync, openSync, readSync, unlinkSync, writeFileSync } from 'node:fs';

import type { StatementEntry } from '@vuka/contracts';

/** Columns of a statement, in their order. */
export const STATEMENT_COLUMNS = ['time', 'what', 'transaction_code', 'amount', 'balance', 'entry'] as const;

/** One row as RFC 4180 has it: quoted where it must be, ended by CR LF. */
export function csvRow(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\r\n`;
}

/** Text of somebody else's making: a spreadsheet must not take it for a formula. */
export function plainCell(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

export function entryRow({ id, at, kind, transaction_code: code, amount, balance }: StatementEntry): string {
  return csvRow([at, kind, plainCell(code), amount, balance, String(id)]);
}

/** The rows before and after the entries: a balance, and nothing that moved. */
export function balanceRow(what: 'opening' | 'closing', at: string, balance: string): string {
  return csvRow([at, what, '', '', balance, '']);
}

/**
 * Turns pages round that come newest first, whatever they are in all: each is written beside the file as it comes, and read back from the last to the first.
 */
export class TurnedPages {
  private readonly handle: number;
  private readonly chunks: { readonly at: number; readonly bytes: number }[] = [];
  private end = 0;

  /** Throws where the draft cannot be made. */
  constructor(private readonly draft: string) {
    this.handle = openSync(draft, 'wx+', 0o600);
  }

  /** A page, newest first. */
  add(entries: readonly StatementEntry[]): void {
    const bytes = Buffer.from([...entries].reverse().map(entryRow).join(''));
    // All of it or a throw, where a single write may do a part.
    writeFileSync(this.handle, bytes);
    this.chunks.push({ at: this.end, bytes: bytes.length });
    this.end += bytes.length;
  }

  /** Everything, oldest first. */
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

/** A new file, which is whole on the disk or not there. Throws where there is one already. */
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
