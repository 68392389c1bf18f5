import { closeSync, existsSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';

/** Lines of JSON that are only ever added to. What was added is there after the death of the process. */
export class Journal<Entry> {
  private readonly file: number;

  private constructor(
    path: string,
    /** What was in it when it was opened, oldest first. */
    readonly entries: readonly Entry[],
  ) {
    this.file = openSync(path, 'a', 0o600);
  }

  /** Throws where a line in its middle is damaged: no chain begins anew in silence. A last one that was cut off by a crash was never told to anybody. */
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
        throw new Error(`${path} is damaged in line ${String(index + 1)}; without it the chain begins anew`);
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
