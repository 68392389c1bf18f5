import { isOutage, type LockSession } from '@vuka/persistence';
import {
  answerWithin,
  type Clock,
  type Logger,
  runLoop,
  type RunningLoop,
  systemClock,
  WakeSignal,
} from '@vuka/runtime';
import type { Kafka } from 'kafkajs';

import { describeError } from '../../delivery/delivery.js';
import { Outage } from '../../delivery/outage.js';
import { EVENT_CATALOGUE, type EventCatalogue } from '../../envelope.js';
import { BacklogWatch } from '../../outbox/outbox-backlog.js';
import { KAFKA_GROUP, ProducerLog, READ_BATCH, relayCursorsName, type LogRow } from '../../outbox/producer-log.js';
import type { Producer } from '../../event-bus.js';
import { kafkaClient } from '../kafka-client.js';
import { clusterIdOf } from '../kafka-cluster.js';
import type { KafkaConnection } from '../kafka-connection.js';
import { KafkaTrouble, refusalOf } from '../kafka-trouble.js';
import { BatchSender, senderClient, type MakeClient } from './batch-sender.js';
import { OutboxFeed } from './outbox-feed.js';

export interface KafkaRelayOptions {
  readonly connection: KafkaConnection;
  readonly clientId: string;
  readonly log: Logger;
  readonly clock: Clock;
  readonly catalogue?: EventCatalogue;
  /** Default 10 s. */
  readonly stalledAfterMs?: number;
  /** How often the cluster id is checked; default 60 s. */
  readonly clusterLookMs?: number;
  readonly metrics?: RelayMetrics;
  readonly makeClient?: MakeClient;
}

export interface RelayMetrics {
  /** Counts resent events again. */
  published(events: number): void;
  /** Age in ms of the oldest unpublished event, 0 if none. By the holder every 5 s. */
  outboxAge(ms: number): void;
  isHolder(yes: boolean): void;
}

const NOBODY_COUNTS: RelayMetrics = {
  published: () => undefined,
  outboxAge: () => undefined,
  isHolder: () => undefined,
};
const LOCK = 'kafka-relay';
const HELD_BACK_AFTER_MS = 10_000;
const CLUSTER_LOOK_MS = 60_000;
const CLUSTER_ASK_AGAIN_MS = 500;
const STAND_BY_MS = 1_000;
/** After an error that is no outage, like a wrong cursor: it lasts until somebody acts. */
const FAILED_PAUSE_MS = 5_000;
/** To batch small commits. */
const READ_PACE_MS = 5;
/** Limits the delay of a lost notification or of rows held back by the oldest transaction. */
const SAFETY_POLL_MS = 1_000;
/** All commits of the server wait for a NOTIFY. */
const NOTIFY_EVERY_MS = 20;
const SIGNAL_WAIT_MS = 60_000;
const STOP_WITHIN_MS = 5_000;
const NOT_READY_AFTER_MS = 30_000;

/**
 * Publishes one service's outbox to Kafka: at least once, in order per key. One process holds a database lock; others
 * take over within 2 s of its death or 15 s of silence. Cursors use the lock's own connection, so a holder that lost
 * the lock cannot go on. Its last batch may arrive late, but only as duplicates.
 *
 * Cursors belong to one cluster id and prefix; elsewhere the whole outbox is published. Nothing is published before
 * the id is known.
 */
export class KafkaRelay {
  private readonly stopping = new AbortController();
  private readonly wake = new WakeSignal();
  private readonly pause = new WakeSignal();
  private readonly sender: BatchSender;
  private readonly trouble: KafkaTrouble;
  private readonly outage: Outage;
  private readonly counts: RelayMetrics;
  private readonly channel: string;
  private session: LockSession | null = null;
  private idleMs = READ_PACE_MS;
  private failure: string | null = null;
  private reachedAt = 0;
  private running: Promise<unknown> | null = null;

  public constructor(
    private readonly producer: Producer,
    private readonly options: KafkaRelayOptions,
  ) {
    const {
      connection,
      clientId,
      log,
      metrics = NOBODY_COUNTS,
      makeClient = senderClient(connection, clientId, log),
    } = options;
    this.trouble = new KafkaTrouble(log, producer.service);
    this.sender = new BatchSender(makeClient, connection, this.trouble, log);
    this.outage = new Outage(log, KAFKA_GROUP, "the producer's database");
    this.counts = metrics;
    this.channel = `${producer.service}_outbox`;
  }

  /** Waits for nothing. */
  public async start(): Promise<void> {
    if (this.running !== null) throw new Error(`The relay of ${this.producer.service} was started twice`);
    this.reachedAt = systemClock.monotonicMs();
    this.counts.isHolder(false);
    this.running = Promise.all([this.takeTurns(), this.passOnSignals()]);
  }

  /** Within 5 s. Batches not noted as sent are sent again. */
  public async stop(): Promise<void> {
    this.stopping.abort();
    await answerWithin(STOP_WITHIN_MS, this.running ?? Promise.resolve(), undefined);
    await this.session?.close();
    await this.sender.close();
  }

  /**
   * true, or why not. A Kafka outage does not count: payments are accepted, and events wait in the outbox under
   * alarms (`kafka_away`, `outbox_stalled`).
   */
  public ready(): true | string {
    if (this.running === null) return 'the relay has not started';
    const awayMs = systemClock.monotonicMs() - this.reachedAt;
    return awayMs < NOT_READY_AFTER_MS
      ? true
      : `the relay has not reached its database for ${Math.floor(awayMs / 1_000)} s`;
  }

  private async takeTurns(): Promise<void> {
    const stopped = this.stopping.signal;
    while (!stopped.aborted) {
      let pauseMs = STAND_BY_MS;
      try {
        this.session = await this.producer.db.lockSession(LOCK);
        this.reached();
        if (this.session !== null) await this.hold(this.session);
      } catch (error) {
        if (isOutage(error)) this.outage.began(describeError(error));
        else {
          this.failed(describeError(error));
          pauseMs = FAILED_PAUSE_MS;
        }
      } finally {
        await this.session?.close();
        this.session = null;
      }
      await this.pause.wait(pauseMs, stopped);
    }
  }

  /** Throws on a database failure. */
  private async hold(session: LockSession): Promise<void> {
    const lost = new AbortController();
    void session.lost.then(() => lost.abort());
    const moved = new AbortController();
    const ended = AbortSignal.any([this.stopping.signal, lost.signal, moved.signal]);
    const { log, catalogue = EVENT_CATALOGUE } = this.options;
    const topics = Object.entries(catalogue.topics).flatMap(([name, { owner }]) =>
      owner === this.producer.service ? [name] : [],
    );
    const watches: RunningLoop[] = [];
    await session.listen(this.channel, () => this.notify());
    const clusterId = await this.clusterId(session, ended);
    if (clusterId === null) return;
    const cursors = relayCursorsName(clusterId, this.options.connection.prefix);
    const feed = await OutboxFeed.open(session, cursors, topics, log);
    try {
      this.failure = null;
      this.counts.isHolder(true);
      log.info({ group: KAFKA_GROUP, cursors }, 'this process publishes the outbox to Kafka');
      watches.push(this.watchBacklog(session, feed), this.watchCluster(clusterId, moved, ended));
      this.notify();
      await this.publish(feed, ended);
    } finally {
      this.counts.isHolder(false);
      log.info({ group: KAFKA_GROUP, lost: lost.signal.aborted }, 'this process no longer publishes the outbox');
      await Promise.all(watches.map((watch) => watch.stop()));
      // The next holder reports it; the metric's maximum counts.
      this.counts.outboxAge(0);
    }
  }

  /** null: ended first. Throws on a database failure. */
  private async clusterId(session: LockSession, ended: AbortSignal): Promise<string | null> {
    // Old connections may lead to another cluster.
    await this.sender.close();
    const pause = new WakeSignal();
    for (let isAway = false; !ended.aborted; isAway = true) {
      try {
        const id = await clusterIdOf(this.client(), ended);
        if (isAway) this.trouble.ended();
        return id;
      } catch (error) {
        if (!ended.aborted) this.trouble.began(refusalOf(error));
      }
      await session.query('select 1');
      this.reached();
      await pause.wait(CLUSTER_ASK_AGAIN_MS, ended);
    }
    return null;
  }

  private client(): Kafka {
    const { connection, clientId, log } = this.options;
    return kafkaClient(connection, `${clientId}.cluster`, log);
  }

  /** Reads the next batch and notes the last while it sends. Batches not noted are sent again after a crash. */
  private async publish(feed: OutboxFeed, ended: AbortSignal): Promise<void> {
    let noted: Promise<void> = Promise.resolve();
    let rows = await this.next(feed);
    while (!ended.aborted) {
      if (rows.length === 0) {
        await this.wake.wait(this.idleMs, ended);
        this.idleMs = Math.min(2 * this.idleMs, SAFETY_POLL_MS);
        rows = await this.next(feed);
        continue;
      }
      const sentAt = systemClock.monotonicMs();
      const ahead = rows.length < READ_BATCH ? null : heard(this.next(feed));
      // An acknowledged batch counts, even at the end.
      if (!(await this.sender.send(rows, ended))) break;
      this.counts.published(rows.length);
      this.idleMs = READ_PACE_MS;
      await noted;
      noted = heard(feed.markPublished(rows));
      const earlyMs = READ_PACE_MS - (systemClock.monotonicMs() - sentAt);
      if (ahead === null && earlyMs > 0) await this.pause.wait(earlyMs, ended);
      rows = await (ahead ?? this.next(feed));
    }
    await noted;
  }

  private async next(feed: OutboxFeed): Promise<LogRow[]> {
    const rows = await feed.read();
    this.reached();
    return rows;
  }

  private notify(): void {
    this.idleMs = READ_PACE_MS;
    this.wake.notify();
  }

  /** Locally or by NOTIFY. */
  private async passOnSignals(): Promise<void> {
    const stopped = this.stopping.signal;
    while (!stopped.aborted) {
      await this.producer.signal.wait(SIGNAL_WAIT_MS, stopped);
      if (stopped.aborted) return;
      if (this.session !== null) {
        this.notify();
        continue;
      }
      // If lost, the holder still reads within SAFETY_POLL_MS.
      await this.producer.db
        .query('select pg_notify($1, $2)', [this.channel, ''], { name: 'outbox-notify' })
        .catch(() => undefined);
      await new WakeSignal().wait(NOTIFY_EVERY_MS, stopped);
    }
  }

  private watchBacklog(session: LockSession, feed: OutboxFeed): RunningLoop {
    const { log, clock, stalledAfterMs = HELD_BACK_AFTER_MS } = this.options;
    const watch = new BacklogWatch(new ProducerLog(session), KAFKA_GROUP, { log, clock, stalledAfterMs });
    let looks = 0;
    const tick = async (): Promise<boolean> => {
      looks += 1;
      // Old events are normal at the start. The reads report outages.
      if (looks > 1)
        await watch.look(feed.published).then(
          (ageMs) => this.looked(ageMs),
          () => undefined,
        );
      return false;
    };
    return runLoop({ name: 'outbox-backlog kafka', tick, signal: new WakeSignal(), idleMs: stalledAfterMs / 2, log });
  }

  /** While Kafka blocks, nothing is read; so this shows that the database answers. */
  private looked(ageMs: number): void {
    this.reached();
    this.counts.outboxAge(ageMs);
  }

  /**
   * Ends the hold if another cluster answers, so that the next uses that one's cursors. Events sent there under the
   * old cursors are sent again.
   */
  private watchCluster(clusterId: string, moved: AbortController, ended: AbortSignal): RunningLoop {
    const { log, clusterLookMs = CLUSTER_LOOK_MS } = this.options;
    let looks = 0;
    const tick = async (): Promise<boolean> => {
      looks += 1;
      // The sender reports outages.
      const found = looks === 1 ? clusterId : await clusterIdOf(this.client(), ended).catch(() => clusterId);
      if (found === clusterId) return false;
      log.warn(
        { group: KAFKA_GROUP, before: clusterId, now: found },
        'another Kafka cluster answers: the outbox is published to it from the beginning, or from its last position there',
      );
      moved.abort();
      return false;
    };
    return runLoop({ name: 'kafka-cluster', tick, signal: new WakeSignal(), idleMs: clusterLookMs, log });
  }

  private reached(): void {
    this.reachedAt = systemClock.monotonicMs();
    this.outage.ended();
  }

  /** Once per reason until success. */
  private failed(detail: string): void {
    if (this.failure !== detail)
      this.options.log.error({ code: 'relay_failed', group: KAFKA_GROUP, detail }, 'the outbox cannot be published');
    this.failure = detail;
  }
}

/** Awaited later: avoids an unhandled rejection. */
function heard<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  return work;
}
