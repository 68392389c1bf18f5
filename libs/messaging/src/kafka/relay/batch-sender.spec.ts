import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '@vuka/runtime';
import type { ProducerBatch } from 'kafkajs';

import { listening } from '../../event-bus.spec-support.js';
import { KafkaTrouble, refusalOf } from '../kafka-trouble.js';
import { BatchSender, type Outgoing, type SendingClient } from './batch-sender.js';

const row = (
  key: string,
  sequence: number,
  text: string | null = '{"type":"thing.made","causationId":"00-trace"}',
): Outgoing => ({
  topic: 'things',
  key,
  sequence,
  eventId: `${key}-${sequence}`,
  bytes: text?.length ?? 40_000,
  text,
});
const coded = (type: string, retriable: boolean): Error => Object.assign(new Error(type), { type, retriable });
type Answer = Error | 'all' | 'one partition fewer' | (() => void);

/** Brokers give these answers, then success; four partitions per topic. */
function fixture(...answers: Answer[]): {
  sender: BatchSender;
  sent: string[][];
  raw: ProducerBatch[];
  made: () => number;
  said: ReturnType<typeof listening>['said'];
  clock: ManualClock;
} {
  const sent: string[][] = [];
  const raw: ProducerBatch[] = [];
  let made = 0;
  const clock = new ManualClock(new Date());
  const { log, said } = listening();
  const makeClient = (
    partitioner: ConstructorParameters<typeof BatchSender>[0] extends (given: infer P) => unknown ? P : never,
  ): SendingClient => {
    made += 1;
    const choose = partitioner();
    return {
      connect: () => Promise.resolve(),
      disconnect: () => Promise.resolve(),
      sendBatch: async (batch) => {
        raw.push(batch);
        const messages = (batch.topicMessages ?? []).flatMap(({ topic, messages }) =>
          messages.map((message) => ({ topic, message })),
        );
        const partitionMetadata = [0, 1, 2, 3].map((partitionId) => ({
          partitionId,
          leader: 1,
          partitionErrorCode: 0,
          replicas: [],
          isr: [],
        }));
        const partitions = [
          ...new Set(messages.map(({ topic, message }) => choose({ topic, partitionMetadata, message }))),
        ];
        sent.push(messages.map(({ message }) => String(message.headers?.['event-id'])));
        const answer = answers.shift() ?? 'all';
        if (answer instanceof Error) throw answer;
        if (typeof answer === 'function') answer();
        return partitions
          .slice(answer === 'one partition fewer' ? 1 : 0)
          .map((partition) => ({ topicName: 'p.things', partition, errorCode: 0 }));
      },
    };
  };
  const sender = new BatchSender(makeClient, { prefix: 'p.' }, new KafkaTrouble(log, 'maker', clock), log);
  return { sender, sent, raw, made: () => made, said, clock };
}
const never = new AbortController().signal;
const batch = [row('a', 1), row('a', 2), row('b', 1)];
const ids = ['a-1', 'a-2', 'b-1'];

describe('a batch', () => {
  it('is sent with all replicas to acknowledge, keys, and headers', async () => {
    const { sender, raw } = fixture();
    expect(await sender.send([row('a', 1)], never)).toBe(true);
    expect(raw[0]).toMatchObject({ acks: -1, timeout: 10_000 });
    expect(raw[0]?.topicMessages).toEqual([
      {
        topic: 'p.things',
        messages: [
          {
            key: 'a',
            value: row('a', 1).text,
            headers: { 'event-id': 'a-1', sequence: '1', type: 'thing.made', traceparent: '00-trace' },
          },
        ],
      },
    ]);
  });

  it('of which a part failed is sent again as a whole, so that nothing of a key goes ahead', async () => {
    const { sender, sent, made } = fixture(coded('NOT_LEADER_FOR_PARTITION', true), 'all');
    expect(await sender.send(batch, never)).toBe(true);
    expect(sent).toEqual([ids, ids]);
    expect(made()).toBe(1);
  });

  it('of which a partition was not acknowledged is not done, whatever the client says', async () => {
    const { sender, sent } = fixture('one partition fewer', 'all');
    expect(await sender.send(batch, never)).toBe(true);
    expect(sent).toEqual([ids, ids]);
  });

  it('is given to a new client after three failures: the old one may never come back', async () => {
    const away = new Error('Connection timeout');
    const { sender, made } = fixture(away, away, away, 'all');
    expect(await sender.send(batch, never)).toBe(true);
    expect(made()).toBe(2);
  });

  it('is left at the end, but only after the running send has its answer', async () => {
    const ended = new AbortController();
    const { sender, sent } = fixture(() => ended.abort());
    expect(await sender.send(batch, ended.signal)).toBe(true);
    expect(await sender.send(batch, ended.signal)).toBe(false);
    expect(sent).toEqual([ids]);
  });

  it('that is refused as too large is sent in halves, in order, and the next ones are smaller from the start', async () => {
    const large = (key: string): Outgoing[] => Array.from({ length: 8 }, (_, i) => row(key, i + 1, 'x'.repeat(30_000)));
    const { sender, sent } = fixture(coded('MESSAGE_TOO_LARGE', false));
    expect(await sender.send(large('a'), never)).toBe(true);
    expect(sent.map((one) => one.length)).toEqual([8, 4, 4]);
    expect(sent.slice(1).flat()).toEqual(large('a').map(({ eventId }) => eventId));
    expect(await sender.send(large('b'), never)).toBe(true);
    expect(sent.slice(3).map((one) => one.length)).toEqual([4, 4]);
  });

  it('whose one message is too large waits, under an alarm, and goes when it is taken', async () => {
    const tooLarge = coded('MESSAGE_TOO_LARGE', false);
    const { sender, sent, said, clock } = fixture(tooLarge, tooLarge, () => clock.advance(6_000), tooLarge);
    const waiting = sender.send([row('a', 1), row('b', 1)], never);
    expect(await waiting).toBe(true);
    expect(sent).toEqual([['a-1', 'b-1'], ['a-1'], ['a-1'], ['b-1'], ['b-1']]);
    expect(said.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('with an event that is too large is published without its text: its reader keeps a dead letter, and nobody waits', async () => {
    const { sender, raw, said } = fixture();
    expect(await sender.send([row('a', 1, null), row('a', 2, 'no JSON')], never)).toBe(true);
    expect(raw[0]?.topicMessages?.[0]?.messages).toEqual([
      { key: 'a', value: null, headers: { 'event-id': 'a-1', sequence: '1' } },
      { key: 'a', value: 'no JSON', headers: { 'event-id': 'a-2', sequence: '2' } },
    ]);
    expect(said.map(({ level }) => level)).toEqual(['warn']);
  });
});

describe('trouble that keeps events from Kafka', () => {
  const wrapped = (cause: Error): Error =>
    Object.assign(new Error(cause.message, { cause }), { name: 'KafkaJSNumberOfRetriesExceeded', retriable: false });

  it.each([
    [
      'a topic nobody made',
      wrapped(coded('UNKNOWN_TOPIC_OR_PARTITION', true)),
      'kafka_refuses',
      'UNKNOWN_TOPIC_OR_PARTITION',
    ],
    ['a message too large', wrapped(coded('MESSAGE_TOO_LARGE', false)), 'kafka_refuses', 'MESSAGE_TOO_LARGE'],
    [
      'a right we lack',
      wrapped(coded('TOPIC_AUTHORIZATION_FAILED', false)),
      'kafka_refuses',
      'TOPIC_AUTHORIZATION_FAILED',
    ],
    [
      'a wrong password',
      wrapped(Object.assign(new Error('no'), { name: 'KafkaJSSASLAuthenticationError', retriable: false })),
      'kafka_refuses',
      'SASL_AUTHENTICATION_FAILED',
    ],
    ['too few replicas', wrapped(coded('NOT_ENOUGH_REPLICAS', true)), 'kafka_away', 'NOT_ENOUGH_REPLICAS'],
    [
      'a connection that is gone',
      wrapped(Object.assign(new Error('gone'), { name: 'KafkaJSConnectionError', retriable: true })),
      'kafka_away',
      'KafkaJSNumberOfRetriesExceeded',
    ],
    ['anything', 'text', 'kafka_away', 'unknown'],
  ])('%s', (_label, error, code, reason) => {
    expect(refusalOf(error)).toMatchObject({ code, reason });
  });

  it('is logged once when it lasts, and once when it is over', () => {
    const clock = new ManualClock(new Date());
    const { log, said } = listening();
    const trouble = new KafkaTrouble(log, 'maker', clock);
    const away = { code: 'kafka_away', reason: 'x', detail: 'd' } as const;
    trouble.began(away);
    clock.advance(4_999);
    trouble.began(away);
    trouble.ended();
    expect(said).toEqual([]);
    trouble.began(away);
    clock.advance(5_000);
    trouble.began(away);
    trouble.began(away);
    trouble.began({ code: 'kafka_refuses', reason: 'y', detail: 'd' });
    trouble.ended();
    trouble.ended();
    expect(said.map(({ level, facts }) => [level, facts['code'] ?? null])).toEqual([
      ['error', 'kafka_away'],
      ['error', 'kafka_refuses'],
      ['info', null],
    ]);
  });
});
