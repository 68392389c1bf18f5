import { setTimeout as sleep } from 'node:timers/promises';

import { crashPoint, runLoop, type RunningLoop, WakeSignal } from '@vuka/runtime';

import { idOfPlace } from '../authors/event-authors.js';
import { BucketBuffer } from '../delivery/bucket-buffer.js';
import { describeError } from '../delivery/delivery.js';
import { HeadWatch } from '../delivery/head-watch.js';
import { KeyedDelivery, type KeyedDeliveryOptions } from '../delivery/keyed-delivery.js';
import { Outage, OUTAGE_PAUSE_MS } from '../delivery/outage.js';
import type { Subscription } from '../delivery/subscription.js';
import { BacklogWatch } from '../outbox/outbox-backlog.js';
import { READ_BATCH, type LogRow, type ProducerLog } from '../outbox/producer-log.js';

export interface RelayOptions extends KeyedDeliveryOptions {
  /** Alarm if unread longer; checked twice in this time. */
  readonly stalledAfterMs: number;
}

const WINDOW = 2 * READ_BATCH;
/** Batches small commits. */
const READ_PACE_MS = 10;
/** Limits the delay of a lost wake-up or of rows held back. */
const SAFETY_POLL_MS = 1_000;
/** A crash redelivers what was done since the last store. */
const STORE_AFTER_MS = 50;

/** Reads one producer's log for one group. Shares nothing with other groups. */
export class GroupRelay {
  private readonly wake = new WakeSignal();
  private readonly delivery: KeyedDelivery<LogRow>;
  private buffers: BucketBuffer<LogRow>[] = [];
  private idleMs = READ_PACE_MS;
  private storeTimer: NodeJS.Timeout | undefined;
  private stopping = false;
  private readonly outage: Outage;
  private loop: Promise<void> = Promise.resolve();
  private watch: RunningLoop | undefined;

  public constructor(
    private readonly source: ProducerLog,
    private readonly subscription: Subscription,
    private readonly topics: readonly string[],
    private readonly options: RelayOptions,
  ) {
    this.outage = new Outage(options.log, subscription.group, "the producer's database");
    this.delivery = new KeyedDelivery(subscription, options, (buffer, roomBefore) => {
      if (roomBefore < READ_BATCH && buffer.room >= READ_BATCH) this.notify();
      this.storeSoon();
    });
  }

  /** Throws if the cursors cannot be read or are wrong. */
  public async start(): Promise<void> {
    const cursors = await this.source.cursors(this.subscription.group);
    this.buffers = cursors.map((cursor, bucket) => new BucketBuffer<LogRow>(bucket, cursor, WINDOW));
    this.loop = this.run();
    this.watch = this.watchBacklog();
  }

  public notify(): void {
    this.idleMs = READ_PACE_MS;
    this.wake.notify();
  }

  /** Waits at most 5 s for handlers. What is not done is redelivered. */
  public async stop(): Promise<void> {
    if (this.stopping) return this.loop;
    this.stopping = true;
    this.wake.notify();
    clearTimeout(this.storeTimer);
    await Promise.all([this.delivery.stop(), this.loop, this.watch?.stop()]);
    await this.storeCursors();
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      const buffers = this.buffers.filter((buffer) => buffer.room >= READ_BATCH);
      const paced = sleep(READ_PACE_MS, undefined, { ref: false });
      const rows = buffers.length === 0 ? [] : await this.read(buffers);
      if (rows === 'outage') {
        await this.wake.wait(OUTAGE_PAUSE_MS);
        continue;
      }
      if (this.accept(rows)) continue;
      this.idleMs = rows.length > 0 ? READ_PACE_MS : Math.min(this.idleMs * 2, SAFETY_POLL_MS);
      await this.wake.wait(this.idleMs);
      await paced;
    }
  }

  private async read(buffers: readonly BucketBuffer<LogRow>[]): Promise<LogRow[] | 'outage'> {
    try {
      const read = await this.source.read(buffers, this.topics);
      this.outage.ended();
      const rows = read.map((row) => this.judged(row));
      // Rows not taken are read again.
      return (await this.delivery.passOver(rows)) ? rows : 'outage';
    } catch (error) {
      this.outage.began(describeError(error));
      return 'outage';
    }
  }

  /** Only where a reader has keys: a row that its owner did not write gets its dead letter. */
  private judged(row: LogRow): LogRow {
    const { authors, group } = this.subscription;
    if (authors === undefined || row.done) return row;
    const { topic, key, text, macs = null, position } = row;
    const detail = text === null ? null : authors.faultOfClaimed({ ...row, macs }, text);
    if (detail === null) return row;
    const eventId = idOfPlace([topic, position.xid, position.id]);
    const at = this.options.clock.now();
    const deadLetter = {
      group,
      topic,
      key,
      eventId,
      reason: 'foreign',
      detail,
      tries: 0,
      envelope: text,
      macs,
      at,
    } as const;
    return { ...row, eventId, deadLetter };
  }

  /** True if a bucket was full: there is more. */
  private accept(rows: readonly LogRow[]): boolean {
    if (rows.length === 0 || this.stopping) return false;
    let isFull = false;
    for (const buffer of this.buffers) {
      const own = rows.filter((row) => row.bucket === buffer.bucket);
      if (own.length > 0) this.delivery.add(buffer, own);
      isFull ||= own.length === READ_BATCH;
    }
    this.storeSoon();
    return isFull;
  }

  private watchBacklog(): RunningLoop {
    const { log, stalledAfterMs } = this.options;
    const { group } = this.subscription;
    const watch = new BacklogWatch(this.source, group, this.options);
    const heads = new HeadWatch(this.options);
    let looks = 0;
    const tick = async (): Promise<boolean> => {
      looks += 1;
      // At the start, old events are normal.
      if (looks === 1) return false;
      for (const { bucket, first } of this.buffers) heads.look({ group, bucket: String(bucket) }, first);
      // The reads report outages.
      await watch.look(this.buffers).catch((error: unknown) => this.outage.began(describeError(error)));
      return false;
    };
    return runLoop({
      name: `outbox-backlog ${group}`,
      tick,
      signal: new WakeSignal(),
      idleMs: stalledAfterMs / 2,
      log,
    });
  }

  private storeSoon(): void {
    if (this.stopping || this.storeTimer !== undefined) return;
    this.storeTimer = setTimeout(() => {
      void this.storeCursors().finally(() => {
        this.storeTimer = undefined;
        if (this.buffers.some((buffer) => buffer.unstored !== null)) this.storeSoon();
      });
    }, STORE_AFTER_MS);
  }

  private async storeCursors(): Promise<void> {
    const moved = this.buffers.flatMap((buffer) =>
      buffer.unstored === null ? [] : [{ bucket: buffer.bucket, position: buffer.unstored }],
    );
    if (moved.length === 0) return;
    crashPoint('event-bus.before-cursor');
    try {
      await this.source.store(this.subscription.group, moved);
      for (const { bucket, position } of moved) {
        const buffer = this.buffers[bucket]!;
        if (buffer.unstored === position) buffer.unstored = null;
      }
    } catch (error) {
      this.outage.began(describeError(error));
    }
  }
}
