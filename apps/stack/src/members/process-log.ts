import { closeSync, copyFileSync, existsSync, openSync, readSync, renameSync, statSync, truncateSync } from 'node:fs';

/** A log that is longer is put aside as `<name>.1`, so a process keeps twice this at most (and a line or two more). */
export const LARGEST_LOG_BYTES = 20_000_000;
const CHUNK_BYTES = 65_536;

/** Opens a log to append to, for a child's output; a long one is begun anew. The caller closes it. */
export function openLog(path: string): number {
  if (sizeOf(path) > LARGEST_LOG_BYTES) renameSync(path, `${path}.1`);
  return openSync(path, 'a', 0o600);
}

/**
 * Bounds a log that is being written: its writer goes on appending to the same file, so its content is copied aside and
 * cut off. What is written between the two is lost, which a log can bear.
 */
export function boundLog(path: string, largestBytes = LARGEST_LOG_BYTES): void {
  if (sizeOf(path) <= largestBytes) return;
  copyFileSync(path, `${path}.1`);
  truncateSync(path, 0);
}

export function sizeOf(path: string): number {
  return existsSync(path) ? statSync(path).size : 0;
}

/** The last `count` lines of a file and where it ended; reads from the end no more than it takes. */
export function lastLines(path: string, count: number): { readonly lines: readonly string[]; readonly end: number } {
  const end = sizeOf(path);
  if (end === 0 || count === 0) return { lines: [], end };
  const file = openSync(path, 'r');
  try {
    const chunks: Buffer[] = [];
    let [from, breaks] = [end, 0];
    while (from > 0 && breaks <= count) {
      const size = Math.min(CHUNK_BYTES, from);
      from -= size;
      const chunk = Buffer.alloc(size);
      readSync(file, chunk, 0, size, from);
      breaks += chunk.reduce((sum, byte) => sum + (byte === 10 ? 1 : 0), 0);
      chunks.unshift(chunk);
    }
    return { lines: Buffer.concat(chunks).toString('utf8').trimEnd().split('\n').slice(-count), end };
  } finally {
    closeSync(file);
  }
}

/** What was written since byte `from`, up to its last whole line, and where that ended; begins anew where the file was cut. */
export function linesSince(path: string, from: number): { readonly lines: readonly string[]; readonly end: number } {
  const size = sizeOf(path);
  const start = size < from ? 0 : from;
  if (size === start) return { lines: [], end: start };
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(Math.min(size - start, 16 * CHUNK_BYTES));
    const read = readSync(file, buffer, 0, buffer.length, start);
    const whole = buffer.subarray(0, read).lastIndexOf(10) + 1;
    return { lines: whole === 0 ? [] : buffer.toString('utf8', 0, whole - 1).split('\n'), end: start + whole };
  } finally {
    closeSync(file);
  }
}
