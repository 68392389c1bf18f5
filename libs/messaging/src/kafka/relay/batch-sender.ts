import { answerWithin, type Logger, WakeSignal } from '@vuka/runtime';
import {
  CompressionTypes,
  Partitioners,
  type ICustomPartitioner,
  type Message,
  type Producer,
  type TopicMessages,
} from 'kafkajs';

import type { LogRow } from '../../outbox/producer-log.js';
import { EVENT_HEADERS } from '../consumer/consumer-message.js';
import { REQUEST_TIMEOUT_MS, kafkaClient } from '../kafka-client.js';
import { brokerName, type KafkaConnection } from '../kafka-connection.js';
import { isTooLarge, refusalOf, type KafkaTrouble } from '../kafka-trouble.js';
import { PRODUCER_FAULTS } from '../kafkajs-faults.js';

export type Outgoing = Pick<LogRow, 'topic' | 'key' | 'sequence' | 'eventId' | 'bytes' | 'text' | 'macs'>;
export type SendingClient = Pick<Producer, 'connect' | 'disconnect' | 'sendBatch'>;
export type MakeClient = (partitioner: ICustomPartitioner) => SendingClient;

/** W3C trace context. */
const TRACE_HEADER = 'traceparent';
/**
 * Bytes of one send. A broker takes 1 MB per partition (`message.max.bytes`); a refusal halves the limit for good.
 */
const SEND_BYTES = 4 * 1024 * 1024;
const LEAST_SEND_BYTES = 64 * 1024;
/** With the MACs of two readers. */
const FRAME_BYTES = 450;
/** Must be below our request timeout. */
const REPLICAS_TIMEOUT_MS = 10_000;
/** Beyond all waits inside kafkajs: a later send never ends (#918). */
const SEND_WITHIN_MS = 3 * REQUEST_TIMEOUT_MS;
/** Then a new client starts from the configured addresses. */
const FRESH_CLIENT_AFTER = 3;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;
const CLOSE_WITHIN_MS = 2_000;

export function senderClient(connection: KafkaConnection, clientId: string, log: Logger): MakeClient {
  return (createPartitioner) =>
    kafkaClient(connection, clientId, log).producer({
      ...PRODUCER_FAULTS,
      createPartitioner,
      allowAutoTopicCreation: false,
    });
}

/**
 * Sends one batch at a time until all replicas have it. Retries whole batches for ever, so no event overtakes another
 * of its key. A failed try may have arrived: consumers drop duplicates.
 */
export class BatchSender {
  private client: SendingClient | null = null;
  private failures = 0;
  private sendBytes = SEND_BYTES;
  /** Target partitions of this try, to find missing acknowledgements. */
  private readonly chosen = new Set<string>();

  public constructor(
    private readonly makeClient: MakeClient,
    private readonly connection: Pick<KafkaConnection, 'prefix'>,
    private readonly trouble: KafkaTrouble,
    private readonly log: Logger,
  ) {}

  /** False if `ended` fired first: then send all again, though some may have arrived. */
  public async send(rows: readonly Outgoing[], ended: AbortSignal): Promise<boolean> {
    for (let at = 0; at < rows.length;) {
      let bytes = 0;
      let end = at;
      while (end < rows.length && (end === at || bytes + sizeOf(rows[end]!) <= this.sendBytes))
        bytes += sizeOf(rows[end++]!);
      if (!(await this.sendPart(rows.slice(at, end), ended))) return false;
      at = end;
    }
    return true;
  }

  /** At most 2 s. */
  public async close(): Promise<void> {
    const { client } = this;
    this.client = null;
    if (client !== null)
      await answerWithin(
        CLOSE_WITHIN_MS,
        client.disconnect().catch(() => undefined),
        undefined,
      );
  }

  private async sendPart(rows: readonly Outgoing[], ended: AbortSignal): Promise<boolean> {
    const pause = new WakeSignal();
    const topicMessages = this.messagesOf(rows);
    for (let pauseMs = FIRST_PAUSE_MS; !ended.aborted; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        await this.sendOnce(topicMessages);
        this.failures = 0;
        this.trouble.ended();
        return true;
      } catch (error) {
        const refusal = refusalOf(error);
        if (isTooLarge(refusal) && rows.length > 1) {
          const bytes = rows.reduce((sum, row) => sum + sizeOf(row), 0);
          this.sendBytes = Math.max(LEAST_SEND_BYTES, Math.min(this.sendBytes, bytes / 2));
          const half = Math.ceil(rows.length / 2);
          return (await this.sendPart(rows.slice(0, half), ended)) && this.sendPart(rows.slice(half), ended);
        }
        this.trouble.began(refusal);
        this.failures += 1;
        if (this.failures % FRESH_CLIENT_AFTER === 0) this.dropClient();
      }
      await pause.wait(pauseMs, ended);
    }
    return false;
  }

  private async sendOnce(topicMessages: TopicMessages[]): Promise<void> {
    const late = Symbol('late');
    this.chosen.clear();
    const send = async (): Promise<readonly { topicName: string; partition: number }[]> => {
      const client = this.client ?? this.makeClient(this.partitioner);
      if (this.client === null) {
        this.client = client;
        await client.connect().catch((error: unknown) => {
          this.dropClient();
          throw error;
        });
      }
      return client.sendBatch({
        acks: -1,
        timeout: REPLICAS_TIMEOUT_MS,
        compression: CompressionTypes.None,
        topicMessages,
      });
    };
    const answers = await answerWithin(SEND_WITHIN_MS, send(), late);
    if (answers === late) {
      this.dropClient();
      throw new Error(`kafkajs has not ended a send within ${SEND_WITHIN_MS} ms`);
    }
    const answered = new Set(
      (answers as readonly { topicName: string; partition: number }[]).map(
        ({ topicName, partition }) => `${topicName} ${partition}`,
      ),
    );
    const missing = [...this.chosen].filter((place) => !answered.has(place));
    if (missing.length > 0) throw new Error(`Kafka has acknowledged nothing for ${missing.join(', ')}`);
  }

  /** By key (murmur2), as Java clients. */
  private readonly partitioner: ICustomPartitioner = () => {
    const choose = Partitioners.DefaultPartitioner();
    return (args) => {
      const partition = choose(args);
      this.chosen.add(`${args.topic} ${partition}`);
      return partition;
    };
  };

  private dropClient(): void {
    const { client } = this;
    this.client = null;
    void client?.disconnect().catch(() => undefined);
  }

  private messagesOf(rows: readonly Outgoing[]): TopicMessages[] {
    const byTopic = new Map<string, Message[]>();
    for (const row of rows) {
      const messages = byTopic.get(row.topic) ?? [];
      messages.push(messageOf(row));
      byTopic.set(row.topic, messages);
      if (row.text === null)
        this.log.warn(
          { eventId: row.eventId, topic: row.topic, bytes: row.bytes },
          'an event that is too large is published without its text',
        );
    }
    return [...byTopic].map(([topic, messages]) => ({ topic: brokerName(this.connection, topic), messages }));
  }
}

function sizeOf({ bytes, text }: Outgoing): number {
  return FRAME_BYTES + (text === null ? 0 : bytes);
}

/** No timestamp: with the event's own, retention could delete a late event unread. */
function messageOf({ key, sequence, eventId, text, macs }: Outgoing): Message {
  const { type, causationId } = outerOf(text);
  return {
    key,
    // null: too big. The reader makes it a dead letter, so it blocks nobody.
    value: text,
    headers: {
      [EVENT_HEADERS.eventId]: eventId,
      [EVENT_HEADERS.sequence]: String(sequence),
      ...(typeof macs === 'string' && { [EVENT_HEADERS.macs]: macs }),
      ...(typeof type === 'string' && { [EVENT_HEADERS.type]: type }),
      ...(typeof causationId === 'string' && { [TRACE_HEADER]: causationId }),
    },
  };
}

/** Unreadable events are published too; the reader makes them dead letters. */
function outerOf(text: string | null): { readonly type?: unknown; readonly causationId?: unknown } {
  try {
    const outer: unknown = JSON.parse(text ?? '{}');
    return typeof outer === 'object' && outer !== null ? outer : {};
  } catch {
    return {};
  }
}
