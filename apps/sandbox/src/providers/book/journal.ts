import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Lines waiting for the disk; beyond this the provider must refuse work (see `hasRoom`). */
const MAX_WAITING_LINES = 20_000;
const MAX_LINE_BYTES = 16 * 1024;
const READ_CHUNK_BYTES = 1024 * 1024;

/**
 * An append-only file of JSON lines with group commit: all lines that arrive while one write is on its way to
 * the disk share the next one. Lines are numbered from 1 in file order. After a failed write nothing more is
 * accepted, because what is on the disk is no longer known: the process must be started again.
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
   * Opens or creates the file and hands every line in it to `replay`, in order. A last line that is cut off or
   * unreadable is what a crash leaves of a write nobody was answered for: it is dropped and cut from the file.
   * An unreadable line anywhere else throws.
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

  /** Number of the last line, on the disk or on its way there. */
  get lines(): number {
    return this.#appended;
  }

  /** Number of the last line known to be on the disk. */
  get durable(): number {
    return this.#durable;
  }

  /** Queues a line and answers its number; it is safe once `whenDurable(number)` has resolved. */
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

  /** Writes what is waiting, then closes. */
  async close(): Promise<void> {
    await this.#flushing;
    await this.file.close();
  }

  /** Runs until nothing waits; never rejects: a failure is kept and met by whoever waits or appends. */
  async #flush(): Promise<void> {
    // Lines appended in the same turn of the event loop join the first write.
    await new Promise(setImmediate);
    try {
      while (this.#waiting.length > 0) {
        const batch = this.#waiting;
        this.#waiting = [];
        await this.file.appendFile(batch.join(''));
        await this.file.datasync();
        this.#durable += batch.length;
        // Those answered by this batch get to run, and may add to the next.
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

/** Makes a new file's name durable. Folders cannot be opened on every platform; there the file's own sync must do. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null);
  if (handle === null) return;
  await handle.sync().catch(() => undefined);
  await handle.close();
}
