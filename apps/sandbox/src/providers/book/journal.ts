import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Beyond this the provider refuses work (`hasRoom`). */
const MAX_WAITING_LINES = 20_000;
const MAX_LINE_BYTES = 16 * 1024;
const READ_CHUNK_BYTES = 1024 * 1024;

/**
 * Append-only JSON lines with group commit; lines are numbered from 1. After a failed write it accepts nothing more, as
 * the state of the disk is unknown: restart the process.
 */
export class Journal {
  #waiting: string[] = [];
  #appended: number;
  #durable: number;
  #flushing: Promise<void> | null = null;
  #failure: Error | null = null;

  private constructor(
    private readonly file: FileHandle,
    lines: number,
    private readonly onFailure: (error: Error) => void,
  ) {
    this.#appended = lines;
    this.#durable = lines;
  }

  /**
   * Replays all lines in order. A crash may leave a broken last line, which nobody was answered for: it is cut off.
   * Throws on any other broken line.
   */
  static async open(
    path: string,
    replay: (entry: unknown, line: number) => void,
    onFailure: (error: Error) => void,
  ): Promise<{ journal: Journal; droppedBytes: number }> {
    const file = await open(path, 'a+', 0o600);
    try {
      const { lines, goodBytes } = await replayLines(file, replay);
      const { size } = await file.stat();
      if (goodBytes < size) await file.truncate(goodBytes);
      await file.datasync();
      await syncFolder(dirname(path));
      return { journal: new Journal(file, lines, onFailure), droppedBytes: size - goodBytes };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  get hasRoom(): boolean {
    return this.#failure === null && this.#waiting.length < MAX_WAITING_LINES;
  }

  /** Written or still being written. */
  get lines(): number {
    return this.#appended;
  }

  get durable(): number {
    return this.#durable;
  }

  /** Safe once `whenDurable(number)` has resolved. */
  append(entry: object): number {
    if (this.#failure !== null) throw this.#failure;
    this.#waiting.push(`${JSON.stringify(entry)}\n`);
    this.#appended += 1;
    this.#flushing ??= this.#flush();
    return this.#appended;
  }

  async whenDurable(line: number): Promise<void> {
    while (this.#durable < line) {
      if (this.#failure !== null) throw this.#failure;
      if (this.#flushing === null) throw new Error(`line ${line} was never appended`);
      await this.#flushing;
    }
  }

  /** Writes what is waiting first. */
  async close(): Promise<void> {
    await this.#flushing;
    await this.file.close();
  }

  /** Never rejects: a failure reaches whoever waits or appends. */
  async #flush(): Promise<void> {
    // Lines of the same event loop turn share one write.
    await new Promise(setImmediate);
    try {
      while (this.#waiting.length > 0) {
        const batch = this.#waiting;
        this.#waiting = [];
        await this.file.appendFile(batch.join(''));
        await this.file.datasync();
        this.#durable += batch.length;
        // Callers of this batch run now, and may add to the next.
        await new Promise(setImmediate);
      }
    } catch (error) {
      this.#failure = new Error('the journal cannot be written', { cause: error });
      this.onFailure(this.#failure);
    } finally {
      this.#flushing = null;
    }
  }
}

async function replayLines(
  file: FileHandle,
  replay: (entry: unknown, line: number) => void,
): Promise<{ lines: number; goodBytes: number }> {
  const chunk = Buffer.alloc(READ_CHUNK_BYTES);
  let rest: Buffer = Buffer.alloc(0);
  let lines = 0;
  let goodBytes = 0;
  let broken: { line: number; cause: unknown } | null = null;
  for (let position = 0; ;) {
    const { bytesRead } = await file.read(chunk, 0, chunk.length, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    const bytes = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
    let start = 0;
    for (let end = bytes.indexOf(10); end >= 0; start = end + 1, end = bytes.indexOf(10, start)) {
      if (broken !== null) throw new Error(`journal line ${broken.line} is unreadable`, { cause: broken.cause });
      const parsed = parseLine(bytes.subarray(start, end));
      if ('cause' in parsed) {
        broken = { line: lines + 1, cause: parsed.cause };
        continue;
      }
      lines += 1;
      goodBytes += end + 1 - start;
      replay(parsed.entry, lines);
    }
    rest = bytes.subarray(start);
    if (rest.length > MAX_LINE_BYTES)
      throw new Error(`journal line ${lines + 1} is longer than ${MAX_LINE_BYTES} bytes`);
  }
  if (broken !== null && rest.length > 0)
    throw new Error(`journal line ${broken.line} is unreadable`, { cause: broken.cause });
  return { lines, goodBytes };
}

function parseLine(bytes: Buffer): { entry: unknown } | { cause: unknown } {
  try {
    return { entry: JSON.parse(bytes.toString('utf8')) as unknown };
  } catch (cause) {
    return { cause };
  }
}

/** Makes the file's name durable. Some platforms cannot open folders; there the file's sync has to do. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null);
  if (handle === null) return;
  await handle.sync().catch(() => undefined);
  await handle.close();
}
