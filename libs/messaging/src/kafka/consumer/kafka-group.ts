import { crashPoint, type MonotonicClock, systemClock, WakeSignal } from '@vuka/runtime';
import type { Kafka } from 'kafkajs';

import { describeError } from '../../delivery/delivery.js';
import { KeyedDelivery, type KeyedDeliveryOptions } from '../../delivery/keyed-delivery.js';
import { Outage, OUTAGE_PAUSE_MS } from '../../delivery/outage.js';
import type { Subscription } from '../../delivery/subscription.js';
import { CRASH_LIMIT, CrashCount, type CrashLimit, type SessionEnd } from './consumer-faults.js';
import { PartitionBuffer } from './consumer-buffer.js';
import { rowOf, type KafkaRow } from './consumer-message.js';
import { ConsumerSession, type FetchedBatch, type SessionListener } from './consumer-session.js';

export interface KafkaGroupOptions extends KeyedDeliveryOptions {
  /** Must return a new Kafka object each time. */
  readonly kafka: () => Kafka;
  readonly prefix: string;
  /** The process must end. */
  readonly onFatal: (error: Error) => void;
  readonly crashLimit?: CrashLimit;
  /** Rebuilds a silent consumer. Must be longer than a rebalance. */
  readonly silentAfterMs?: number;
}

/** A crash redelivers what was done since the last commit. */
const COMMIT_AFTER_MS = 100;
const SILENT_AFTER_MS = 45_000;
/** Heartbeats come every second. */
const READY_WITHIN_MS = 10_000;
const FIRST_BACKOFF_MS = 250;
const LONGEST_BACKOFF_MS = 5_000;
const COMMIT_AT_STOP_WITHIN_MS = 2_000;

/**
 * One consumer group on Kafka. Handlers run beside the fetch and heartbeat loop, so a slow handler never costs the
 * membership. Commits only the end of a partition's unbroken run of done rows.
 */
export class KafkaGroup implements SessionListener {
  private readonly delivery: KeyedDelivery<KafkaRow, PartitionBuffer>;
  private readonly buffers = new Map<string, PartitionBuffer>();
  /** By topic with prefix. */
  private assignment: Readonly<Record<string, readonly number[]>> = {};
  private session: ConsumerSession | undefined;
  private loop: Promise<void> = Promise.resolve();
  private readonly stopping = new AbortController();
  private commitTimer: NodeJS.Timeout | undefined;
  private committing: Promise<void> = Promise.resolve();
  private readonly outage: Outage;
  private readonly crashes: CrashCount;
  private readonly clock: MonotonicClock;
  private whyNot = 'it has not joined its group yet';
  private isFatal = false;

  public constructor(
    public readonly subscription: Subscription,
    private readonly options: KafkaGroupOptions,
  ) {
    this.outage = new Outage(options.log, subscription.group, 'Kafka', 'kafka_away');
    this.crashes = new CrashCount(options.crashLimit ?? CRASH_LIMIT);
    this.clock = options.monotonic ?? systemClock;
    this.delivery = new KeyedDelivery(subscription, options, (buffer) => this.rowDone(buffer));
  }

  public get name(): string {
    return `${this.options.prefix}${this.subscription.group}`;
  }

  public get topics(): string[] {
    return this.subscription.topics.map((topic) => `${this.options.prefix}${topic}`);
  }

  public start(): void {
    this.loop = this.supervise().catch((error: unknown) => {
      // A dead process is better than one that consumes nothing.
      this.whyNot = `its supervision ended: ${describeError(error)}`;
      this.session?.end({ kind: 'stopped' });
      this.options.onFatal(error instanceof Error ? error : new Error('something that is not an Error was thrown'));
    });
  }

  /** Waits at most 5 s for handlers and 5 s for leaving. What is not done is redelivered. */
  public async stop(): Promise<void> {
    if (!this.stopping.signal.aborted) {
      this.stopping.abort();
      this.pauseAll();
      await this.delivery.stop();
      clearTimeout(this.commitTimer);
      const committed = this.committing.then(() => this.commit());
      await Promise.race([committed, new WakeSignal().wait(COMMIT_AT_STOP_WITHIN_MS)]);
      this.session?.end({ kind: 'stopped' });
    }
    await this.loop;
  }

  /** true, or why not. Decided by heartbeats, not open connections. */
  public ready(): true | string {
    const { session } = this;
    const { group } = this.subscription;
    if (session?.hasJoined !== true) return `group ${group}: ${this.whyNot}`;
    const { quietMs } = session;
    return quietMs < READY_WITHIN_MS
      ? true
      : `group ${group}: Kafka has not answered for ${Math.round(quietMs / 1_000)} s`;
  }

  /** Two members may say yes for a moment in a rebalance. */
  public get isFirstMember(): boolean {
    const [first] = this.topics;
    return this.session?.hasJoined === true && first !== undefined && (this.assignment[first] ?? []).includes(0);
  }

  public get inHand(): readonly PartitionBuffer[] {
    return [...this.buffers.values()];
  }

  public joined(assignment: Readonly<Record<string, readonly number[]>>): void {
    this.dropBuffers();
    // Other members had them until now.
    this.delivery.forgetDeadLetters();
    this.assignment = assignment;
    this.outage.ended();
    this.options.log.info({ group: this.subscription.group, assignment }, 'consumer group joined');
    if (this.stopping.signal.aborted) this.pauseAll();
  }

  public rebalancing(): void {
    // The ending generation may still commit; this avoids redeliveries.
    void this.commitNow();
  }

  public fetched({ topic, partition, from, messages, end }: FetchedBatch): boolean {
    if (this.stopping.signal.aborted) return false;
    const id = bufferId(topic, partition);
    let buffer = this.buffers.get(id);
    if (buffer === undefined) this.buffers.set(id, (buffer = new PartitionBuffer(topic, partition, from)));
    if (buffer.nextOffset !== from) {
      // Messages are gone or the topic was recreated: only a new session reads the committed offset.
      throw new Error(`Partition ${partition} of ${topic} goes on at ${from}, not at ${buffer.nextOffset}`);
    }
    const origin = {
      group: this.subscription.group,
      topic: topic.slice(this.options.prefix.length),
      partition,
      at: this.options.clock.now(),
      ...(this.subscription.authors && { authors: this.subscription.authors }),
    };
    buffer.take(
      messages.map((message) => rowOf(message, origin)),
      end,
    );
    this.admit(buffer);
    if (buffer.isFull && !buffer.isPaused) {
      buffer.isPaused = true;
      this.session?.pause(topic, [partition]);
    }
    return true;
  }

  public skipped(topic: string, partition: number, end: bigint): void {
    const buffer = this.buffers.get(bufferId(topic, partition));
    if (buffer !== undefined) buffer.nextOffset = end;
  }

  /** First checks for dead letters. */
  private admit(buffer: PartitionBuffer): void {
    if (this.delivery.hasNoDeadLetters) return this.enter(buffer, buffer.admit());
    if (!buffer.isAsking) void this.ask(buffer);
  }

  private async ask(buffer: PartitionBuffer): Promise<void> {
    buffer.isAsking = true;
    for (let rows = buffer.next(); rows.length > 0; rows = buffer.next()) {
      const isAnswered = await this.delivery.passOver(rows);
      if (!isAnswered) await new WakeSignal().wait(OUTAGE_PAUSE_MS, this.stopping.signal);
      if (this.stopping.signal.aborted || this.buffers.get(bufferId(buffer.topic, buffer.partition)) !== buffer) return;
      if (isAnswered) this.enter(buffer, buffer.admit(rows.length));
    }
    buffer.isAsking = false;
  }

  private enter(buffer: PartitionBuffer, rows: readonly KafkaRow[]): void {
    if (rows.length === 0) return;
    this.delivery.add(buffer, rows);
    this.resumeWithRoom(buffer);
    if (buffer.unstored !== null) this.commitSoon();
  }

  private rowDone(buffer: PartitionBuffer): void {
    this.admit(buffer);
    this.resumeWithRoom(buffer);
    this.commitSoon();
  }

  private resumeWithRoom(buffer: PartitionBuffer): void {
    if (buffer.isPaused && buffer.hasRoomAgain && !this.stopping.signal.aborted) {
      buffer.isPaused = false;
      this.session?.resume(buffer.topic, [buffer.partition]);
    }
  }

  private async supervise(): Promise<void> {
    let failures = 0;
    while (!this.stopping.signal.aborted) {
      const { log, kafka } = this.options;
      const session = new ConsumerSession(
        {
          kafka: kafka(),
          group: this.name,
          topics: this.topics,
          log,
          clock: this.clock,
          silentAfterMs: this.options.silentAfterMs ?? SILENT_AFTER_MS,
        },
        this,
      );
      this.session = session;
      const end = await session.run();
      failures = session.wasMember ? 1 : failures + 1;
      this.dropBuffers();
      this.assignment = {};
      this.judge(end);
      await session.close();
      if (end.kind === 'stopped' || end.kind === 'rejoined') continue;
      await new WakeSignal().wait(
        Math.min(FIRST_BACKOFF_MS * 2 ** Math.min(failures - 1, 10), LONGEST_BACKOFF_MS),
        this.stopping.signal,
      );
    }
  }

  private judge(end: SessionEnd): void {
    const { log } = this.options;
    const { group } = this.subscription;
    if (end.kind === 'stopped') {
      this.whyNot = 'it was stopped';
      return;
    }
    if (end.kind === 'away') {
      this.whyNot = `Kafka is away: ${end.detail}`;
      return this.outage.began(end.detail);
    }
    if (end.kind === 'rejoined') {
      this.whyNot = 'it joins its group again';
      return log.info({ group }, 'a consumer joined its group again during reading and is restarted');
    }
    const error = end.kind === 'fault' ? end.error : new Error(`The consumer fell silent: ${end.detail}`);
    const detail = describeError(error);
    const count = this.crashes.add(this.clock.monotonicMs());
    this.whyNot = `its consumer ended because of a fault: ${detail}`;
    log.error(
      { code: 'consumer_crashed', group, detail, lately: count },
      'a consumer ended because of a fault and is restarted',
    );
    if (!this.crashes.isOver(count) || this.isFatal) return;
    this.isFatal = true;
    this.options.onFatal(
      new Error(`The consumer of ${group} ended ${count} times because of a fault: ${detail}`, { cause: error }),
    );
  }

  private dropBuffers(): void {
    for (const buffer of this.buffers.values()) this.delivery.drop(buffer);
    this.buffers.clear();
  }

  private pauseAll(): void {
    for (const [topic, partitions] of Object.entries(this.assignment)) this.session?.pause(topic, partitions);
  }

  private commitSoon(): void {
    if (this.stopping.signal.aborted || this.commitTimer !== undefined) return;
    this.commitTimer = setTimeout(() => {
      void this.commitNow().finally(() => {
        this.commitTimer = undefined;
        if (this.inHand.some((buffer) => buffer.unstored !== null)) this.commitSoon();
      });
    }, COMMIT_AFTER_MS);
  }

  /** In sequence: an older commit must not overwrite a newer. */
  private async commitNow(): Promise<void> {
    this.committing = this.committing.then(() => this.commit());
    return this.committing;
  }

  /** A failed commit is retried. After a lost membership the rows are redelivered. */
  private async commit(): Promise<void> {
    const done = this.inHand.flatMap((buffer) => (buffer.unstored === null ? [] : [{ buffer, last: buffer.unstored }]));
    if (done.length === 0 || this.session === undefined) return;
    crashPoint('event-bus.before-cursor');
    try {
      await this.session.commit(
        done.map(({ buffer: { topic, partition }, last }) => ({ topic, partition, offset: String(last + 1n) })),
      );
      for (const { buffer, last } of done) if (buffer.unstored === last) buffer.unstored = null;
    } catch (error) {
      this.options.log.debug(
        { group: this.subscription.group, detail: describeError(error) },
        'offsets were not committed',
      );
    }
  }
}

function bufferId(topic: string, partition: number): string {
  return `${topic}/${partition}`;
}
