import type { Clock, Logger } from '@vuka/platform';

import type { BucketLane, LaneRow } from './bucket-lane.js';
import type { DeadLetter } from './dead-letters.js';
import { deliver, describeError, type DeliveryOptions, type DeliveryOutcome } from './delivery.js';
import type { Disturbance } from './disturbance.js';
import { Outage } from './outage.js';
import type { Subscription } from './wire.js';

/** How often an event is tried again before it is a dead letter; delays grow fourfold. */
export interface RetryPolicy {
  readonly tries: number;
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
}

export interface KeyedDeliveryOptions extends DeliveryOptions {
  readonly log: Logger;
  readonly clock: Clock;
  readonly retry: RetryPolicy;
  readonly disturbance?: Disturbance;
}

const CONCURRENCY = 32;
const OUTAGE_PAUSE_MS = 500;
/**
 * How often an event's statements may run out of their time (10 s) before that counts as its own doing: more than an hour
 * and a half, by when somebody has long seen the alarm of an outage.
 */
const MAX_CANCELLED = 600;
const STOP_WITHIN_MS = 5_000;

/** A row that may run, and the lane it is to be finished in. */
interface Task<Row extends LaneRow, Lane extends BucketLane<Row>> {
  readonly row: Row;
  readonly lane: Lane;
}

/**
 * How one group's events meet its handler, whatever log they come from, written once: rows of a key one after the other,
 * other keys beside them up to the group's concurrency; tries with growing delays; an outage is no try; what can never be
 * handled is buried, and waits until its dead letter is kept. Lanes say what may run; this says when, and what came of it.
 */
export class KeyedDelivery<Row extends LaneRow, Lane extends BucketLane<Row> = BucketLane<Row>> {
  private readonly lanes = new Set<Lane>();
  private readonly retries = new Map<NodeJS.Timeout, Lane>();
  private ready: Task<Row, Lane>[] = [];
  private running = 0;
  private isStopping = false;
  private whenQuiet: (() => void) | undefined;
  private readonly outage: Outage;

  public constructor(
    private readonly subscription: Subscription,
    private readonly options: KeyedDeliveryOptions,
    /** A row of the lane is done; `roomBefore`: what it had until then. */
    private readonly onDone: (lane: Lane, roomBefore: number) => void,
  ) {
    this.outage = new Outage(options.log, subscription.group, 'a database the handlers need');
  }

  /** Takes rows into the lane, in log order, and runs what may run. */
  public add(lane: Lane, rows: readonly Row[]): void {
    this.lanes.add(lane);
    for (const row of lane.add(rows)) this.ready.push({ row, lane });
    this.pump();
  }

  /**
   * Its rows are no longer this process's to handle. Those that wait are forgotten, tries to come are cancelled; a handler
   * under way ends, and nothing follows from it.
   */
  public drop(lane: Lane): void {
    this.lanes.delete(lane);
    this.ready = this.ready.filter((task) => task.lane !== lane);
    for (const [timer, own] of this.retries) if (own === lane) this.cancel(timer);
  }

  /** Starts nothing more; ends after the handlers under way, or after 5 s. */
  public async stop(): Promise<void> {
    this.isStopping = true;
    for (const timer of this.retries.keys()) this.cancel(timer);
    if (this.running === 0) return;
    const quiet = new Promise<void>((resolve) => {
      this.whenQuiet = resolve;
    });
    // The timer a test can move; it keeps no process alive.
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
        if (this.running === 0) this.whenQuiet?.();
        this.pump();
      });
    }
  }

  private async run(task: Task<Row, Lane>): Promise<void> {
    const { row } = task;
    if (row.letter !== null) return this.bury(task, row.letter);
    const outcome = await this.handOver(row);
    if (!this.lanes.has(task.lane)) return;
    if (outcome.kind === 'outage') {
      this.outage.began(outcome.detail);
      if (outcome.isCancelled) row.cancelled += 1;
      if (row.cancelled < MAX_CANCELLED) return this.again(task, OUTAGE_PAUSE_MS);
      return this.bury(task, this.letterOf(row, outcome));
    }
    if (outcome.kind === 'handled') {
      this.outage.ended();
      return this.complete(task);
    }
    row.tries += 1;
    if (outcome.kind === 'failed' && row.tries < this.options.retry.tries) {
      this.options.log.warn({ ...this.logged(row), tries: row.tries, detail: outcome.detail }, 'event handler failed, trying again');
      const { firstDelayMs, maxDelayMs } = this.options.retry;
      return this.again(task, Math.min(firstDelayMs * 4 ** (row.tries - 1), maxDelayMs));
    }
    return this.bury(task, this.letterOf(row, outcome));
  }

  private async handOver(row: Row): Promise<DeliveryOutcome> {
    const { disturbance } = this.options;
    const once = (given: Pick<LaneRow, 'topic' | 'bytes' | 'text'>): Promise<DeliveryOutcome> => deliver(given, this.subscription, this.options);
    return disturbance === undefined ? once(row) : disturbance.around(row, this.subscription.group, once);
  }

  private letterOf(row: Row, outcome: Extract<DeliveryOutcome, { detail: string }>): DeadLetter {
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
  private async bury(task: Task<Row, Lane>, letter: DeadLetter): Promise<void> {
    const { row } = task;
    row.letter = letter;
    try {
      await this.subscription.deadLetters.record(letter);
    } catch (error) {
      this.outage.began(describeError(error));
      if (letter.reason === 'tries_exhausted') row.letter = null;
      return this.again(task, OUTAGE_PAUSE_MS);
    }
    const { reason, detail, tries } = letter;
    this.options.log.error({ code: 'dead_letter', ...this.logged(row), reason, detail, tries }, 'event became a dead letter');
    this.complete(task);
  }

  private complete({ row, lane }: Task<Row, Lane>): void {
    if (!this.lanes.has(lane)) return;
    const roomBefore = lane.room;
    const next = lane.finish(row);
    if (next !== undefined) this.ready.push({ row: next, lane });
    this.onDone(lane, roomBefore);
  }

  private again(task: Task<Row, Lane>, delayMs: number): void {
    if (this.isStopping || !this.lanes.has(task.lane)) return;
    const timer = setTimeout(() => {
      this.retries.delete(timer);
      this.ready.push(task);
      this.pump();
    }, delayMs);
    this.retries.set(timer, task.lane);
  }

  private cancel(timer: NodeJS.Timeout): void {
    clearTimeout(timer);
    this.retries.delete(timer);
  }

  private logged(row: Row): object {
    return { group: this.subscription.group, topic: row.topic, aggregateId: row.key, eventId: row.eventId };
  }
}
