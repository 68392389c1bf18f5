import { type Logger, type MonotonicClock, systemClock } from '@vuka/runtime';
import { Kafka, logLevel, type KafkaConfig, type LogEntry, type SASLOptions, type logCreator } from 'kafkajs';

import type { KafkaConnection } from './kafka-connection.js';
import { repairKafkaJs } from './kafkajs-faults.js';

const CONNECTION_TIMEOUT_MS = 3_000;
const AUTHENTICATION_TIMEOUT_MS = 5_000;
/**
 * A paused broker is mostly back within 10 s; requests given up earlier are sent twice. Fetch and join have longer
 * timeouts.
 */
export const REQUEST_TIMEOUT_MS = 15_000;
const REPEAT_MS = 60_000;
const MOST_SENTENCES = 100;

/** Short: callers retry. All fields, because kafkajs differs under NODE_ENV=test. */
const RETRY = { initialRetryTime: 100, factor: 0.2, multiplier: 2, maxRetryTime: 1_000, retries: 3 } as const;

/** Other fields may contain sent or received data. */
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
 * The only way to the brokers: checked TLS, SASL, timeouts, logging, repairs. Does not connect. Throws if the
 * connection is malformed.
 */
export function kafkaClient(connection: KafkaConnection, clientId: string, log: Logger): Kafka {
  repairKafkaJs();
  return new Kafka(clientOptions(connection, clientId, log));
}

export function clientOptions({ brokers, tls, sasl }: KafkaConnection, clientId: string, log: Logger): KafkaConfig {
  // kafkajs cuts at the first colon and breaks IPv6 addresses.
  const malformed = brokers.find((broker) => !/^[^\s:]+:\d{1,5}$/.test(broker));
  if (brokers.length === 0 || malformed !== undefined)
    throw new Error(`a Kafka broker is host:port, host a name or an IPv4 address, not ${malformed ?? 'none'}`);
  if ((tls?.cert === undefined) !== (tls?.key === undefined))
    throw new Error('a certificate for Kafka needs its key, and the key its certificate');
  return {
    brokers: [...brokers],
    clientId,
    // Never without certificate and name check.
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
 * One level lower: kafkajs mostly retries, and callers report the result. Debug lines hold sent data and are dropped,
 * whatever KAFKAJS_LOG_LEVEL says.
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
