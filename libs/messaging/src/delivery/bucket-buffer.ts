import type { DeadLetter } from '../dead-letters/dead-letters.js';

/** A row of an outbox or a message of a partition. */
export interface BufferRow<Position = unknown> {
  readonly position: Position;
  readonly topic: string;
  readonly key: string;
  /** Within the key. NaN: log order applies. */
  readonly sequence: number;
  readonly eventId: string;
  /** Envelope size. */
  readonly bytes: number;
  /** null: too big, not the group's topic, or done. */
  text: string | null;
  /** Of eventMacsBy(), for all readers. Absent or null: unsigned. */
  readonly macs?: string | null;
  /** Failed handler calls. */
  tries: number;
  /** Ms of consecutive calls that ended with a cancelled statement or an unclear refusal. */
  cancelledMs: number;
  /** Monotonic ms of the last such end; null if it ended otherwise. */
  cancelledAtMs: number | null;
  /** Set until stored. */
  deadLetter: DeadLetter | null;
  done: boolean;
}

/**
 * Most windows between the first undone and the last read row. Done rows are small, so a failing key blocks no
 * others; but it bounds what a crash redelivers.
 */
const SPAN_WINDOWS = 128;

/**
 * One bucket of a group's keys. Rows of a key run in sequence; other keys pass until the window is full. The cursor
 * stops before the first undone row: a crash redelivers from there, and the inbox drops duplicates.
 */
export class BucketBuffer<Row extends BufferRow> {
  /** Initially the start position. */
  public readTo: Row['position'];
  /** End of the unbroken run of done rows; null if stored. */
  public unstored: Row['position'] | null = null;

  private rows: Row[] = [];
  private undone = 0;
  private readonly queues = new Map<string, Row[]>();

  public constructor(
    public readonly bucket: number,
    start: Row['position'],
    private readonly windowSize: number,
  ) {
    this.readTo = start;
  }

  public get room(): number {
    return Math.max(0, Math.min(this.windowSize - this.undone, this.windowSize * SPAN_WINDOWS - this.rows.length));
  }

  public get first(): Row | undefined {
    return this.rows[0];
  }

  /** In log order, some done already. Returns those that may run now. */
  public add(rows: readonly Row[]): Row[] {
    const ready: Row[] = [];
    for (const row of rows) {
      this.rows.push(row);
      this.readTo = row.position;
      if (row.done) {
        row.text = null;
        row.deadLetter = null;
        continue;
      }
      this.undone += 1;
      if (this.queue(row)) ready.push(row);
    }
    this.moveOn();
    return ready;
  }

  /** Returns the key's next row, which may run now. */
  public finish(row: Row): Row | undefined {
    const queue = this.queues.get(row.key);
    if (queue?.[0] !== row) throw new Error('Only the first row of a key can finish');
    row.done = true;
    // The row may stay in memory for long.
    row.text = null;
    row.deadLetter = null;
    this.undone -= 1;
    queue.shift();
    if (queue.length === 0) this.queues.delete(row.key);
    this.moveOn();
    return queue[0];
  }

  private queue(row: Row): boolean {
    const queue = this.queues.get(row.key);
    if (queue === undefined) {
      this.queues.set(row.key, [row]);
      return true;
    }
    // Two writers of a key may have swapped xids: sequence decides. The first row may be running.
    let at = queue.length;
    while (at > 1 && queue[at - 1]!.sequence > row.sequence) at -= 1;
    queue.splice(at, 0, row);
    return false;
  }

  private moveOn(): void {
    let done = 0;
    while (this.rows[done]?.done === true) done += 1;
    if (done === 0) return;
    this.unstored = this.rows[done - 1]!.position;
    this.rows = this.rows.slice(done);
  }
}
