import { rm, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { kafkaForTests, startLocalKafka, type KafkaForTests, type LocalServer } from '@vuka/local-servers';
import type { Logger } from '@vuka/runtime';
import { Kafka, type ConsumerConfig, type KafkaMessage } from 'kafkajs';

import { quiet } from '../postgres.spec-support.js';
import { clientOptions, kafkaClient } from './kafka-client.js';
import { brokerName, type KafkaConnection } from './kafka-connection.js';
import { repairKafkaJs } from './kafkajs-faults.js';

export interface SpecBroker {
  readonly kind: KafkaForTests['kind'];
  /** Own names, so tests can share the broker. */
  freshConnection(): KafkaConnection;
  stop(): Promise<void>;
}

/** Shared by all specs of a run, perhaps a mock. It must not be killed or paused. */
export async function sharedBroker(): Promise<SpecBroker> {
  const { kind, brokers, prefix, stop } = await kafkaForTests();
  let connections = 0;
  return {
    kind,
    stop,
    freshConnection: () => ({ brokers, prefix: `${prefix}${(connections += 1)}.`, tls: null, sasl: null }),
  };
}

/** Production: 10 s. */
export const SESSION_MS = 3_000;
/** On the mock an empty fetch waits its full time. */
const CONSUMER_IN_TESTS: Readonly<Record<KafkaForTests['kind'], Partial<ConsumerConfig>>> = {
  real: { sessionTimeout: SESSION_MS, heartbeatInterval: 300 },
  mock: { sessionTimeout: SESSION_MS, heartbeatInterval: 300, maxWaitTimeInMs: 20 },
};

/** The production client with shorter waits for consumers. */
export function inTests(kind: KafkaForTests['kind'], client: Kafka): Kafka {
  const make = client.consumer.bind(client);
  client.consumer = (config) => make({ ...(config ?? { groupId: '' }), ...CONSUMER_IN_TESTS[kind] });
  return client;
}

export const IMPATIENT_MS = 4_000;

/** As production, but with a shorter request timeout than 15 s. */
export function impatientClient(connection: KafkaConnection, log: Logger = quiet): Kafka {
  repairKafkaJs();
  return new Kafka({ ...clientOptions(connection, 'spec', log), requestTimeout: IMPATIENT_MS });
}

/** A real broker in a temporary folder; can be paused, killed and restarted on its port. */
export class TestBroker implements SpecBroker {
  public readonly kind = 'real';
  private prefixes = 0;

  private constructor(
    private readonly folder: string,
    private server: LocalServer,
  ) {}

  public static async start(): Promise<TestBroker> {
    const folder = await mkdtemp(join(tmpdir(), 'vuka-kafka-'));
    return new TestBroker(folder, await startLocalKafka({ folder: join(folder, 'kafka'), log: quiet }));
  }

  public freshConnection(): KafkaConnection {
    this.prefixes += 1;
    return {
      brokers: [`${this.server.host}:${this.server.port}`],
      prefix: `t${this.prefixes}.`,
      tls: null,
      sasl: null,
    };
  }

  public pause(): void {
    process.kill(this.server.pid, 'SIGSTOP');
  }

  public goOn(): void {
    process.kill(this.server.pid, 'SIGCONT');
  }

  /** Resolves when it answers again. */
  public async killAndRestart(between: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    const { port, pid } = this.server;
    process.kill(pid, 'SIGKILL');
    await this.server.ended;
    await this.server.stop();
    await between();
    this.server = await startLocalKafka({ folder: join(this.folder, 'kafka'), log: quiet, port });
  }

  public async stop(): Promise<void> {
    await this.server.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** All messages of a topic, in order per partition, until stopped. */
export class TopicReader {
  public readonly messages: (KafkaMessage & { partition: number })[] = [];
  /** Kept, because it is read every few ms. */
  private readonly ids = new Set<string>();

  private constructor(private readonly consumer: ReturnType<Kafka['consumer']>) {}

  public static async of(
    { kind }: Pick<SpecBroker, 'kind'>,
    connection: KafkaConnection,
    topic: string,
    log: Logger = quiet,
  ): Promise<TopicReader> {
    const consumer = inTests(kind, kafkaClient(connection, 'reader', log)).consumer({
      groupId: brokerName(connection, `reader-${Math.random()}`),
      maxWaitTimeInMs: 50,
      allowAutoTopicCreation: false,
      retry: { retries: 100, maxRetryTime: 500 },
    });
    const reader = new TopicReader(consumer);
    await consumer.connect();
    await consumer.subscribe({ topic: brokerName(connection, topic), fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachMessage: async ({ partition, message }) => reader.keep({ ...message, partition }),
    });
    return reader;
  }

  /** Sequences by key, without later duplicates. */
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
    return this.ids.size;
  }

  public async stop(): Promise<void> {
    await this.consumer.disconnect();
  }

  private keep(message: KafkaMessage & { partition: number }): void {
    this.messages.push(message);
    this.ids.add(String(message.headers?.['event-id']));
  }
}
