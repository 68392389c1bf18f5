import { type Clock, type Logger, type MonotonicClock, systemClock } from '@vuka/runtime';

import type { DeadLetter } from '../dead-letters/dead-letters.js';
import { OpenLetters } from '../dead-letters/open-letters.js';
import type { BucketLane, LaneRow } from './bucket-lane.js';
import { deliver, describeError, type DeliveryOptions, type DeliveryOutcome, type HandlerEnd } from './delivery.js';
import type { Disturbance } from './disturbance.js';
import { Outage, OUTAGE_PAUSE_MS } from './outage.js';
import type { Subscription } from './subscription.js';

/** How often an event is tried again before it is a dead letter; delays grow fourfold. */
export interface RetryPolicy {
  readonly tries: number;
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
}

export interface KeyedDeliveryOptions extends DeliveryOptions {
  readonly log: Logger;
  readonly clock: Clock;
  /** For durations. */
  readonly monotonic?: MonotonicClock;
  readonly retry: RetryPolicy;
  readonly disturbance?: Disturbance;
}

const CONCURRENCY = 32;
/**
 * How long an event's statements may run out of their time, or a part say no more than that it could not, before that counts as the
 * event's own doing: nobody can tell which it is, and by then somebody has long seen the alarm of an outage. By time and not by tries,
 * because such an answer takes anything from no time to ten seconds; what surely is not its doing (the database was away) is not counted.
 */
const CANCELLED_FOR_MS = 90 * 60_000;
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
  /** Handlers that gave their place to others, and whose end is waited for. */
  private late = 0;
  private isStopping = false;
  private whenQuiet: (() => void) | undefined;
  private readonly outage: Outage;
  private readonly letters: OpenLetters;
  /** Rows whose letter may have been kept, though the database did not say so. */
  private readonly inDoubt = new WeakSet<Row>();

  public constructor(
    private readonly subscription: Subscription,
    private readonly options: KeyedDeliveryOptions,
    /** A row of the lane is done; `roomBefore`: what it had until then. */
    private readonly onDone: (lane: Lane, roomBefore: number) => void,
  ) {
    this.outage = new Outage(options.log, subscription.group, 'a database the handlers need');
    this.letters = new OpenLetters(subscription, options.log);
  }

  /**
   * Before rows are added: marks those as done that a dead letter keeps for a replay. False where the database is away: to be asked
   * again.
   */
  public async passOver(rows: readonly Row[]): Promise<boolean> {
    try {
      await this.letters.passOver(rows);
      return true;
    } catch (error) {
      this.outage.began(describeError(error));
      return false;
    }
  }

  /** Rows to come may be others' of before, and so may their letters. */
  public forgetLetters(): void {
    this.letters.forget();
  }

  /** True where `passOver` would change nothing, as nearly always. */
  public get hasNoLetters(): boolean {
    return this.letters.areNone;
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
    if (this.running + this.late === 0) return;
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
        this.moveOn();
      });
    }
  }

  private moveOn(): void {
    if (this.running + this.late === 0) this.whenQuiet?.();
    this.pump();
  }

  private async run(task: Task<Row, Lane>): Promise<void> {
    const { row } = task;
    if (this.inDoubt.has(row)) {
      if (!(await this.passOver([row]))) return this.again(task, OUTAGE_PAUSE_MS);
      // Somebody else's by now.
      if (this.isStopping || !this.lanes.has(task.lane)) return;
      this.inDoubt.delete(row);
      if (row.done) return this.complete(task);
    }
    if (row.letter !== null) return this.bury(task, row.letter);
    const outcome = await this.handOver(row);
    if (outcome.kind !== 'late') return this.judge(task, outcome);
    this.options.log.warn({ ...this.logged(row), detail: outcome.detail }, 'event handler takes long');
    // Its place is another's meanwhile, but the event is not handed over beside itself, until it is taken for one that hangs.
    this.late += 1;
    void outcome.end
      .then((end) => this.judge(task, end))
      .finally(() => {
        this.late -= 1;
        this.moveOn();
      });
  }

  private async judge(task: Task<Row, Lane>, outcome: HandlerEnd): Promise<void> {
    const { row } = task;
    if (!this.lanes.has(task.lane)) return;
    if (outcome.kind === 'outage') {
      this.outage.began(outcome.detail);
      if (this.hasTimeLeft(row, outcome.isCancelled)) return this.again(task, OUTAGE_PAUSE_MS);
      return this.bury(task, this.letterOf(row, outcome));
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
        'event handler failed, trying again',
      );
      const { firstDelayMs, maxDelayMs } = this.options.retry;
      return this.again(task, Math.min(firstDelayMs * 4 ** (row.tries - 1), maxDelayMs));
    }
    return this.bury(task, this.letterOf(row, outcome));
  }

  private hasTimeLeft(row: Row, isCancelled: boolean): boolean {
    const nowMs = (this.options.monotonic ?? systemClock).monotonicMs();
    if (isCancelled) row.cancelledMs += nowMs - (row.cancelledAtMs ?? nowMs);
    row.cancelledAtMs = isCancelled ? nowMs : null;
    return row.cancelledMs < CANCELLED_FOR_MS;
  }

  private async handOver(row: Row): Promise<DeliveryOutcome> {
    const { disturbance } = this.options;
    const once = (given: Pick<LaneRow, 'topic' | 'bytes' | 'text'>): Promise<DeliveryOutcome> =>
      deliver(given, this.subscription, this.options);
    return disturbance === undefined ? once(row) : disturbance.around(row, this.subscription.group, once);
  }

  private letterOf(row: Row, outcome: Extract<HandlerEnd, { detail: string }>): DeadLetter {
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
   * then: what keeps the sink from its work may have kept the handler from its own. But the letter may be there, with its answer
   * lost, and then no handler is to have the event.
   */
  private async bury(task: Task<Row, Lane>, letter: DeadLetter): Promise<void> {
    const { row } = task;
    row.letter = letter;
    try {
      await this.letters.keep(letter);
    } catch (error) {
      this.outage.began(describeError(error));
      if (letter.reason === 'tries_exhausted') row.letter = null;
      this.inDoubt.add(row);
      return this.again(task, OUTAGE_PAUSE_MS);
    }
    const { reason, detail, tries } = letter;
    this.options.log.error(
      { code: 'dead_letter', ...this.logged(row), reason, detail, tries },
      'event became a dead letter',
    );
    this.complete(task);
  }

  private complete({ row, lane }: Task<Row, Lane>): void {
    if (!this.lanes.has(lane)) return;
    const roomBefore = lane.room;
    const isBuried = row.letter !== null || row.done;
    let next = lane.finish(row);
    // What a relay has written twice lies right behind it: keys are in order of their sequence.
    while (isBuried && next?.eventId === row.eventId) next = lane.finish(next);
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
