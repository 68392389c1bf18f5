import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ManualClock } from '@vuka/runtime';
import type { Kafka } from 'kafkajs';

import type { DeadLetters } from '../../dead-letters/dead-letters.js';
import { noDeadLetters } from '../../dead-letters/dead-letters.spec-support.js';
import { catalogue, event, listening, numberOf } from '../../event-bus.spec-support.js';
import { messageOf } from '../kafka-message.spec-support.js';
import { KafkaGroup } from './kafka-group.js';

const EVENTS = {
  HEARTBEAT: 'consumer.heartbeat',
  FETCH_START: 'consumer.fetch_start',
  FETCH: 'consumer.fetch',
  START_BATCH_PROCESS: 'consumer.start_batch_process',
  GROUP_JOIN: 'consumer.group_join',
  REBALANCING: 'consumer.rebalancing',
  REQUEST_TIMEOUT: 'consumer.network.request_timeout',
  CRASH: 'consumer.crash',
} as const;

/** Controlled by the test. */
class FakeConsumer {
  public readonly events = EVENTS;
  public readonly committed: { partition: number; offset: string }[] = [];
  public readonly resolved: string[] = [];
  public disconnects = 0;
  public joinsByItself = true;
  public connecting: () => Promise<void> = () => Promise.resolve();
  private readonly listeners = new Map<string, (event: { payload: unknown }) => void>();
  private eachBatch: (payload: unknown) => Promise<void> = () => Promise.resolve();
  private readonly pausedPartitions = new Set<number>();

  public on(name: string, listener: (event: { payload: unknown }) => void): void {
    this.listeners.set(name, listener);
  }

  public say(name: keyof typeof EVENTS, payload: unknown = {}): void {
    this.listeners.get(EVENTS[name])?.({ payload });
  }

  public join(partitions: readonly number[] = [0]): void {
    this.say('GROUP_JOIN', { memberAssignment: { 'p.things': partitions } });
  }

  public async batch(from: number, ...numbers: number[]): Promise<void> {
    const messages = numbers
      .map((n, at) => ({ ...messageOf(event(`k${n}`, n)), timestamp: '0', offset: String(from + at) }))
      .map(asRead);
    const batch = {
      topic: 'p.things',
      partition: 0,
      fetchedOffset: String(from),
      messages,
      lastOffset: () => String(from + numbers.length - 1),
    };
    await this.eachBatch({
      batch,
      resolveOffset: (offset: string) => this.resolved.push(offset),
      isRunning: () => true,
      isStale: () => false,
    });
    // Dead letters are looked up by then.
    await jest.advanceTimersByTimeAsync(0);
  }

  public connect(): Promise<void> {
    return this.connecting();
  }

  public async subscribe(): Promise<void> {}

  public async run(config: { eachBatch: (payload: unknown) => Promise<void> }): Promise<void> {
    this.eachBatch = config.eachBatch;
    if (this.joinsByItself) this.join();
  }

  public async disconnect(): Promise<void> {
    this.disconnects += 1;
  }

  public async commitOffsets(offsets: { partition: number; offset: string }[]): Promise<void> {
    this.committed.push(...offsets);
  }

  public pause([{ partitions }]: [{ partitions: number[] }]): void {
    for (const partition of partitions) this.pausedPartitions.add(partition);
  }

  public resume(all: { partitions: number[] }[]): void {
    for (const { partitions } of all) for (const partition of partitions) this.pausedPartitions.delete(partition);
  }

  public paused(): { topic: string; partitions: number[] }[] {
    return [{ topic: 'p.things', partitions: [...this.pausedPartitions] }];
  }
}

function asRead<M extends { key?: unknown; value: unknown; headers?: object }>(message: M): object {
  return {
    ...message,
    key: Buffer.from(String(message.key)),
    value: Buffer.from(String(message.value)),
    headers: message.headers,
  };
}

describe('a group and its consumers', () => {
  let consumers: FakeConsumer[];
  let next: (consumer: FakeConsumer) => void;
  let group: KafkaGroup;
  let handled: number[];
  let handle: () => Promise<void>;
  let fatal: jest.Mock<(error: Error) => void>;
  let clock: ManualClock;
  let deadLetters: DeadLetters;
  const { log, said } = listening();

  beforeEach(() => {
    jest.useFakeTimers();
    consumers = [];
    handled = [];
    handle = () => Promise.resolve();
    next = () => undefined;
    fatal = jest.fn<(error: Error) => void>();
    clock = new ManualClock(new Date('2026-11-21T10:00:00.000Z'));
    said.length = 0;
    const kafka = (): Kafka =>
      ({
        consumer: () => {
          const consumer = new FakeConsumer();
          next(consumer);
          consumers.push(consumer);
          return consumer;
        },
      }) as unknown as Kafka;
    deadLetters = noDeadLetters();
    const subscription = {
      group: 'taker',
      topics: ['things'],
      deadLetters,
      handle: async (envelope: Parameters<typeof numberOf>[0]) => (
        await handle(),
        void handled.push(numberOf(envelope))
      ),
    };
    group = new KafkaGroup(subscription, {
      kafka,
      prefix: 'p.',
      log,
      clock,
      catalogue,
      monotonic: clock,
      onFatal: fatal,
      handlerTimeoutMs: 60_000,
      silentAfterMs: 45_000,
      retry: { tries: 3, firstDelayMs: 1, maxDelayMs: 4 },
    });
    group.start();
  });
  afterEach(async () => {
    const stopped = group.stop();
    await jest.advanceTimersByTimeAsync(20_000);
    await stopped;
    jest.useRealTimers();
  });

  const last = (): FakeConsumer => consumers.at(-1)!;
  /** For timers and clock. */
  async function pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 500) {
      clock.advance(Math.min(500, ms - passed));
      await jest.advanceTimersByTimeAsync(Math.min(500, ms - passed));
    }
  }

  it('commits the end of the unbroken run of what is done, and resolves all it took', async () => {
    await pass(1);
    const gates: (() => void)[] = [];
    handle = () => new Promise((resolve) => void gates.push(resolve));
    await last().batch(10, 1, 2, 3);
    expect(last().resolved).toEqual(['12']);
    gates[1]!();
    gates[2]!();
    await pass(500);
    expect(last().committed).toEqual([]);
    gates[0]!();
    await pass(500);
    expect(last().committed).toEqual([{ topic: 'p.things', partition: 0, offset: '13' }]);
  });

  it('restarts a consumer after a crash, whatever kafkajs does', async () => {
    await pass(1);
    last().say('CRASH', { error: new TypeError("Cannot read properties of null (reading 'brokers')"), restart: false });
    expect(group.ready()).toContain('group taker');
    await pass(1_000);
    expect(consumers).toHaveLength(2);
    expect(consumers[0]!.disconnects).toBeGreaterThan(0);
    last().say('HEARTBEAT');
    expect(group.ready()).toBe(true);
    expect(said.filter(({ facts }) => facts['code'] === 'consumer_crashed')).toHaveLength(1);
    expect(fatal).not.toHaveBeenCalled();
  });

  it('gives up once after five faults within five minutes, and never for slower ones', async () => {
    const crash = async (afterMs: number): Promise<void> => {
      await pass(afterMs);
      last().say('HEARTBEAT');
      last().say('CRASH', { error: new Error('a fault'), restart: false });
      await pass(1_000);
      last().say('HEARTBEAT');
    };
    for (let n = 0; n < 8; n += 1) {
      for (let beat = 0; beat < 3; beat += 1) {
        await pass(30_000);
        last().say('HEARTBEAT');
      }
      await crash(0);
    }
    expect(fatal).not.toHaveBeenCalled();
    for (let n = 0; n < 6; n += 1) await crash(1_000);
    expect(fatal).toHaveBeenCalledTimes(1);
    expect(fatal.mock.calls[0]![0].message).toContain('a fault');
  });

  it('waits for brokers that are away for as long as it takes, which is no fault, and says so once', async () => {
    await pass(1);
    next = (consumer) => {
      consumer.connecting = () =>
        Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { name: 'KafkaJSConnectionError' }));
    };
    last().say('CRASH', {
      error: Object.assign(new Error('no'), {
        name: 'KafkaJSNumberOfRetriesExceeded',
        cause: Object.assign(new Error('no'), { name: 'KafkaJSRequestTimeoutError' }),
      }),
      restart: true,
    });
    await pass(3_600_000);
    expect(consumers.length).toBeGreaterThan(500);
    expect(group.ready()).toContain('Kafka is away: KafkaJSConnectionError');
    expect(fatal).not.toHaveBeenCalled();
    expect(said.filter(({ text }) => text === 'events wait for Kafka')).toHaveLength(1);
    next = () => undefined;
    await pass(6_000);
    expect(group.ready()).toBe(true);
  });

  it('notices a silent consumer: first not ready, then restarted', async () => {
    await pass(1);
    last().say('HEARTBEAT');
    await pass(9_000);
    expect(group.ready()).toBe(true);
    await pass(2_000);
    expect(group.ready()).toBe('group taker: Kafka has not answered for 11 s');
    expect(consumers).toHaveLength(1);
    await pass(36_000);
    expect(consumers).toHaveLength(2);
    expect(consumers[0]!.disconnects).toBe(1);
  });

  it('takes silence for an outage where brokers were asked and did not answer', async () => {
    await pass(1);
    for (let n = 0; n < 8; n += 1) {
      last().say('REQUEST_TIMEOUT');
      await pass(46_000);
    }
    expect(consumers.length).toBeGreaterThan(6);
    expect(fatal).not.toHaveBeenCalled();
    last().say('HEARTBEAT');
    await pass(46_000);
    expect(said.filter(({ facts }) => facts['code'] === 'consumer_crashed')).toHaveLength(1);
  });

  it('notices a broker whose fetches hang while the coordinator answers', async () => {
    await pass(1);
    last().say('FETCH_START', { nodeId: 2 });
    for (let n = 0; n < 50; n += 1) {
      await pass(1_000);
      if (consumers.length === 1) {
        last().say('HEARTBEAT');
        last().say('FETCH', { nodeId: 1 });
      }
    }
    expect(consumers).toHaveLength(2);
    expect(said).toContainEqual(
      expect.objectContaining({
        facts: expect.objectContaining({ detail: expect.stringContaining('fetched from broker 2') }),
      }),
    );
  });

  it('takes no batch of before after a join in the middle of reading, and starts anew from what is committed', async () => {
    await pass(1);
    const gates: (() => void)[] = [];
    handle = () => new Promise((resolve) => void gates.push(resolve));
    await last().batch(10, 1, 2);
    const before = last();
    // Without REBALANCING: a fetch found a moved leader while others ran.
    before.join();
    await before.batch(12, 3);
    expect(before.resolved).toEqual(['11']);
    for (const open of gates) open();
    await pass(1_000);
    expect(before.committed).toEqual([]);
    expect(consumers).toHaveLength(2);
    handle = () => Promise.resolve();
    await last().batch(10, 1, 2, 3);
    await pass(500);
    expect(last().committed).toEqual([{ topic: 'p.things', partition: 0, offset: '13' }]);
    expect(fatal).not.toHaveBeenCalled();
  });

  it('drops its buffers at a rebalance: what they did is not committed, tries to come are cancelled', async () => {
    await pass(1);
    const gates: (() => void)[] = [];
    handle = () => new Promise((resolve) => void gates.push(resolve));
    await last().batch(0, 1, 2);
    last().say('REBALANCING');
    last().join([1]);
    for (const open of gates) open();
    await pass(5_000);
    expect(handled).toEqual([1, 2]);
    expect(last().committed).toEqual([]);
    expect(consumers).toHaveLength(1);
  });

  it('starts anew where a partition does not go on where it was', async () => {
    await pass(1);
    await last().batch(10, 1, 2);
    const before = last();
    await before.batch(50, 3);
    expect(before.resolved).toEqual(['11']);
    await pass(1_000);
    expect(consumers).toHaveLength(2);
  });

  it('hands over nothing before it is known what has a dead letter, beats on meanwhile, and passes that over', async () => {
    await pass(1);
    const [anyOpen, openAmong] = [jest.spyOn(deadLetters, 'anyOpen'), jest.spyOn(deadLetters, 'openAmong')];
    anyOpen.mockRejectedValueOnce(Object.assign(new Error('away'), { code: 'ECONNREFUSED' })).mockResolvedValue(true);
    openAmong.mockImplementation((_, ids) => Promise.resolve(ids.slice(0, 2)));
    await last().batch(10, 1, 2, 3);
    expect([last().resolved, handled]).toEqual([['12'], []]);
    await pass(1_000);
    expect([handled, last().committed]).toEqual([[3], [{ topic: 'p.things', partition: 0, offset: '13' }]]);
    expect(anyOpen).toHaveBeenCalledTimes(2);
    expect(said.filter(({ facts }) => facts['code'] === 'dead_letter')).toHaveLength(2);
  });

  it('asks after dead letters anew at each join, for others had its partitions, and never while there are none', async () => {
    await pass(1);
    const [anyOpen, openAmong] = [jest.spyOn(deadLetters, 'anyOpen'), jest.spyOn(deadLetters, 'openAmong')];
    for (let n = 1; n <= 5; n += 1) await last().batch(9 + n, n);
    expect([handled, anyOpen.mock.calls.length, openAmong.mock.calls.length]).toEqual([[1, 2, 3, 4, 5], 1, 0]);
    anyOpen.mockResolvedValue(true);
    openAmong.mockImplementation((_, ids) => Promise.resolve([...ids]));
    last().say('REBALANCING');
    last().join([0]);
    await last().batch(12, 2, 3, 4, 5);
    expect(handled).toEqual([1, 2, 3, 4, 5]);
    await pass(500);
    expect(last().committed.at(-1)).toEqual({ topic: 'p.things', partition: 0, offset: '16' });
  });

  it('goes on past what held no message', async () => {
    await pass(1);
    await last().batch(10, 1);
    last().say('START_BATCH_PROCESS', { topic: 'p.things', partition: 0, batchSize: 0, lastOffset: '14' });
    await last().batch(15, 2);
    expect(last().resolved).toEqual(['10', '15']);
    expect(consumers).toHaveLength(1);
  });

  it('ends the process if no next consumer can be started', async () => {
    await pass(1);
    next = () => {
      throw new Error('no consumer can be made');
    };
    last().say('CRASH', { error: new Error('a fault'), restart: false });
    await pass(1_000);
    expect(fatal).toHaveBeenCalledTimes(1);
    expect(group.ready()).toContain('no consumer can be made');
  });

  it('stops a consumer again that consumes after it was stopped', async () => {
    await pass(1);
    const stopped = group.stop();
    await pass(1_000);
    await stopped;
    const { disconnects } = last();
    await last().batch(0, 1);
    await pass(1_000);
    expect(last().disconnects).toBe(disconnects + 1);
    expect([handled, last().resolved, last().committed]).toEqual([[], [], []]);
  });
});
