import { type Clock, type Logger, type MonotonicClock, systemClock } from '@vuka/runtime';

import { ForeignEvents } from '../authors/foreign-events.js';
import type { DeadLetter } from '../dead-letters/dead-letters.js';
import { OpenDeadLetters } from '../dead-letters/open-dead-letters.js';
import type { BucketBuffer, BufferRow } from './bucket-buffer.js';
import { deliver, describeError, type DeliveryOptions, type DeliveryOutcome, type HandlerEnd } from './delivery.js';
import type { Disturbance } from './disturbance.js';
import { Outage, OUTAGE_PAUSE_MS } from './outage.js';
import type { Subscription } from './subscription.js';

/** Delays grow fourfold. */
export interface RetryPolicy {
  readonly tries: number;
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
}

export interface KeyedDeliveryOptions extends DeliveryOptions {
  readonly log: Logger;
  readonly clock: Clock;
  readonly monotonic?: MonotonicClock;
  readonly retry: RetryPolicy;
  readonly disturbance?: Disturbance;
  /** Counts events that no service of ours wrote. */
  readonly onForeign?: () => void;
}

const CONCURRENCY = 32;
/**
 * How long cancelled statements or unclear refusals of one event are excused as an outage: nobody can tell the cause.
 * By then an alarm was seen. In time, not tries, because such an answer takes 0 to 10 s. A database that is away is
 * not counted.
 */
const CANCELLED_FOR_MS = 90 * 60_000;
const STOP_WITHIN_MS = 5_000;

interface Task<Row extends BufferRow, Buffer extends BucketBuffer<Row>> {
  readonly row: Row;
  readonly buffer: Buffer;
}

/**
 * Delivers events from any log to one group's handler. Rows of a key run in sequence, keys in parallel. An outage is
 * no try. A permanent failure is done only when its dead letter is stored.
 */
export class KeyedDelivery<Row extends BufferRow, Buffer extends BucketBuffer<Row> = BucketBuffer<Row>> {
  private readonly buffers = new Set<Buffer>();
  private readonly retries = new Map<NodeJS.Timeout, Buffer>();
  private ready: Task<Row, Buffer>[] = [];
  private running = 0;
  /** Gave up their place but still run. */
  private late = 0;
  private isStopping = false;
  private whenQuiet: (() => void) | undefined;
  private readonly outage: Outage;
  private readonly deadLetters: OpenDeadLetters;
  private readonly foreign: ForeignEvents;
  /** Their dead letter may be stored although the answer was lost. */
  private readonly inDoubt = new WeakSet<Row>();

  public constructor(
    private readonly subscription: Subscription,
    private readonly options: KeyedDeliveryOptions,
    private readonly onDone: (buffer: Buffer, roomBefore: number) => void,
  ) {
    this.outage = new Outage(options.log, subscription.group, 'a database the handlers need');
    this.deadLetters = new OpenDeadLetters(subscription, options.log);
    const { log, monotonic = systemClock, onForeign } = options;
    this.foreign = new ForeignEvents(subscription.deadLetters, log, monotonic, onForeign);
  }

  /** Before add(): marks rows with a dead letter as done. False if the database is away. */
  public async passOver(rows: readonly Row[]): Promise<boolean> {
    try {
      await this.deadLetters.passOver(rows);
      return true;
    } catch (error) {
      this.outage.began(describeError(error));
      return false;
    }
  }

  /** For rows that other processes may have handled. */
  public forgetDeadLetters(): void {
    this.deadLetters.forget();
  }

  public get hasNoDeadLetters(): boolean {
    return this.deadLetters.areNone;
  }

  /** In log order. */
  public add(buffer: Buffer, rows: readonly Row[]): void {
    this.buffers.add(buffer);
    for (const row of buffer.add(rows)) this.ready.push({ row, buffer });
    this.pump();
  }

  /** For rows that now belong to another process: a running handler ends without effect. */
  public drop(buffer: Buffer): void {
    this.buffers.delete(buffer);
    this.ready = this.ready.filter((task) => task.buffer !== buffer);
    for (const [timer, own] of this.retries) if (own === buffer) this.cancel(timer);
  }

  /** Waits at most 5 s for handlers. */
  public async stop(): Promise<void> {
    this.isStopping = true;
    for (const timer of this.retries.keys()) this.cancel(timer);
    if (this.running + this.late === 0) return;
    const quiet = new Promise<void>((resolve) => {
      this.whenQuiet = resolve;
    });
    // A timer that tests can control.
    const enough = new Promise<void>((resolve) => void setTimeout(resolve, STOP_WITHIN_MS).unref());
    await Promise.race([quiet, enough]);
  }

  private pump(): void {
    const limit = this.subscription.concurrency ?? CONCURRENCY;
    while (!this.isStopping && this.running < limit) {
      const task = this.ready.shift();
      if (task === undefined) return;
      this.running += 1;
      void this.run(task).finally(() => {
        this.running -= 1;
        this.moveOn();
      });
    }
  }

  private moveOn(): void {
    if (this.running + this.late === 0) this.whenQuiet?.();
    this.pump();
  }

  private async run(task: Task<Row, Buffer>): Promise<void> {
    const { row } = task;
    if (this.inDoubt.has(row)) {
      if (!(await this.passOver([row]))) return this.again(task, OUTAGE_PAUSE_MS);
      // Dropped meanwhile.
      if (this.isStopping || !this.buffers.has(task.buffer)) return;
      this.inDoubt.delete(row);
      if (row.done) return this.complete(task);
    }
    if (row.deadLetter !== null) return this.bury(task, row.deadLetter);
    const outcome = await this.handOver(row);
    if (outcome.kind !== 'late') return this.judge(task, outcome);
    this.options.log.warn({ ...this.logged(row), detail: outcome.detail }, 'an event handler is slow');
    // Another event takes its place. This one is not delivered again until it counts as hanging.
    this.late += 1;
    void outcome.end
      .then((end) => this.judge(task, end))
      .finally(() => {
        this.late -= 1;
        this.moveOn();
      });
  }

  private async judge(task: Task<Row, Buffer>, outcome: HandlerEnd): Promise<void> {
    const { row } = task;
    if (!this.buffers.has(task.buffer)) return;
    if (outcome.kind === 'outage') {
      this.outage.began(outcome.detail);
      if (this.hasTimeLeft(row, outcome.isCancelled)) return this.again(task, OUTAGE_PAUSE_MS);
      return this.bury(task, this.deadLetterOf(row, outcome));
    }
    if (outcome.kind === 'handled') {
      this.outage.ended();
      return this.complete(task);
    }
    row.cancelledAtMs = null;
    row.tries += 1;
    if (outcome.kind === 'failed' && row.tries < this.options.retry.tries) {
      this.options.log.warn(
        { ...this.logged(row), tries: row.tries, detail: outcome.detail },
        'an event handler failed; it is tried again',
      );
      const { firstDelayMs, maxDelayMs } = this.options.retry;
      return this.again(task, Math.min(firstDelayMs * 4 ** (row.tries - 1), maxDelayMs));
    }
    return this.bury(task, this.deadLetterOf(row, outcome));
  }

  private hasTimeLeft(row: Row, isCancelled: boolean): boolean {
    const nowMs = (this.options.monotonic ?? systemClock).monotonicMs();
    if (isCancelled) row.cancelledMs += nowMs - (row.cancelledAtMs ?? nowMs);
    row.cancelledAtMs = isCancelled ? nowMs : null;
    return row.cancelledMs < CANCELLED_FOR_MS;
  }

  private async handOver(row: Row): Promise<DeliveryOutcome> {
    const { disturbance } = this.options;
    const once = (given: Pick<BufferRow, 'topic' | 'bytes' | 'text'>): Promise<DeliveryOutcome> =>
      deliver(given, this.subscription, this.options);
    return disturbance === undefined ? once(row) : disturbance.around(row, this.subscription.group, once);
  }

  private deadLetterOf(row: Row, outcome: Extract<HandlerEnd, { detail: string }>): DeadLetter {
    return {
      group: this.subscription.group,
      topic: row.topic,
      key: row.key,
      eventId: row.eventId,
      reason: outcome.kind === 'refused' ? outcome.reason : 'tries_exhausted',
      detail: outcome.detail,
      tries: row.tries,
      envelope: row.text,
      macs: row.macs ?? null,
      at: this.options.clock.now(),
    };
  }

  /**
   * Not done until stored. If storing fails, exhausted tries are reset: the same outage may have failed the handler.
   * If only the answer was lost, no handler may get the event.
   */
  private async bury(task: Task<Row, Buffer>, deadLetter: DeadLetter): Promise<void> {
    const { row } = task;
    row.deadLetter = deadLetter;
    try {
      if (deadLetter.reason === 'foreign') await this.foreign.keep(deadLetter);
      else await this.deadLetters.keep(deadLetter);
    } catch (error) {
      this.outage.began(describeError(error));
      if (deadLetter.reason === 'tries_exhausted') row.deadLetter = null;
      this.inDoubt.add(row);
      return this.again(task, OUTAGE_PAUSE_MS);
    }
    const { reason, detail, tries } = deadLetter;
    if (reason !== 'foreign')
      this.options.log.error(
        { code: 'dead_letter', ...this.logged(row), reason, detail, tries },
        'an event became a dead letter',
      );
    this.complete(task);
  }

  private complete({ row, buffer }: Task<Row, Buffer>): void {
    if (!this.buffers.has(buffer)) return;
    const roomBefore = buffer.room;
    const isBuried = row.deadLetter !== null || row.done;
    let next = buffer.finish(row);
    // A relay's duplicates follow directly, in sequence order.
    while (isBuried && next?.eventId === row.eventId) next = buffer.finish(next);
    if (next !== undefined) this.ready.push({ row: next, buffer });
    this.onDone(buffer, roomBefore);
  }

  private again(task: Task<Row, Buffer>, delayMs: number): void {
    if (this.isStopping || !this.buffers.has(task.buffer)) return;
    const timer = setTimeout(() => {
      this.retries.delete(timer);
      this.ready.push(task);
      this.pump();
    }, delayMs);
    this.retries.set(timer, task.buffer);
  }

  private cancel(timer: NodeJS.Timeout): void {
    clearTimeout(timer);
    this.retries.delete(timer);
  }

  private logged(row: Row): object {
    return { group: this.subscription.group, topic: row.topic, aggregateId: row.key, eventId: row.eventId };
  }
}
