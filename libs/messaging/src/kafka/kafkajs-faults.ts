import { createRequire } from 'node:module';
import type { Socket } from 'node:net';

import type { ProducerConfig } from 'kafkajs';

/**
 * kafkajs 2.2.4 is no longer maintained. Known faults are repaired here, by issue number. Other code refuses to
 * start.
 */
const VERSION = '2.2.4';
/** kafkajs' own value. */
const LOOK_AGAIN_MS = 10;
/** A tenth of the request timeout, at most this. */
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
  /** Added here. */
  onRequestTimeout?: () => void;
}

interface Connection {
  readonly requestQueue: RequestQueue;
  readonly socket?: Socket;
  readonly broker: string;
  connect: (this: Connection) => Promise<unknown>;
}

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

export interface KafkaJsInside {
  readonly version: unknown;
  readonly RequestQueue: { readonly prototype: RequestQueue };
  readonly Connection: { readonly prototype: Connection };
  readonly ConsumerGroup: { readonly prototype: ConsumerGroup };
  readonly Encoder: EncoderClass;
}

/**
 * #1798, #1303: kafkajs keeps acknowledgements over the retries of one send(). A partition that moved to a broker
 * that already answered is never sent, but the send succeeds: lost events. So kafkajs tries once and we retry the
 * whole. #598: idempotent producers break when sends overlap; consumers drop duplicates.
 */
export const PRODUCER_FAULTS = { retry: { retries: 0 }, idempotent: false } as const satisfies ProducerConfig;

let isRepaired = false;

/** Throws if kafkajs is another version. */
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
 * #1751, #1704, #1755, #1768: without throttling the delay is negative, and each idle connection checks every ms (2.5
 * % of a core).
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

/** Unnumbered: kafkajs checks ten times a second for timeouts of many seconds. */
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

/** Unnumbered: each empty partition of a fetch cost a heartbeat. An empty fetch sends its own. */
function handOutWhatCame(group: ConsumerGroup): void {
  const { fetch } = group;
  group.fetch = async function (nodeId) {
    const batches = await fetch.call(this, nodeId);
    return batches.filter((batch) => !batch.isEmpty() || batch.isEmptyDueToFiltering());
  };
}

/**
 * After a timeout kafkajs keeps the connection: retries wait on a dead socket until TCP gives up, about 15 minutes.
 * Kafka's own clients close it.
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
      // After the request's rejection, which has the reason.
      setImmediate(() => socket?.destroy(new Error(`${this.broker} did not answer in time`)));
    };
    return connected;
  };
}

/**
 * kafkajs writes time differences, nearly always 0, by BigInt: a third of the sending cost. Small numbers have the
 * same bytes in 32 bits.
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
