import { rm, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startLocalKafka, type LocalServer } from '@vuka/local-servers';
import type { Logger } from '@vuka/platform';
import type { Kafka, KafkaMessage } from 'kafkajs';

import { quiet } from '../postgres.spec-support.js';
import { kafkaClient } from './kafka-client.js';
import { brokerName, type KafkaConnection } from './kafka-connection.js';

/** A real broker of the tests' own, in a folder that is removed at the end. It can be paused, killed, and started again on its port. */
export class TestBroker {
  private prefixes = 0;

  private constructor(
    private readonly folder: string,
    private server: LocalServer,
  ) {}

  public static async start(): Promise<TestBroker> {
    const folder = await mkdtemp(join(tmpdir(), 'vuka-kafka-'));
    return new TestBroker(folder, await startLocalKafka({ folder: join(folder, 'kafka'), log: quiet }));
  }

  /** Each its own names, so that tests share the broker and nothing on it. */
  public freshConnection(): KafkaConnection {
    this.prefixes += 1;
    return { brokers: [`${this.server.host}:${this.server.port}`], prefix: `t${this.prefixes}.`, tls: null, sasl: null };
  }

  public pause(): void {
    process.kill(this.server.pid, 'SIGSTOP');
  }

  public goOn(): void {
    process.kill(this.server.pid, 'SIGCONT');
  }

  /** As when its machine dies; resolves when it answers again. */
  public async killAndRestart(between: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    const { port, pid } = this.server;
    process.kill(pid, 'SIGKILL');
    await this.server.ended;
    // Only its folder is left to be let go.
    await this.server.stop();
    await between();
    this.server = await startLocalKafka({ folder: join(this.folder, 'kafka'), log: quiet, port });
  }

  public async stop(): Promise<void> {
    await this.server.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Everything that is on a topic, in the order of each partition; follows it until stopped. */
export class TopicReader {
  public readonly messages: (KafkaMessage & { partition: number })[] = [];

  private constructor(private readonly consumer: ReturnType<Kafka['consumer']>) {}

  public static async of(connection: KafkaConnection, topic: string, log: Logger = quiet): Promise<TopicReader> {
    const consumer = kafkaClient(connection, 'reader', log).consumer({
      groupId: brokerName(connection, `reader-${Math.random()}`), maxWaitTimeInMs: 50, sessionTimeout: 6_000, heartbeatInterval: 500, allowAutoTopicCreation: false, retry: { retries: 100, maxRetryTime: 500 },
    });
    const reader = new TopicReader(consumer);
    await consumer.connect();
    await consumer.subscribe({ topic: brokerName(connection, topic), fromBeginning: true });
    await consumer.run({ autoCommit: false, eachMessage: async ({ partition, message }) => void reader.messages.push({ ...message, partition }) });
    return reader;
  }

  /** Sequences by key: the first time each was seen, in order of seeing. What comes again later is a duplicate and the inbox's. */
  public firstSeen(): Map<string, number[]> {
    const seen = new Map<string, number[]>();
    for (const { key, headers } of this.messages) {
      const of = seen.get(String(key)) ?? [];
      const sequence = Number(String(headers?.['sequence']));
      if (!of.includes(sequence)) of.push(sequence);
      seen.set(String(key), of);
    }
    return seen;
  }

  public get distinct(): number {
    return new Set(this.messages.map(({ headers }) => String(headers?.['event-id']))).size;
  }

  public async stop(): Promise<void> {
    await this.consumer.disconnect();
  }
}
