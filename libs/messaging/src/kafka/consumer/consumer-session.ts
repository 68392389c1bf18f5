import { type Logger, type MonotonicClock, WakeSignal } from '@vuka/runtime';
import type { Batch, Consumer, EachBatchPayload, Kafka, KafkaMessage } from 'kafkajs';

import { endOf, type SessionEnd } from './consumer-faults.js';
import { ConsumerPulse } from './consumer-pulse.js';

export interface FetchedBatch {
  readonly topic: string;
  readonly partition: number;
  readonly from: bigint;
  readonly messages: readonly KafkaMessage[];
  /** The offset after its last record. */
  readonly end: bigint;
}

/** Called in order; nothing here may wait. */
export interface SessionListener {
  /** Everything fetched before is void; fetching restarts at the committed offsets. */
  joined(assignment: Readonly<Record<string, readonly number[]>>): void;
  /** The broker still takes commits for a moment. */
  rebalancing(): void;
  /** False: not taken, so it will be fetched again. Throws if the batch does not follow the last one. */
  fetched(batch: FetchedBatch): boolean;
  /** No messages up to `end`: only transaction marks or deleted records. */
  skipped(topic: string, partition: number, end: bigint): void;
}

export interface SessionOptions {
  readonly kafka: Kafka;
  readonly group: string;
  readonly topics: readonly string[];
  readonly log: Logger;
  readonly clock: MonotonicClock;
  readonly silentAfterMs: number;
}

/** The broker allows no less than 6 s. */
const SESSION_TIMEOUT_MS = 10_000;
const HEARTBEAT_MS = 1_000;
/** Ours answer within a heartbeat, because no handler runs inside a batch. */
const REBALANCE_TIMEOUT_MS = 20_000;
/** How long an empty fetch waits. */
const MAX_WAIT_MS = 200;
const CLOSE_WITHIN_MS = 5_000;
const LOOK_EVERY_MS = 1_000;

/**
 * One kafkajs consumer; never reused. Faults of kafkajs 2.2.4 handled here, by issue number:
 * - #1441 (`Cannot read properties of null (reading 'brokers')`): after a TypeError in a rebalance the process
 *   consumes nothing. Every CRASH ends the session, whatever `restart` says.
 * - #1721: kafkajs restarts silently for ever, so `restartOnFailure` is false and the group restarts.
 * - #659: silence. The pulse ends the session: `away` if requests got no answer, else a fault.
 * - #1593, #1639: a disconnect while run() joins leaves a member that consumes on. So close() waits for run(), and an
 *   ended session takes no batch.
 * - #558 and another: after a rejoin during a fetch, resolving old batches would skip unhandled events. Such a join
 *   ends the session.
 * - #1719, #1645, #1720: REBALANCING stops no work. So no work runs inside a batch, and a join drops old buffers.
 * - Consumers of one Kafka object share committed offsets: each session has its own object.
 */
export class ConsumerSession {
  private readonly consumer: Consumer;
  private readonly pulse: ConsumerPulse;
  private readonly over: Promise<SessionEnd>;
  private settle: (end: SessionEnd) => void = () => undefined;
  private isOver = false;
  private running: Promise<void> = Promise.resolve();
  private watchdog: NodeJS.Timeout | undefined;
  private joins = 0;
  private isRebalancing = false;

  public constructor(
    private readonly options: SessionOptions,
    private readonly listener: SessionListener,
  ) {
    this.pulse = new ConsumerPulse(options.clock);
    this.over = new Promise((resolve) => {
      this.settle = resolve;
    });
    this.consumer = options.kafka.consumer({
      groupId: options.group,
      sessionTimeout: SESSION_TIMEOUT_MS,
      heartbeatInterval: HEARTBEAT_MS,
      rebalanceTimeout: REBALANCE_TIMEOUT_MS,
      maxWaitTimeInMs: MAX_WAIT_MS,
      allowAutoTopicCreation: false,
      retry: { initialRetryTime: 100, maxRetryTime: 1_000, retries: 8, restartOnFailure: () => Promise.resolve(false) },
    });
    this.listen();
  }

  public get hasJoined(): boolean {
    return this.joins > 0 && !this.isOver;
  }

  public get wasMember(): boolean {
    return this.joins > 0;
  }

  public get quietMs(): number {
    return this.pulse.quietMs;
  }

  public run(): Promise<SessionEnd> {
    this.running = this.consume().catch((error: unknown) => this.end(endOf(error)));
    this.watchdog = setInterval(() => {
      const detail = this.pulse.silence(this.options.silentAfterMs);
      if (detail !== null) this.end({ kind: this.pulse.isBrokers ? 'away' : 'silent', detail });
    }, LOOK_EVERY_MS);
    return this.over;
  }

  /** Only the first end counts. It takes and resolves nothing afterwards. */
  public end(end: SessionEnd): void {
    if (this.isOver) return;
    this.isOver = true;
    clearInterval(this.watchdog);
    this.settle(end);
  }

  /** Returns within 5 s; the disconnect may go on. */
  public async close(): Promise<void> {
    this.end({ kind: 'stopped' });
    const closed = this.running
      .then(() => this.consumer.disconnect())
      .catch((error: unknown) => this.options.log.debug({ err: error }, 'consumer did not close'));
    // Waits for the clock only.
    const abort = new AbortController();
    await Promise.race([closed, new WakeSignal().wait(CLOSE_WITHIN_MS, abort.signal)]);
    abort.abort();
  }

  /** Offsets of the next message to handle. Rejects if not taken. */
  public async commit(offsets: readonly { topic: string; partition: number; offset: string }[]): Promise<void> {
    if (!this.hasJoined) throw new Error('The consumer is no member of its group');
    await this.consumer.commitOffsets([...offsets]);
  }

  public pause(topic: string, partitions: readonly number[]): void {
    this.tell(() => this.consumer.pause([{ topic, partitions: [...partitions] }]));
  }

  public resume(topic: string, partitions: readonly number[]): void {
    this.tell(() => this.consumer.resume([{ topic, partitions: [...partitions] }]));
  }

  /** kafkajs throws after a crash that it has not reported yet. */
  private tell(what: () => void): void {
    if (this.isOver) return;
    try {
      what();
    } catch (error) {
      this.end(endOf(error));
    }
  }

  private async consume(): Promise<void> {
    await this.consumer.connect();
    // Without a valid offset, start at the earliest: no event may be skipped.
    await this.consumer.subscribe({ topics: [...this.options.topics], fromBeginning: true });
    await this.consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      eachBatch: (payload) => this.eachBatch(payload),
    });
  }

  private listen(): void {
    const { consumer, pulse } = this;
    const { HEARTBEAT, FETCH_START, FETCH, START_BATCH_PROCESS, GROUP_JOIN, REBALANCING, REQUEST_TIMEOUT, CRASH } =
      consumer.events;
    consumer.on(HEARTBEAT, () => pulse.heard());
    consumer.on(REQUEST_TIMEOUT, () => pulse.timedOut());
    consumer.on(FETCH_START, ({ payload }) => pulse.fetched(payload.nodeId));
    consumer.on(FETCH, ({ payload }) => pulse.fetched(payload.nodeId));
    consumer.on(START_BATCH_PROCESS, ({ payload: { topic, partition, batchSize, lastOffset } }) => {
      if (batchSize === 0) this.tell(() => this.listener.skipped(topic, partition, BigInt(lastOffset) + 1n));
    });
    consumer.on(REBALANCING, () => {
      this.isRebalancing = true;
      this.tell(() => this.listener.rebalancing());
    });
    consumer.on(GROUP_JOIN, ({ payload }) => this.joined(payload.memberAssignment));
    consumer.on(CRASH, ({ payload }) => this.end(endOf(payload.error)));
  }

  private joined(assignment: Readonly<Record<string, readonly number[]>>): void {
    if (this.isOver) return;
    this.pulse.heard();
    this.pulse.forgetFetches();
    // Only the first join and one after REBALANCING interrupt no fetch.
    if (this.joins > 0 && !this.isRebalancing) return this.end({ kind: 'rejoined' });
    this.joins += 1;
    this.isRebalancing = false;
    this.tell(() => {
      // kafkajs keeps partitions paused through a rebalance.
      this.consumer.resume(this.consumer.paused());
      this.listener.joined(assignment);
    });
  }

  private async eachBatch(payload: EachBatchPayload): Promise<void> {
    const { batch } = payload;
    // #1593: it still consumes after the stop.
    if (this.isOver) return void this.consumer.disconnect().catch(() => undefined);
    const last = batch.messages.at(-1);
    if (last === undefined || !payload.isRunning() || payload.isStale()) return;
    try {
      const { topic, partition, messages } = batch;
      const end = BigInt(batch.lastOffset()) + 1n;
      // kafkajs' last offset of a batch ignores records that are no messages.
      if (this.listener.fetched({ topic, partition, from: BigInt(fetchedOffsetOf(batch)), messages, end }))
        payload.resolveOffset(last.offset);
    } catch (error) {
      // After a throw kafkajs would try five more times and crash.
      this.end(endOf(error));
    }
  }
}

/** Missing in kafkajs' types. */
function fetchedOffsetOf(batch: Batch): string {
  const { fetchedOffset } = batch as Batch & { readonly fetchedOffset?: unknown };
  if (typeof fetchedOffset !== 'string')
    throw new Error('A batch of kafkajs has no fetchedOffset: this is not the version that was read');
  return fetchedOffset;
}
