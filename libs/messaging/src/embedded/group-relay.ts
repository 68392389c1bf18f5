import { setTimeout as sleep } from 'node:timers/promises';

import { crashPoint, runLoop, type RunningLoop, WakeSignal } from '@vuka/runtime';

import { BucketLane } from '../delivery/bucket-lane.js';
import { describeError } from '../delivery/delivery.js';
import { HeadWatch } from '../delivery/head-watch.js';
import { KeyedDelivery, type KeyedDeliveryOptions } from '../delivery/keyed-delivery.js';
import { Outage, OUTAGE_PAUSE_MS } from '../delivery/outage.js';
import type { Subscription } from '../delivery/subscription.js';
import { BacklogWatch } from '../outbox/outbox-backlog.js';
import { READ_BATCH, type LogRow, type ProducerLog } from '../outbox/producer-log.js';

export interface RelayOptions extends KeyedDeliveryOptions {
  /** An event unread for longer is an alarm, looked for this often. */
  readonly heldBackAfterMs: number;
}

/** Rows of one bucket in memory that may run, or wait for one of their key. */
const WINDOW = 2 * READ_BATCH;
/** Reads are at least this far apart unless the last one was full: small commits are read together. */
const READ_PACE_MS = 10;
/** A lost wake-up, or a row that the oldest transaction held back, costs at most this. */
const SAFETY_POLL_MS = 1_000;
/** Cursors are stored together, this long after the first row was done. A crash redelivers what was done since. */
const STORE_AFTER_MS = 50;

/**
 * One group's way through one producer's log: reads, has it delivered, moves the cursors. It shares nothing
 * with other groups, and its buckets share only the number of handlers that run at once.
 */
export class GroupRelay {
  private readonly wake = new WakeSignal();
  private readonly delivery: KeyedDelivery<LogRow>;
  private lanes: BucketLane<LogRow>[] = [];
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
    this.delivery = new KeyedDelivery(subscription, options, (lane, roomBefore) => {
      if (roomBefore < READ_BATCH && lane.room >= READ_BATCH) this.notify();
      this.storeSoon();
    });
  }

  /** Throws where the cursors cannot be read or cannot be right. */
  public async start(): Promise<void> {
    const cursors = await this.source.cursors(this.subscription.group);
    this.lanes = cursors.map((cursor, bucket) => new BucketLane<LogRow>(bucket, cursor, WINDOW));
    this.loop = this.run();
    this.watch = this.watchBacklog();
  }

  /** The producer has committed something. */
  public notify(): void {
    this.idleMs = READ_PACE_MS;
    this.wake.notify();
  }

  /** Ends after the handlers under way, or after 5 s: what was not done is delivered again. */
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
      const lanes = this.lanes.filter((lane) => lane.room >= READ_BATCH);
      const paced = sleep(READ_PACE_MS, undefined, { ref: false });
      const rows = lanes.length === 0 ? [] : await this.read(lanes);
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

  private async read(lanes: readonly BucketLane<LogRow>[]): Promise<LogRow[] | 'outage'> {
    try {
      const rows = await this.source.read(lanes, this.topics);
      this.outage.ended();
      // Not taken, they are read again.
      return (await this.delivery.passOver(rows)) ? rows : 'outage';
    } catch (error) {
      this.outage.began(describeError(error));
      return 'outage';
    }
  }

  /** True when a bucket gave all that was asked for: there is more. */
  private accept(rows: readonly LogRow[]): boolean {
    if (rows.length === 0 || this.stopping) return false;
    let isFull = false;
    for (const lane of this.lanes) {
      const own = rows.filter((row) => row.bucket === lane.bucket);
      if (own.length > 0) this.delivery.add(lane, own);
      isFull ||= own.length === READ_BATCH;
    }
    this.storeSoon();
    return isFull;
  }

  private watchBacklog(): RunningLoop {
    const { log, heldBackAfterMs } = this.options;
    const { group } = this.subscription;
    const watch = new BacklogWatch(this.source, group, this.options);
    const heads = new HeadWatch(this.options);
    let looks = 0;
    const tick = async (): Promise<boolean> => {
      looks += 1;
      // At the start what lies there is what came in while nobody read.
      if (looks === 1) return false;
      for (const { bucket, first } of this.lanes) heads.look({ group, bucket: String(bucket) }, first);
      // A database that is away is told of where rows are read.
      await watch.look(this.lanes).catch((error: unknown) => this.outage.began(describeError(error)));
      return false;
    };
    return runLoop({
      name: `outbox-backlog ${group}`,
      tick,
      signal: new WakeSignal(),
      idleMs: heldBackAfterMs / 2,
      log,
    });
  }

  private storeSoon(): void {
    if (this.stopping || this.storeTimer !== undefined) return;
    this.storeTimer = setTimeout(() => {
      void this.storeCursors().finally(() => {
        this.storeTimer = undefined;
        if (this.lanes.some((lane) => lane.unstored !== null)) this.storeSoon();
      });
    }, STORE_AFTER_MS);
  }

  private async storeCursors(): Promise<void> {
    const moved = this.lanes.flatMap((lane) =>
      lane.unstored === null ? [] : [{ bucket: lane.bucket, position: lane.unstored }],
    );
    if (moved.length === 0) return;
    crashPoint('wire.before-cursor');
    try {
      await this.source.store(this.subscription.group, moved);
      for (const { bucket, position } of moved) {
        const lane = this.lanes[bucket]!;
        if (lane.unstored === position) lane.unstored = null;
      }
    } catch (error) {
      this.outage.began(describeError(error));
    }
  }
}
