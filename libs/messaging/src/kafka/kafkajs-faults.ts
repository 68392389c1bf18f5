import { createRequire } from 'node:module';
import type { Socket } from 'node:net';

import type { ProducerConfig } from 'kafkajs';

/**
 * Known faults of kafkajs 2.2.4, which nobody maintains any more, each by the name it has there. What can only be repaired inside
 * is repaired here, before the first client is made; whatever differs from what was read refuses to start, loudly.
 */
const VERSION = '2.2.4';
/** kafkajs' own: how soon a queue that has requests, and is not throttled, is looked at again. */
const LOOK_AGAIN_MS = 10;
/** How often a connection looks for requests that are over their bound: a tenth of that, and at least so often. */
const LOOK_FOR_LATE_MS = 1_000;

interface RequestQueue {
  throttledUntil: number;
  throttleCheckTimeoutId: NodeJS.Timeout | null;
  readonly pending: readonly unknown[];
  checkPendingRequests: (this: RequestQueue) => void;
  scheduleCheckPendingRequests: (this: RequestQueue) => void;
  createSocketRequest: (this: RequestQueue, pushed: unknown) => { timeoutHandler: () => void };
  readonly enforceRequestTimeout: boolean;
  readonly requestTimeout: number;
  readonly inflight: ReadonlyMap<
    number,
    { readonly sentAt: number; readonly requestTimeout: number; timeoutRequest(): void }
  >;
  requestTimeoutIntervalId: NodeJS.Timeout | null;
  scheduleRequestTimeoutCheck: (this: RequestQueue) => void;
  isConnected(): boolean;
  destroy(): void;
  /** Ours. */
  onRequestTimeout?: () => void;
}

interface Connection {
  readonly requestQueue: RequestQueue;
  readonly socket?: Socket;
  readonly broker: string;
  connect: (this: Connection) => Promise<unknown>;
}

/** A partition's part of what a fetch brought. */
interface FetchedBatch {
  isEmpty(): boolean;
  isEmptyDueToFiltering(): boolean;
}

interface ConsumerGroup {
  fetch: (this: ConsumerGroup, nodeId: unknown) => Promise<readonly FetchedBatch[]>;
}

interface Encoder {
  writeVarInt: (this: Encoder, value: number) => Encoder;
  writeVarLong: (this: Encoder, value: unknown) => Encoder;
}

interface EncoderClass {
  readonly prototype: Encoder;
  readonly sizeOfVarInt: (value: number) => number;
  sizeOfVarLong: (value: unknown) => number;
}

/** What of kafkajs is repaired: its classes, so that a spec can give others. */
export interface KafkaJsInside {
  readonly version: unknown;
  readonly RequestQueue: { readonly prototype: RequestQueue };
  readonly Connection: { readonly prototype: Connection };
  readonly ConsumerGroup: { readonly prototype: ConsumerGroup };
  readonly Encoder: EncoderClass;
}

/**
 * #1798, #1303: the answers of brokers that took their part are kept over the retries of one send(); a partition that moved to such
 * a broker meanwhile is then never sent, and the send succeeds: events lost. So a send of ours is tried once inside, and as a
 * whole again by us. #598: no idempotent producer, its sequence breaks when sends overlap; consumers drop duplicates.
 */
export const PRODUCER_FAULTS = { retry: { retries: 0 }, idempotent: false } as const satisfies ProducerConfig;

let isRepaired = false;

/** Once per process. Throws where kafkajs is not the one that was read. */
export function repairKafkaJs(): void {
  if (isRepaired) return;
  repair(insideOfKafkaJs());
  isRepaired = true;
}

export function insideOfKafkaJs(): KafkaJsInside {
  const require = createRequire(import.meta.url);
  const { version } = require('kafkajs/package.json') as { version: unknown };
  return {
    version,
    RequestQueue: require('kafkajs/src/network/requestQueue') as KafkaJsInside['RequestQueue'],
    Connection: require('kafkajs/src/network/connection') as KafkaJsInside['Connection'],
    ConsumerGroup: require('kafkajs/src/consumer/consumerGroup') as KafkaJsInside['ConsumerGroup'],
    Encoder: require('kafkajs/src/protocol/encoder') as KafkaJsInside['Encoder'],
  };
}

/** Exported for its spec. */
export function repair({ version, RequestQueue, Connection, ConsumerGroup, Encoder }: KafkaJsInside): void {
  const { scheduleCheckPendingRequests, createSocketRequest, scheduleRequestTimeoutCheck } = RequestQueue.prototype;
  const { connect } = Connection.prototype;
  const asRead =
    version === VERSION &&
    has(scheduleCheckPendingRequests, [
      'this.throttledUntil - Date.now()',
      'this.throttleCheckTimeoutId = setTimeout',
      'this.checkPendingRequests()',
    ]) &&
    has(createSocketRequest, ['new SocketRequest', 'this.inflight.delete(correlationId)']) &&
    has(scheduleRequestTimeoutCheck, [
      'this.enforceRequestTimeout',
      'request.sentAt > request.requestTimeout',
      'Math.min(this.requestTimeout, 100)',
    ]) &&
    has(ConsumerGroup.prototype.fetch, [
      'sleep(this.maxWaitTime)',
      'new Batch(topicName, fetchedOffset, partitionData)',
    ]) &&
    has(connect, ['this.socket = createSocket', 'this.rejectRequests(error)', 'onError']) &&
    has(Encoder.prototype.writeVarLong, ['Encoder.encodeZigZag64(value)', 'Buffer.from(byteArray)']) &&
    has(Encoder.sizeOfVarLong, ['encodeZigZag64(value)']);
  if (!asRead)
    throw new Error(
      `kafkajs ${String(version)} is not the ${VERSION} whose faults are known here: read kafkajs-faults.ts and look at each`,
    );
  RequestQueue.prototype.scheduleCheckPendingRequests = checkWhenThereIsSomething;
  RequestQueue.prototype.scheduleRequestTimeoutCheck = lookForLateRequests;
  handOutWhatCame(ConsumerGroup.prototype);
  closeWhatDoesNotAnswer(RequestQueue.prototype, Connection.prototype);
  encodeSmallNumbersPlainly(Encoder);
}

function has(method: unknown, passages: readonly string[]): boolean {
  const text = typeof method === 'function' ? Function.prototype.toString.call(method) : '';
  return passages.every((passage) => text.includes(passage));
}

/**
 * #1751, #1704, #1755, #1768: `throttledUntil` is -1 where no broker throttles, the delay negative, and the check arms itself
 * again each millisecond: 2.5 % of a core for each connection that does nothing. Without a throttle and without a request
 * that waits there is nothing to check; where one waits, it is as it was.
 */
function checkWhenThereIsSomething(this: RequestQueue): void {
  if (this.throttleCheckTimeoutId !== null) return;
  const throttledMs = this.throttledUntil - Date.now();
  if (throttledMs <= 0 && this.pending.length === 0) return;
  this.throttleCheckTimeoutId = setTimeout(
    () => {
      this.throttleCheckTimeoutId = null;
      this.checkPendingRequests();
    },
    throttledMs > 0 ? throttledMs : LOOK_AGAIN_MS,
  );
}

/** Unnumbered: each connection looked ten times a second whether a request was over its bound, which is many seconds. */
function lookForLateRequests(this: RequestQueue): void {
  if (!this.enforceRequestTimeout) return;
  this.destroy();
  const look = (): void => {
    for (const request of this.inflight.values())
      if (Date.now() - request.sentAt > request.requestTimeout) request.timeoutRequest();
    if (!this.isConnected()) this.destroy();
  };
  this.requestTimeoutIntervalId = setInterval(look, Math.min(this.requestTimeout / 10, LOOK_FOR_LATE_MS));
}

/**
 * Unnumbered: a fetch answers for every partition that was asked for, with nothing for most of them, and each nothing went the way of a
 * batch, through the workers and a heartbeat: thirty of them for one message, and five times a second for none. A fetch that brought nothing at
 * all beats by itself.
 */
function handOutWhatCame(group: ConsumerGroup): void {
  const { fetch } = group;
  group.fetch = async function (nodeId) {
    const batches = await fetch.call(this, nodeId);
    return batches.filter((batch) => !batch.isEmpty() || batch.isEmptyDueToFiltering());
  };
}

/**
 * A request that timed out leaves its connection as it is: over a link that lets nothing through, each try waits for the same
 * dead socket until TCP gives up, a quarter of an hour; and an answer that comes late belongs to nobody. Kafka's own clients
 * close the connection then, and so does this.
 */
function closeWhatDoesNotAnswer(queue: RequestQueue, connection: Connection): void {
  const { createSocketRequest } = queue;
  queue.createSocketRequest = function (pushed) {
    const request = createSocketRequest.call(this, pushed);
    const { timeoutHandler } = request;
    request.timeoutHandler = () => {
      timeoutHandler();
      this.onRequestTimeout?.();
    };
    return request;
  };
  const { connect } = connection;
  connection.connect = function () {
    const connected = connect.call(this);
    const { socket } = this;
    this.requestQueue.onRequestTimeout = () => {
      // After the request's own rejection, which tells what happened.
      setImmediate(() => socket?.destroy(new Error(`${this.broker} did not answer in time`)));
    };
    return connected;
  };
}

/**
 * Each message's time is written twice as a difference to its batch's, nearly always 0, through 64-bit arithmetic made of BigInts: a
 * third of all that sending costs. Such numbers have the same bytes as 32-bit ones.
 */
function encodeSmallNumbersPlainly(Encoder: EncoderClass): void {
  const { writeVarLong } = Encoder.prototype;
  const sizeOfVarLong = Encoder.sizeOfVarLong.bind(Encoder);
  const isSmall = (value: unknown): value is number =>
    typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 30;
  Encoder.prototype.writeVarLong = function (value) {
    return isSmall(value) ? this.writeVarInt(value) : writeVarLong.call(this, value);
  };
  Encoder.sizeOfVarLong = (value) => (isSmall(value) ? Encoder.sizeOfVarInt(value) : sizeOfVarLong(value));
}
