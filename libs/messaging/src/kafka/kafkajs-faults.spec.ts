import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { EventEmitter } from 'node:events';

import { insideOfKafkaJs, repair, repairKafkaJs, type KafkaJsInside } from './kafkajs-faults.js';

const inside = insideOfKafkaJs();
const copyOf = <P extends object>(original: { readonly prototype: P }): { prototype: P } => ({
  prototype: Object.create(
    Object.getPrototypeOf(original.prototype) as object,
    Object.getOwnPropertyDescriptors(original.prototype),
  ) as P,
});
/** As installed, so that nothing is repaired twice. */
const { prototype, sizeOfVarInt, sizeOfVarLong } = inside.Encoder;
const encoder = { ...copyOf({ prototype }), sizeOfVarInt, sizeOfVarLong };
const fresh = (): KafkaJsInside => ({
  ...inside,
  RequestQueue: copyOf(inside.RequestQueue),
  Connection: copyOf(inside.Connection),
  ConsumerGroup: copyOf(inside.ConsumerGroup),
  Encoder: { ...copyOf(encoder), sizeOfVarInt, sizeOfVarLong },
});

describe('the kafkajs that is installed', () => {
  it('is the one whose faults are repaired here', () => {
    expect(inside.version).toBe('2.2.4');
    expect(() => repair(fresh())).not.toThrow();
  });

  it('is refused when it is another: what was read of it may not hold', () => {
    const other = (): void => undefined;
    const of = (over: Partial<KafkaJsInside>): KafkaJsInside => ({ ...fresh(), ...over });
    const queueWith = (methods: object): KafkaJsInside['RequestQueue'] => ({
      prototype: Object.assign(copyOf(inside.RequestQueue).prototype, methods),
    });
    const connectionWith = (methods: object): KafkaJsInside['Connection'] => ({
      prototype: Object.assign(copyOf(inside.Connection).prototype, methods),
    });
    for (const changed of [
      of({ version: '2.2.5' }),
      of({ version: undefined }),
      of({ RequestQueue: queueWith({ scheduleCheckPendingRequests: other }) }),
      of({ RequestQueue: queueWith({ scheduleCheckPendingRequests: undefined }) }),
      of({ RequestQueue: queueWith({ createSocketRequest: other }) }),
      of({ RequestQueue: queueWith({ scheduleRequestTimeoutCheck: other }) }),
      of({
        ConsumerGroup: {
          prototype: Object.assign(copyOf(inside.ConsumerGroup).prototype, { fetch: () => Promise.resolve([]) }),
        },
      }),
      of({ Connection: connectionWith({ connect: other }) }),
      of({ Encoder: { ...fresh().Encoder, sizeOfVarLong: () => 1 } }),
    ]) {
      expect(() => repair(changed)).toThrow(/whose faults are known here/);
    }
  });

  const batch = (isEmpty: boolean, isEmptyDueToFiltering: boolean) => ({
    isEmpty: () => isEmpty,
    isEmptyDueToFiltering: () => isEmptyDueToFiltering,
  });

  it('when repaired, hands out of a fetch the partitions of which something came, be it records that are no messages, and no others', async () => {
    const [nothing, messages, controlRecords] = [batch(true, false), batch(false, false), batch(true, true)];
    const fetch = (_nodeId: unknown): Promise<ReturnType<typeof batch>[]> => {
      // Passages by which the known version is recognised.
      void ['sleep(this.maxWaitTime)', 'new Batch(topicName, fetchedOffset, partitionData)'];
      return Promise.resolve([nothing, messages, nothing, controlRecords]);
    };
    const changed = { ...fresh(), ConsumerGroup: { prototype: { fetch } } };
    repair(changed);
    expect(await changed.ConsumerGroup.prototype.fetch(0)).toEqual([messages, controlRecords]);
  });

  it('is repaired once, however often somebody asks', () => {
    repairKafkaJs();
    const repaired = inside.RequestQueue.prototype.scheduleCheckPendingRequests;
    repairKafkaJs();
    expect(inside.RequestQueue.prototype.scheduleCheckPendingRequests).toBe(repaired);
  });
});

describe('a number in a message', () => {
  interface Written {
    writeVarLong(value: unknown): { readonly buffer: Buffer };
  }
  const asRead = encoder.prototype.writeVarLong as unknown as Written['writeVarLong'];

  it.each([0, 1, 63, 64, 8_191, 8_192, 2 ** 27, 2 ** 30 - 1, 2 ** 30, 2 ** 31, 2 ** 40, -1, -64, -65])(
    '%d has the bytes that it had before',
    (value) => {
      const make = (): Written => new (inside.Encoder as unknown as new () => Written)();
      const before = asRead.call(make(), value).buffer;
      const sizeBefore = sizeOfVarLong.call(inside.Encoder, value);
      repairKafkaJs();
      expect(make().writeVarLong(value).buffer).toEqual(before);
      expect([inside.Encoder.sizeOfVarLong(value), before.length]).toEqual([sizeBefore, sizeBefore]);
    },
  );
});

describe('a queue of requests', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  interface Queue {
    throttledUntil: number;
    pending: unknown[];
    checkPendingRequests(): void;
    scheduleCheckPendingRequests(): void;
    scheduleRequestTimeoutCheck(): void;
    push(pushed: object): void;
    inflight: Map<number, unknown>;
    destroy(): void;
  }
  const queue = (over: object = {}): Queue => {
    repairKafkaJs();
    const logger = { debug: () => undefined, warn: () => undefined };
    const options = {
      maxInFlightRequests: null,
      requestTimeout: 1_000,
      enforceRequestTimeout: true,
      clientId: 'c',
      broker: 'b:1',
      logger,
      ...over,
    };
    return new (inside.RequestQueue as unknown as new (options: object) => Queue)(options);
  };

  it('with nothing to do arms no timer (#1751)', () => {
    const idle = queue();
    idle.checkPendingRequests();
    idle.scheduleCheckPendingRequests();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('that a broker throttles is looked at when that is over', () => {
    const throttled = queue();
    throttled.throttledUntil = Date.now() + 500;
    throttled.scheduleCheckPendingRequests();
    expect(jest.getTimerCount()).toBe(1);
    jest.advanceTimersByTime(499);
    expect(jest.getTimerCount()).toBe(1);
    jest.advanceTimersByTime(2);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('sends what waited for a throttle or for room', () => {
    const full = queue({ maxInFlightRequests: 1 });
    const sent: number[] = [];
    const request = (correlationId: number): object => ({
      entry: { correlationId, apiName: 'Produce', resolve: () => undefined, reject: () => undefined },
      expectResponse: true,
      sendRequest: () => void sent.push(correlationId),
    });
    full.push(request(1));
    full.push(request(2));
    expect(sent).toEqual([1]);
    // There is room without an answer; the waiting request must be sent.
    full.inflight.clear();
    jest.advanceTimersByTime(10);
    expect(sent).toEqual([1, 2]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('looks for late requests once a second where they have many', () => {
    const idle = queue({ requestTimeout: 15_000, isConnected: () => true });
    idle.scheduleRequestTimeoutCheck();
    const timeoutRequest = jest.fn();
    idle.inflight.set(1, { sentAt: Date.now(), requestTimeout: 15_000, timeoutRequest });
    jest.advanceTimersByTime(15_000);
    expect(timeoutRequest).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1_000);
    expect(timeoutRequest).toHaveBeenCalledTimes(1);
    idle.destroy();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('whose request was not answered in time has its connection closed, and the request is told first', async () => {
    repairKafkaJs();
    const heard: string[] = [];
    const socket = Object.assign(new EventEmitter(), {
      destroy: (error: Error) => heard.push(error.message),
      end: () => undefined,
      unref: () => undefined,
    });
    const log = { debug: () => undefined, warn: () => undefined, error: () => undefined };
    interface Opened {
      connect(): Promise<unknown>;
      requestQueue: Queue;
    }
    const opened = new (inside.Connection as unknown as new (options: object) => Opened)({
      host: 'b',
      port: 1,
      connectionTimeout: 1_000,
      requestTimeout: 1_000,
      logger: { ...log, namespace: () => log },
      socketFactory: ({ onConnect }: { onConnect: () => void }) => {
        void Promise.resolve().then(onConnect);
        return socket;
      },
    });
    await opened.connect();
    opened.requestQueue.push({
      entry: {
        correlationId: 1,
        apiName: 'Produce',
        apiKey: 0,
        apiVersion: 7,
        resolve: () => undefined,
        reject: (error: Error) => heard.push(error.name),
      },
      expectResponse: true,
      sendRequest: () => undefined,
    });
    jest.advanceTimersByTime(900);
    expect(heard).toEqual([]);
    jest.advanceTimersByTime(300);
    opened.requestQueue.destroy();
    expect(heard).toEqual(['KafkaJSRequestTimeoutError', 'b:1 did not answer in time']);
  });
});
