import { closeSync, copyFileSync, existsSync, openSync, readSync, renameSync, statSync, truncateSync } from 'node:fs';

/** A longer log is moved to `<name>.1`, so a process keeps about twice this. */
export const LARGEST_LOG_BYTES = 20_000_000;
const CHUNK_BYTES = 65_536;

/** Opens a log for appending; a long one is started anew. The caller closes it. */
export function openLog(path: string): number {
  if (sizeOf(path) > LARGEST_LOG_BYTES) renameSync(path, `${path}.1`);
  return openSync(path, 'a', 0o600);
}

/**
 * For a log in use: the writer keeps the file, so the content is copied and the file truncated. Lines written in
 * between are lost, which is acceptable.
 */
export function boundLog(path: string, largestBytes = LARGEST_LOG_BYTES): void {
  if (sizeOf(path) <= largestBytes) return;
  copyFileSync(path, `${path}.1`);
  truncateSync(path, 0);
}

export function sizeOf(path: string): number {
  return existsSync(path) ? statSync(path).size : 0;
}

/** Also returns where the file ended. Reads only as much of the end as needed. */
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

/** Complete lines since byte `from`, and the next position. Starts again if the file was truncated. */
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
