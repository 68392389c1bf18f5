import type { LogRow, Position } from './producer-log.js';

/**
 * One bucket of one group, in memory: which rows were read, which may run, and how far the cursor may move.
 * Rows of one key run one after the other; other keys pass a key that waits, until the window is full. The cursor
 * stops before the first row not done, so a crash redelivers from there and the inbox drops what was done.
 */
export class BucketLane {
  /** Where the next read begins. */
  public readTo: Position;
  /** The last row of the unbroken run of done rows, while it is not stored; else null. */
  public unstored: Position | null = null;

  private rows: LogRow[] = [];
  private readonly queues = new Map<string, LogRow[]>();

  public constructor(
    public readonly bucket: number,
    start: Position,
    private readonly windowSize: number,
  ) {
    this.readTo = start;
  }

  /** Rows it may still take. */
  public get room(): number {
    return this.windowSize - this.rows.length;
  }

  /** Takes rows in log order, some of them done already (nothing to do for this group); returns those that may run now. */
  public add(rows: readonly LogRow[]): LogRow[] {
    const ready: LogRow[] = [];
    for (const row of rows) {
      this.rows.push(row);
      this.readTo = row.position;
      if (!row.done && this.queue(row)) ready.push(row);
    }
    this.moveOn();
    return ready;
  }

  /** Returns the key's next row, which may run now. */
  public finish(row: LogRow): LogRow | undefined {
    const queue = this.queues.get(row.key);
    if (queue?.[0] !== row) throw new Error('Only the first row of a key can finish');
    row.done = true;
    queue.shift();
    if (queue.length === 0) this.queues.delete(row.key);
    this.moveOn();
    return queue[0];
  }

  /** True when the row is the first of its key. */
  private queue(row: LogRow): boolean {
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
