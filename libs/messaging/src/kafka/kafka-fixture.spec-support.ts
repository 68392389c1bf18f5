import { Socket, connect } from 'node:net';

import type { Envelope } from '@vuka/contracts';
import { Kafka, Partitioners, type Admin, type Message, type Producer as KafkaProducer } from 'kafkajs';

import { quiet, until, type TestServer } from '../postgres.spec-support.js';
import { EventBusFixture, catalogue, clock } from '../event-bus.spec-support.js';
import { TAKERS, takerKnowing } from '../authors/authors.spec-support.js';
import type { Subscription } from '../delivery/subscription.js';
import { clientOptions, kafkaClient } from './kafka-client.js';
import { brokerName, type KafkaConnection } from './kafka-connection.js';
import { KafkaGroup, type KafkaGroupOptions } from './consumer/kafka-group.js';
import { messageOf } from './kafka-message.spec-support.js';
import { inTests, type SpecBroker } from './kafka.spec-support.js';

/** A link between member and broker that can be cut. */
export class Cable {
  private readonly sockets = new Set<Socket>();
  private isCut = false;

  public client({ kind, connection }: Pick<KafkaFixture, 'kind' | 'connection'>): Kafka {
    return inTests(
      kind,
      new Kafka({
        ...clientOptions(connection, 'spec', quiet),
        socketFactory: ({ host, port, onConnect }) => {
          const socket = this.isCut ? new Socket() : connect({ host, port }, onConnect);
          this.sockets.add(socket);
          if (this.isCut) setImmediate(() => socket.destroy(new Error('cut')));
          return socket;
        },
      }),
    );
  }

  public cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.destroy(new Error('cut'));
    this.sockets.clear();
  }

  public repair(): void {
    this.isCut = false;
  }
}

/** An own topic, a consumer's database, and group members. */
export class KafkaFixture {
  private readonly members: KafkaGroup[] = [];

  private constructor(
    public readonly kind: SpecBroker['kind'],
    public readonly connection: KafkaConnection,
    public readonly databases: EventBusFixture,
    private producer: KafkaProducer,
    public admin: Admin,
    private readonly partitions: number,
  ) {}

  public static async fresh(broker: SpecBroker, server: TestServer, partitions = 4): Promise<KafkaFixture> {
    const connection = broker.freshConnection();
    const { producer, admin } = await tools(connection);
    await makeTopic(broker.kind, admin, brokerName(connection, 'things'), partitions);
    return new KafkaFixture(broker.kind, connection, await EventBusFixture.fresh(server), producer, admin, partitions);
  }

  /** After a broker outage. */
  public async reconnect(): Promise<void> {
    await Promise.allSettled([this.producer.disconnect(), this.admin.disconnect()]);
    ({ producer: this.producer, admin: this.admin } = await tools(this.connection));
  }

  /** With prefix. */
  public get topic(): string {
    return brokerName(this.connection, 'things');
  }

  /** In the given order. */
  public async tell(...envelopes: Envelope[]): Promise<void> {
    await this.tellRaw(...envelopes.map((envelope) => messageOf(envelope)));
  }

  public async tellRaw(...messages: Message[]): Promise<void> {
    // The mock has more partitions.
    const placed = this.partitions === 1 ? messages.map((message) => ({ ...message, partition: 0 })) : messages;
    await this.producer.send({ topic: this.topic, acks: -1, messages: placed });
  }

  /** A running member, as in another process. */
  public member(over: Partial<Subscription> = {}, options: Partial<KafkaGroupOptions> = {}): KafkaGroup {
    const subscription = {
      group: 'taker',
      topics: ['things'],
      deadLetters: this.databases.deadLetters,
      handle: this.databases.keepEffect('taker'),
      authors: takerKnowing(TAKERS),
      ...over,
    };
    const { connection } = this;
    const member = new KafkaGroup(subscription, {
      log: quiet,
      clock,
      catalogue,
      handlerTimeoutMs: 30_000,
      retry: { tries: 3, firstDelayMs: 1, maxDelayMs: 4 },
      prefix: connection.prefix,
      kafka: () => this.client(options.log),
      onFatal: (error) => {
        throw error;
      },
      ...options,
    });
    this.members.push(member);
    member.start();
    return member;
  }

  /** With one partition. */
  public makeTopic(name: string): Promise<void> {
    return makeTopic(this.kind, this.admin, brokerName(this.connection, name), 1);
  }

  public client(log = quiet): Kafka {
    return inTests(this.kind, kafkaClient(this.connection, 'spec', log));
  }

  /** Sum of the group's offsets over all partitions. */
  public async committed(group = 'taker'): Promise<number> {
    const [own] = await this.admin.fetchOffsets({ groupId: brokerName(this.connection, group), topics: [this.topic] });
    return own!.partitions.reduce((sum, { offset }) => sum + Math.max(0, Number(offset)), 0);
  }

  /** Uncommitted messages; duplicates of the producer count. */
  public async behind(group = 'taker'): Promise<number> {
    const ends = await this.admin.fetchTopicOffsets(this.topic);
    return ends.reduce((sum, { high }) => sum + Number(high), 0) - (await this.committed(group));
  }

  public async stop(): Promise<void> {
    await Promise.all(this.members.splice(0).map((member) => member.stop()));
    await this.producer.disconnect();
    await this.admin.disconnect();
  }
}

/**
 * The mock creates topics by name, with 4 partitions. kafkajs' wait for leaders fails if the broker does not know the
 * new topic yet.
 */
async function makeTopic(kind: SpecBroker['kind'], admin: Admin, topic: string, numPartitions: number): Promise<void> {
  if (kind === 'real')
    await admin.createTopics({ waitForLeaders: false, topics: [{ topic, numPartitions, replicationFactor: 1 }] });
  const isLed = async (): Promise<boolean> =>
    (await admin.fetchTopicMetadata({ topics: [topic] })).topics.every(
      ({ partitions }) => partitions.length > 0 && partitions.every(({ leader }) => leader >= 0),
    );
  await until(() => isLed().catch(() => false));
}

async function tools(connection: KafkaConnection): Promise<{ producer: KafkaProducer; admin: Admin }> {
  const client = kafkaClient(connection, 'spec', quiet);
  const producer = client.producer({
    createPartitioner: Partitioners.DefaultPartitioner,
    allowAutoTopicCreation: false,
    retry: { retries: 20 },
  });
  const admin = client.admin();
  await Promise.all([producer.connect(), admin.connect()]);
  return { producer, admin };
}
