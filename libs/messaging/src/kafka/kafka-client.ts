import { type Logger, type MonotonicClock, systemClock } from '@vuka/runtime';
import { Kafka, logLevel, type KafkaConfig, type LogEntry, type SASLOptions, type logCreator } from 'kafkajs';

import type { KafkaConnection } from './kafka-connection.js';
import { repairKafkaJs } from './kafkajs-faults.js';

/** TCP and TLS; a broker that is there answers within one round trip. */
const CONNECTION_TIMEOUT_MS = 3_000;
const AUTHENTICATION_TIMEOUT_MS = 5_000;
/**
 * How long an answer may take. A broker that is paused (a slow disk, its garbage collector, a leader's election) mostly is back
 * within 10 s, and every request given up before its answer is sent twice; whoever is silent for longer is taken for dead. Requests
 * that wait on purpose (fetch, join) have longer ones of their own.
 */
export const REQUEST_TIMEOUT_MS = 15_000;
/** The same sentence of kafkajs again within this time is no news. */
const REPEAT_MS = 60_000;
const MOST_SENTENCES = 100;

/** Short: who uses the client tries again by itself, and knows for how long. Every field, for kafkajs has others under NODE_ENV=test. */
const RETRY = { initialRetryTime: 100, factor: 0.2, multiplier: 2, maxRetryTime: 1_000, retries: 3 } as const;

/** What kafkajs' lines may carry; everything else of them may be what was sent or received. */
const LOGGED_FIELDS = [
  'broker',
  'groupId',
  'memberId',
  'topic',
  'partition',
  'retryCount',
  'retryTime',
  'error',
] as const;

/**
 * The one way to the brokers: TLS with the broker's name checked, SASL, timeouts, log bridge, and the client's known faults
 * repaired. Connects to nothing yet. Throws where the connection is not well formed.
 */
export function kafkaClient(connection: KafkaConnection, clientId: string, log: Logger): Kafka {
  repairKafkaJs();
  return new Kafka(clientOptions(connection, clientId, log));
}

export function clientOptions({ brokers, tls, sasl }: KafkaConnection, clientId: string, log: Logger): KafkaConfig {
  // kafkajs cuts at the first colon: an IPv6 address would become something else.
  const malformed = brokers.find((broker) => !/^[^\s:]+:\d{1,5}$/.test(broker));
  if (brokers.length === 0 || malformed !== undefined)
    throw new Error(`a Kafka broker is host:port, host a name or an IPv4 address, not ${malformed ?? 'none'}`);
  if ((tls?.cert === undefined) !== (tls?.key === undefined))
    throw new Error('a certificate for Kafka needs its key, and the key its certificate');
  return {
    brokers: [...brokers],
    clientId,
    // Never without the check of the broker's name and certificate.
    ...(tls !== null && { ssl: { ...tls, rejectUnauthorized: true } }),
    ...(sasl !== null && { sasl: { ...sasl } as SASLOptions }),
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    authenticationTimeout: AUTHENTICATION_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    enforceRequestTimeout: true,
    retry: RETRY,
    logLevel: logLevel.INFO,
    logCreator: logBridge(log),
  };
}

/**
 * kafkajs' lines as ours, one level lower: what it calls an error it mostly tries again by itself, and what comes of it in the
 * end is said by whoever used it, with a code. Its debug lines hold what is sent; they are dropped, whatever KAFKAJS_LOG_LEVEL says.
 */
export function logBridge(log: Logger, clock: MonotonicClock = systemClock): logCreator {
  const told = new Map<string, number>();
  const isUpdate = (sentence: string): boolean => {
    const now = clock.monotonicMs();
    const last = told.get(sentence);
    if (last !== undefined && now - last < REPEAT_MS) return false;
    if (told.size >= MOST_SENTENCES) told.clear();
    told.set(sentence, now);
    return true;
  };
  return () =>
    ({ namespace, level, log: line }: LogEntry) => {
      if (level > logLevel.INFO) return;
      const facts = {
        ...Object.fromEntries(LOGGED_FIELDS.flatMap((name) => textOf(name, line[name]))),
        part: namespace,
        said: line.message,
      };
      const isWarning = level <= logLevel.WARN && isUpdate(`${namespace} ${line.message} ${String(line['broker'])}`);
      if (isWarning) log.warn(facts, 'kafka client');
      else log.debug(facts, 'kafka client');
    };
}

function textOf(name: string, value: unknown): [string, string | number][] {
  if (value instanceof Error) return [[name, value.message]];
  return typeof value === 'string' || typeof value === 'number' ? [[name, value]] : [];
}
