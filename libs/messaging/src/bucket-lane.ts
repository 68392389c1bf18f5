import type { DeadLetter } from './dead-letters.js';
import type { LogRow } from './producer-log.js';

/** One event on its way to a group, at its place in a log: a row of an outbox, or a message of a partition. */
export interface LaneRow<Position = unknown> {
  readonly position: Position;
  readonly topic: string;
  readonly key: string;
  /** Counts within the key; NaN where it is not known, which keeps the order of the log. */
  readonly sequence: number;
  readonly eventId: string;
  /** Size of the envelope in bytes. */
  readonly bytes: number;
  /** Null where the envelope is too big, or the topic not the group's. */
  readonly text: string | null;
  /** Failed handler calls. */
  tries: number;
  /** Handler calls whose statement ran out of its time or was cancelled. */
  cancelled: number;
  /** Set when the row is to be buried and is not yet. */
  letter: DeadLetter | null;
  done: boolean;
}

/**
 * One bucket of keys of one group, in memory: which rows were read, which may run, and how far the cursor may move.
 * Rows of one key run one after the other; other keys pass a key that waits, until the window is full. The cursor
 * stops before the first row not done, so a crash redelivers from there and the inbox drops what was done.
 */
export class BucketLane<Row extends LaneRow = LogRow> {
  /** The last row that was added; before the first, where the lane was started. */
  public readTo: Row['position'];
  /** The last row of the unbroken run of done rows, while it is not stored; else null. */
  public unstored: Row['position'] | null = null;

  private rows: Row[] = [];
  private readonly queues = new Map<string, Row[]>();

  public constructor(
    public readonly bucket: number,
    start: Row['position'],
    private readonly windowSize: number,
  ) {
    this.readTo = start;
  }

  /** Rows it may still take. */
  public get room(): number {
    return this.windowSize - this.rows.length;
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
      if (!row.done && this.queue(row)) ready.push(row);
    }
    this.moveOn();
    return ready;
  }

  /** Returns the key's next row, which may run now. */
  public finish(row: Row): Row | undefined {
    const queue = this.queues.get(row.key);
    if (queue?.[0] !== row) throw new Error('Only the first row of a key can finish');
    row.done = true;
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
