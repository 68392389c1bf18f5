import { type Logger, type MonotonicClock, WakeSignal } from '@vuka/runtime';
import type { Batch, Consumer, EachBatchPayload, Kafka, KafkaMessage } from 'kafkajs';

import { endOf, type SessionEnd } from './consumer-faults.js';
import { ConsumerPulse } from './consumer-pulse.js';

/** What one fetch gave of one partition. */
export interface FetchedBatch {
  /** As on the broker. */
  readonly topic: string;
  readonly partition: number;
  /** Where the fetch began. */
  readonly from: bigint;
  readonly messages: readonly KafkaMessage[];
  /** The offset after the last of it. */
  readonly end: bigint;
}

/** What a consumer is told by its brokers. All of it at once and in order: nothing here waits. */
export interface SessionListener {
  /** A new generation: fetching goes on from the committed offsets, and what was fetched before is void. */
  joined(assignment: Readonly<Record<string, readonly number[]>>): void;
  /** The generation ends; commits are still taken for a moment. */
  rebalancing(): void;
  /** False where it was not taken: it will be fetched again. Throws where the batch is not the one that follows. */
  fetched(batch: FetchedBatch): boolean;
  /** What was fetched up to here held no message: marks of transactions, or what was cleared away. */
  skipped(topic: string, partition: number, end: bigint): void;
}

export interface SessionOptions {
  readonly kafka: Kafka;
  /** As on the broker. */
  readonly group: string;
  /** As on the broker. */
  readonly topics: readonly string[];
  readonly log: Logger;
  readonly clock: MonotonicClock;
  /** Nothing heard for so long: it is taken for dead. */
  readonly silentAfterMs: number;
}

/** A member that vanished without a word is missed after so long. The broker allows no less than 6 s. */
const SESSION_TIMEOUT_MS = 10_000;
const HEARTBEAT_MS = 1_000;
/** How long a rebalance waits for members: ours answer within a heartbeat, because no handler runs inside a batch. */
const REBALANCE_TIMEOUT_MS = 20_000;
/** A fetch answers as soon as there is anything; this is how long one waits that finds nothing, or has all paused. */
const MAX_WAIT_MS = 200;
const CLOSE_WITHIN_MS = 5_000;
const LOOK_EVERY_MS = 1_000;

/**
 * One kafkajs consumer, from its connection to its end. It ends once, and is never used again: whatever happens to it, the
 * group builds another. Faults of kafkajs 2.2.4 that are dealt with here, by their numbers there:
 * - #1441 (`Cannot read properties of null (reading 'brokers')`): a TypeError in the middle of a rebalance is final to kafkajs,
 *   which leaves a process that lives and consumes nothing. Every CRASH ends the session, whatever `restart` says.
 * - #1721: kafkajs' own restarts go on for ever and tell nobody. `restartOnFailure` is always false: the group restarts.
 * - #659: silence. The pulse ends the session; where requests went unanswered it is the brokers', else a fault.
 * - #1593, #1639: disconnecting while run() still joins leaves a member behind that consumes on. close() waits for run(),
 *   disconnects again when it comes late, and an ended session takes no batch.
 * - #558, and unnumbered: after a rejoin in the middle of a fetch (a leader moved) batches of before are still handed out, and
 *   resolving them moves the new generation's position past events that nobody handled. Such a join ends the session.
 * - #1719, #1645, #1720: a heartbeat that says REBALANCING stops nobody's work. No work is done inside a batch here, so a
 *   rebalance waits for no handler and no handler for a rebalance; the buffers of before are dropped when the new ones come.
 * - The map of committed offsets is shared by all consumers of one Kafka object: each session has a Kafka object of its own.
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
      // Enough that members who come one after the other, each in the middle of a join, are no fault.
      retry: { initialRetryTime: 100, maxRetryTime: 1_000, retries: 8, restartOnFailure: () => Promise.resolve(false) },
    });
    this.listen();
  }

  /** True while it is a member that hears from its coordinator. */
  public get hasJoined(): boolean {
    return this.joins > 0 && !this.isOver;
  }

  /** True when it has ever joined. */
  public get wasMember(): boolean {
    return this.joins > 0;
  }

  /** Milliseconds since the coordinator answered. */
  public get quietMs(): number {
    return this.pulse.quietMs;
  }

  /** Resolves when it has ended, for whatever reason. */
  public run(): Promise<SessionEnd> {
    this.running = this.consume().catch((error: unknown) => this.end(endOf(error)));
    this.watchdog = setInterval(() => {
      const detail = this.pulse.silence(this.options.silentAfterMs);
      if (detail !== null) this.end({ kind: this.pulse.isBrokers ? 'away' : 'silent', detail });
    }, LOOK_EVERY_MS);
    return this.over;
  }

  /** Only the first end counts. From here on it takes and resolves nothing. */
  public end(end: SessionEnd): void {
    if (this.isOver) return;
    this.isOver = true;
    clearInterval(this.watchdog);
    this.settle(end);
  }

  /** Leaves the group. Ends after 5 s, and goes on behind that. */
  public async close(): Promise<void> {
    this.end({ kind: 'stopped' });
    const closed = this.running
      .then(() => this.consumer.disconnect())
      .catch((error: unknown) => this.options.log.debug({ err: error }, 'consumer did not close'));
    // No wait for anything but the clock, which a signal of nobody's is.
    const abort = new AbortController();
    await Promise.race([closed, new WakeSignal().wait(CLOSE_WITHIN_MS, abort.signal)]);
    abort.abort();
  }

  /** Offsets are those of the next message to be handled. Rejects where the broker does not take them. */
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

  /** kafkajs throws where it has crashed and not said so yet. */
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
    // From the beginning: where a group has no offset yet, or its offset is of messages that are gone, nothing may be skipped.
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
    // The first join, and one after REBALANCING, find no fetch under way. Any other does.
    if (this.joins > 0 && !this.isRebalancing) return this.end({ kind: 'rejoined' });
    this.joins += 1;
    this.isRebalancing = false;
    this.tell(() => {
      // A paused partition stays paused through a rebalance, for whatever buffer it has then.
      this.consumer.resume(this.consumer.paused());
      this.listener.joined(assignment);
    });
  }

  private async eachBatch(payload: EachBatchPayload): Promise<void> {
    const { batch } = payload;
    // #1593: a consumer that was told to stop and consumes. It is told again.
    if (this.isOver) return void this.consumer.disconnect().catch(() => undefined);
    const last = batch.messages.at(-1);
    if (last === undefined || !payload.isRunning() || payload.isStale()) return;
    try {
      const { topic, partition, messages } = batch;
      const end = BigInt(batch.lastOffset()) + 1n;
      // kafkajs makes the batch's last offset of its last message's, past records that are no messages.
      if (this.listener.fetched({ topic, partition, from: BigInt(fetchedOffsetOf(batch)), messages, end }))
        payload.resolveOffset(last.offset);
    } catch (error) {
      // Never out of here: kafkajs would try the batch five times more and crash then.
      this.end(endOf(error));
    }
  }
}

/** kafkajs has it and does not say so. */
function fetchedOffsetOf(batch: Batch): string {
  const { fetchedOffset } = batch as Batch & { readonly fetchedOffset?: unknown };
  if (typeof fetchedOffset !== 'string')
    throw new Error('A batch of kafkajs has no fetchedOffset: this is not the version that was read');
  return fetchedOffset;
}
