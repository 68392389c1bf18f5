import type { DeadLetter } from '../dead-letters/dead-letters.js';

/** One event on its way to a group, at its place in a log: a row of an outbox, or a message of a partition. */
export interface BufferRow<Position = unknown> {
  readonly position: Position;
  readonly topic: string;
  readonly key: string;
  /** Counts within the key; NaN where it is not known, which keeps the order of the log. */
  readonly sequence: number;
  readonly eventId: string;
  /** Size of the envelope in bytes. */
  readonly bytes: number;
  /** Null where the envelope is too big, the topic not the group's, or the row done. */
  text: string | null;
  /** Failed handler calls. */
  tries: number;
  /** How long its calls have ended with a statement out of its time, or with no word why, one after the other. */
  cancelledMs: number;
  /** By the monotonic clock: when the last ended so; null: it ended otherwise. */
  cancelledAtMs: number | null;
  /** Set when the row is to be buried and is not yet. */
  deadLetter: DeadLetter | null;
  done: boolean;
}

/**
 * So many windows of rows may lie between the first that is not done and the last that was read: those done are but places in
 * memory, so that a key that is tried again for minutes holds up no other; what a crash redelivers, and the inbox drops, is bounded.
 */
const SPAN_WINDOWS = 128;

/**
 * One bucket of keys of one group, in memory: which rows were read, which may run, and how far the cursor may move.
 * Rows of one key run one after the other; other keys pass a key that waits, until a window of rows waits with it. The cursor
 * stops before the first row not done, so a crash redelivers from there and the inbox drops what was done.
 */
export class BucketBuffer<Row extends BufferRow> {
  /** The last row that was added; before the first, where the buffer was started. */
  public readTo: Row['position'];
  /** The last row of the unbroken run of done rows, while it is not stored; else null. */
  public unstored: Row['position'] | null = null;

  private rows: Row[] = [];
  /** Rows not done. */
  private undone = 0;
  private readonly queues = new Map<string, Row[]>();

  public constructor(
    public readonly bucket: number,
    start: Row['position'],
    private readonly windowSize: number,
  ) {
    this.readTo = start;
  }

  /** Rows it may still take; not below zero. */
  public get room(): number {
    return Math.max(0, Math.min(this.windowSize - this.undone, this.windowSize * SPAN_WINDOWS - this.rows.length));
  }

  /** The oldest row not done. */
  public get first(): Row | undefined {
    return this.rows[0];
  }

  /** Takes rows in log order, some of them done already (nothing to do for this group); returns those that may run now. */
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
    // It may stay for long as a place that others have passed: without its weight.
    row.text = null;
    row.deadLetter = null;
    this.undone -= 1;
    queue.shift();
    if (queue.length === 0) this.queues.delete(row.key);
    this.moveOn();
    return queue[0];
  }

  /** True when the row is the first of its key. */
  private queue(row: Row): boolean {
    const queue = this.queues.get(row.key);
    if (queue === undefined) {
      this.queues.set(row.key, [row]);
      return true;
    }
    // Two writers of one key may have taken their xids in the other order: the sequence is the truth. The first
    // row may be running, so it keeps its place.
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
