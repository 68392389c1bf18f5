import { WakeSignal, crashPoint, runLoop, type Clock, type Logger, type RunningLoop } from '@vuka/platform';

import { BucketLane } from './bucket-lane.js';
import type { DeadLetter } from './dead-letters.js';
import { deliver, describeError, type DeliveryOptions, type DeliveryOutcome } from './delivery.js';
import type { Disturbance } from './disturbance.js';
import { BacklogWatch } from './outbox-backlog.js';
import { READ_BATCH, type LogRow, type ProducerLog } from './producer-log.js';
import type { Subscription } from './wire.js';

/** How often an event is tried again before it is a dead letter; delays grow fourfold. */
export interface RetryPolicy {
  readonly tries: number;
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
}

export interface RelayOptions extends DeliveryOptions {
  readonly log: Logger;
  readonly clock: Clock;
  readonly retry: RetryPolicy;
  readonly disturbance?: Disturbance;
  /** An event unread for longer is an alarm, looked for this often. */
  readonly heldBackAfterMs: number;
}

/** Rows of one bucket in memory: a key that waits lets this many others pass. */
const WINDOW = 2 * READ_BATCH;
const CONCURRENCY = 32;
/** Reads are at least this far apart unless the last one was full: small commits are read together. */
const READ_PACE_MS = 10;
/** A lost wake-up, or a row that the oldest transaction held back, costs at most this. */
const SAFETY_POLL_MS = 250;
/** Cursors are stored together, this long after the first row was done. A crash redelivers what was done since. */
const STORE_AFTER_MS = 50;
const OUTAGE_PAUSE_MS = 500;
/**
 * How often an event's statements may run out of their time (10 s) before that counts as its own doing: more than an hour
 * and a half, by when somebody has long seen the alarm of an outage.
 */
const MAX_CANCELLED = 600;
const STOP_WITHIN_MS = 5_000;

/**
 * One group's way through one producer's log: reads, runs, tries again, buries, moves the cursors. It shares nothing
 * with other groups, and its buckets share only the number of handlers that run at once.
 */
export class GroupRelay {
  private readonly wake = new WakeSignal();
  private readonly ready: LogRow[] = [];
  private readonly retries = new Set<NodeJS.Timeout>();
  private lanes: BucketLane[] = [];
  private running = 0;
  private idleMs = READ_PACE_MS;
  private storeTimer: NodeJS.Timeout | undefined;
  private stopping = false;
  private readonly producerOutage: Outage;
  private readonly consumerOutage: Outage;
  private loop: Promise<void> = Promise.resolve();
  private whenQuiet: (() => void) | undefined;
  private watch: RunningLoop | undefined;

  public constructor(
    private readonly source: ProducerLog,
    private readonly subscription: Subscription,
    private readonly topics: readonly string[],
    private readonly options: RelayOptions,
  ) {
    this.producerOutage = new Outage(options.log, subscription.group, "the producer's database");
    this.consumerOutage = new Outage(options.log, subscription.group, 'a database the handlers need');
  }

  /** Throws where the cursors cannot be read or cannot be right. */
  public async start(): Promise<void> {
    const cursors = await this.source.cursors(this.subscription.group);
    this.lanes = cursors.map((cursor, bucket) => new BucketLane(bucket, cursor, WINDOW));
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
    for (const retry of this.retries) clearTimeout(retry);
    clearTimeout(this.storeTimer);
    await Promise.all([this.loop, this.watch?.stop()]);
    await this.quiet();
    await this.storeCursors();
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      const lanes = this.lanes.filter((lane) => lane.room >= READ_BATCH);
      const paced = pause(READ_PACE_MS);
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

  private async read(lanes: readonly BucketLane[]): Promise<LogRow[] | 'outage'> {
    try {
      const rows = await this.source.read(lanes, this.topics);
      this.producerOutage.ended();
      return rows;
    } catch (error) {
      this.producerOutage.began(describeError(error));
      return 'outage';
    }
  }

  /** True when a bucket gave all that was asked for: there is more. */
  private accept(rows: readonly LogRow[]): boolean {
    if (rows.length === 0 || this.stopping) return false;
    let isFull = false;
    for (const lane of this.lanes) {
      const own = rows.filter((row) => row.bucket === lane.bucket);
      if (own.length > 0) this.ready.push(...lane.add(own));
      isFull ||= own.length === READ_BATCH;
    }
    this.storeSoon();
    this.pump();
    return isFull;
  }

  private pump(): void {
    const limit = this.subscription.concurrency ?? CONCURRENCY;
    while (!this.stopping && this.running < limit) {
      const row = this.ready.shift();
      if (row === undefined) return;
      this.running += 1;
      void this.runRow(row).finally(() => {
        this.running -= 1;
        if (this.running === 0) this.whenQuiet?.();
        this.pump();
      });
    }
  }

  private async runRow(row: LogRow): Promise<void> {
    if (row.letter !== null) return this.bury(row, row.letter);
    const outcome = await this.handOver(row);
    if (outcome.kind === 'outage') {
      this.consumerOutage.began(outcome.detail);
      if (outcome.isCancelled) row.cancelled += 1;
      if (row.cancelled < MAX_CANCELLED) return this.again(row, OUTAGE_PAUSE_MS);
      return this.bury(row, this.letterOf(row, outcome));
    }
    if (outcome.kind === 'handled') {
      this.consumerOutage.ended();
      return this.complete(row);
    }
    row.tries += 1;
    if (outcome.kind === 'failed' && row.tries < this.options.retry.tries) {
      this.options.log.warn({ ...this.logged(row), tries: row.tries, detail: outcome.detail }, 'event handler failed, trying again');
      const { firstDelayMs, maxDelayMs } = this.options.retry;
      return this.again(row, Math.min(firstDelayMs * 4 ** (row.tries - 1), maxDelayMs));
    }
    return this.bury(row, this.letterOf(row, outcome));
  }

  private async handOver(row: LogRow): Promise<DeliveryOutcome> {
    const once = (given: LogRow): Promise<DeliveryOutcome> => deliver(given, this.subscription, this.options);
    const { disturbance } = this.options;
    return disturbance === undefined ? once(row) : disturbance.around(row, this.subscription.group, once);
  }

  private watchBacklog(): RunningLoop {
    const { log, heldBackAfterMs } = this.options;
    const watch = new BacklogWatch(this.source, this.subscription.group, this.options);
    let looks = 0;
    const tick = async (): Promise<boolean> => {
      looks += 1;
      // At the start what lies there is what came in while nobody read.
      if (looks === 1) return false;
      // A database that is away is told of where rows are read.
      await watch.look(this.lanes).catch((error: unknown) => this.producerOutage.began(describeError(error)));
      return false;
    };
    return runLoop({ name: `outbox-backlog ${this.subscription.group}`, tick, signal: new WakeSignal(), idleMs: heldBackAfterMs / 2, log });
  }

  private letterOf(row: LogRow, outcome: Extract<DeliveryOutcome, { detail: string }>): DeadLetter {
    return {
      group: this.subscription.group,
      topic: row.topic,
      key: row.key,
      eventId: row.eventId,
      reason: outcome.kind === 'refused' ? outcome.reason : 'tries_exhausted',
      detail: outcome.detail,
      tries: row.tries,
      envelope: row.text,
      at: this.options.clock.now(),
    };
  }

  /**
   * An event that cannot be kept as a dead letter is not done: it waits for the sink. Exhausted tries are forgotten
   * then: what keeps the sink from its work may have kept the handler from its own.
   */
  private async bury(row: LogRow, letter: DeadLetter): Promise<void> {
    row.letter = letter;
    try {
      await this.subscription.deadLetters.record(letter);
    } catch (error) {
      this.consumerOutage.began(describeError(error));
      if (letter.reason === 'tries_exhausted') row.letter = null;
      return this.again(row, OUTAGE_PAUSE_MS);
    }
    const { reason, detail, tries } = letter;
    this.options.log.error({ code: 'dead_letter', ...this.logged(row), reason, detail, tries }, 'event became a dead letter');
    this.complete(row);
  }

  private complete(row: LogRow): void {
    const lane = this.lanes[row.bucket]!;
    const hadRoom = lane.room >= READ_BATCH;
    const next = lane.finish(row);
    if (next !== undefined) this.ready.push(next);
    if (!hadRoom && lane.room >= READ_BATCH) this.notify();
    this.storeSoon();
  }

  private again(row: LogRow, delayMs: number): void {
    const timer = setTimeout(() => {
      this.retries.delete(timer);
      this.ready.push(row);
      this.pump();
    }, delayMs);
    this.retries.add(timer);
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
    const moved = this.lanes.flatMap((lane) => (lane.unstored === null ? [] : [{ bucket: lane.bucket, position: lane.unstored }]));
    if (moved.length === 0) return;
    crashPoint('wire.before-cursor');
    try {
      await this.source.store(this.subscription.group, moved);
      for (const { bucket, position } of moved) {
        const lane = this.lanes[bucket]!;
        if (lane.unstored === position) lane.unstored = null;
      }
    } catch (error) {
      this.producerOutage.began(describeError(error));
    }
  }

  private async quiet(): Promise<void> {
    if (this.running === 0) return;
    const quiet = new Promise<void>((resolve) => {
      this.whenQuiet = resolve;
    });
    await Promise.race([quiet, pause(STOP_WITHIN_MS)]);
  }

  private logged(row: LogRow): object {
    return { group: this.subscription.group, topic: row.topic, aggregateId: row.key, eventId: row.eventId };
  }
}

/** Says once that a database is away, and once that it is back. */
class Outage {
  private isOn = false;

  public constructor(
    private readonly log: Logger,
    private readonly group: string,
    private readonly what: string,
  ) {}

  public began(detail: string): void {
    if (!this.isOn) this.log.error({ group: this.group, detail }, `events wait for ${this.what}`);
    this.isOn = true;
  }

  public ended(): void {
    if (this.isOn) this.log.info({ group: this.group }, `events flow again: ${this.what} answers`);
    this.isOn = false;
  }
}

/** A pause that keeps no process alive. */
async function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
