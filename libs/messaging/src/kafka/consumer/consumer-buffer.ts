import { BucketBuffer } from '../../delivery/bucket-buffer.js';
import type { KafkaRow } from './consumer-message.js';

/** Rows of one partition in memory that may run or wait for one of their key, as on the embedded event bus. */
export const WINDOW = 128;
/** Fetched and beyond the window: from so many bytes on the partition is paused … */
const PAUSE_AT_BYTES = 2_097_152;
/** … and below this many it is resumed, early enough that the next fetch is there before the window runs dry. */
const RESUME_AT_BYTES = 1_048_576;
/** A row's own weight beside its text. */
const ROW_BYTES = 512;

/**
 * One partition while it is this process's to read: the window of rows that may run, and behind it what was fetched and has
 * to wait. A fetch is never asked for again, so what waits is bounded by where it pauses and one fetch more.
 */
export class PartitionBuffer extends BucketBuffer<KafkaRow> {
  public isPaused = false;
  /** While it is looked up which of its rows have a dead letter. */
  public isAsking = false;
  /** Where the next fetch has to begin. */
  public nextOffset: bigint;
  private waiting: KafkaRow[] = [];
  private waitingBytes = 0;

  public constructor(
    /** As on the broker. */
    public readonly topic: string,
    public readonly partition: number,
    firstOffset: bigint,
  ) {
    super(partition, firstOffset - 1n, WINDOW);
    this.nextOffset = firstOffset;
  }

  /** `end`: the offset after the last of what was fetched, which need not be a row's. */
  public take(rows: readonly KafkaRow[], end: bigint): void {
    this.nextOffset = end;
    this.waiting.push(...rows);
    for (const row of rows) this.waitingBytes += weightOf(row);
  }

  /** The next rows for which the window has room: as yet they wait. */
  public next(): KafkaRow[] {
    return this.waiting.slice(0, this.room);
  }

  /** Those, or so many of them, for the window. */
  public admit(most = this.room): KafkaRow[] {
    const admitted = this.waiting.splice(0, Math.min(most, this.room));
    for (const row of admitted) this.waitingBytes -= weightOf(row);
    return admitted;
  }

  public get isFull(): boolean {
    return this.waitingBytes >= PAUSE_AT_BYTES;
  }

  public get hasRoomAgain(): boolean {
    return this.waitingBytes < RESUME_AT_BYTES;
  }

  /** When the oldest row was produced that is not done; null where all is done. */
  public get oldestAt(): number | null {
    return (this.first ?? this.waiting[0])?.producedAt ?? null;
  }

  /** When the oldest row was produced that found no room in the window. */
  public get oldestWaitingAt(): number | null {
    return this.waiting[0]?.producedAt ?? null;
  }
}

function weightOf(row: KafkaRow): number {
  return ROW_BYTES + (row.text?.length ?? 0);
}
