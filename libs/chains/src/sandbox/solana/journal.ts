import { closeSync, existsSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';

/** JSON lines, append-only; survives a kill. */
export class Journal<Entry> {
  private readonly file: number;

  private constructor(
    path: string,
    /** Oldest first. */
    readonly entries: readonly Entry[],
  ) {
    this.file = openSync(path, 'a', 0o600);
  }

  /** Throws on a damaged line. A cut last line was never answered, so it is dropped. */
  static open<Entry>(path: string): Journal<Entry> {
    const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
    const whole = bytes.lastIndexOf('\n') + 1;
    if (whole < bytes.length) truncateSync(path, whole);
    const lines = bytes
      .subarray(0, whole)
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '');
    const entries = lines.map((line, index) => {
      try {
        return JSON.parse(line) as Entry;
      } catch {
        throw new Error(
          `${path} is damaged in line ${String(index + 1)}; remove it, and the chain starts again from nothing`,
        );
      }
    });
    return new Journal(path, entries);
  }

  add(entry: Entry): void {
    const line = Buffer.from(`${JSON.stringify(entry)}\n`);
    for (let at = 0; at < line.length;) at += writeSync(this.file, line, at);
  }

  close(): void {
    closeSync(this.file);
  }
}
