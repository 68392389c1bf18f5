import { BucketBuffer } from '../../delivery/bucket-buffer.js';
import type { KafkaRow } from './consumer-message.js';

/** Rows of one partition that may run or wait for their key. */
export const WINDOW = 128;
/** The partition is paused from this on … */
const PAUSE_AT_BYTES = 2_097_152;
/** … and resumed below this, before the window runs empty. */
const RESUME_AT_BYTES = 1_048_576;
/** Of a row beside its text. */
const ROW_BYTES = 512;

/** Rows that may run, and fetched rows that wait. Bounded by the pause limit plus one fetch. */
export class PartitionBuffer extends BucketBuffer<KafkaRow> {
  public isPaused = false;
  public isAsking = false;
  public nextOffset: bigint;
  private waiting: KafkaRow[] = [];
  private waitingBytes = 0;

  public constructor(
    public readonly topic: string,
    public readonly partition: number,
    firstOffset: bigint,
  ) {
    super(partition, firstOffset - 1n, WINDOW);
    this.nextOffset = firstOffset;
  }

  /** `end`: the offset after the last record. */
  public take(rows: readonly KafkaRow[], end: bigint): void {
    this.nextOffset = end;
    this.waiting.push(...rows);
    for (const row of rows) this.waitingBytes += weightOf(row);
  }

  /** They stay waiting. */
  public next(): KafkaRow[] {
    return this.waiting.slice(0, this.room);
  }

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

  /** Producer's time in ms; null if all is done. */
  public get oldestAt(): number | null {
    return (this.first ?? this.waiting[0])?.producedAt ?? null;
  }

  public get oldestWaitingAt(): number | null {
    return this.waiting[0]?.producedAt ?? null;
  }
}

function weightOf(row: KafkaRow): number {
  return ROW_BYTES + (row.text?.length ?? 0);
}
