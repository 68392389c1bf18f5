export type SessionEnd =
  | { readonly kind: 'stopped' }
  /** No broker answers properly: waits for ever. */
  | { readonly kind: 'away'; readonly detail: string }
  /** It rejoined during a fetch, so its buffers cannot be trusted. */
  | { readonly kind: 'rejoined' }
  /** No sign of life, although nothing failed (#659). */
  | { readonly kind: 'silent'; readonly detail: string }
  /** Anything else. Rebuilt and counted. */
  | { readonly kind: 'fault'; readonly error: Error };

/** kafkajs 2.2.4 error names: no answer. */
const AWAY_NAMES: ReadonlySet<string> = new Set([
  'KafkaJSConnectionError',
  'KafkaJSConnectionClosedError',
  'KafkaJSRequestTimeoutError',
  'KafkaJSBrokerNotFound',
  'KafkaJSNoBrokerAvailableError',
  'KafkaJSGroupCoordinatorNotFound',
  'KafkaJSLockTimeout',
]);

/** Protocol errors: the cluster starts, elects or is partly up; or the topic is not created yet. */
const AWAY_TYPES: ReadonlySet<string> = new Set([
  'UNKNOWN_TOPIC_OR_PARTITION',
  'LEADER_NOT_AVAILABLE',
  'NOT_LEADER_FOR_PARTITION',
  'REQUEST_TIMED_OUT',
  'BROKER_NOT_AVAILABLE',
  'REPLICA_NOT_AVAILABLE',
  'NETWORK_EXCEPTION',
  'GROUP_LOAD_IN_PROGRESS',
  'GROUP_COORDINATOR_NOT_AVAILABLE',
  'NOT_COORDINATOR_FOR_GROUP',
  'NOT_CONTROLLER',
  'KAFKA_STORAGE_ERROR',
  'OFFSET_NOT_AVAILABLE',
]);

const LONGEST_CHAIN = 10;

/** kafkajs wraps errors, mostly in KafkaJSNumberOfRetriesExceeded; only the causes say what happened. */
export function endOf(error: unknown): SessionEnd {
  const chain = causesOf(error);
  const away = chain.find((cause) => AWAY_NAMES.has(cause.name) || AWAY_TYPES.has(typeOf(cause)));
  if (away === undefined)
    return { kind: 'fault', error: chain[0] ?? new Error('something that is not an Error was thrown') };
  const detail =
    typeOf(away) === 'UNKNOWN_TOPIC_OR_PARTITION'
      ? 'a topic is not there yet'
      : `${away.name}: ${away.message}`.slice(0, 300);
  return { kind: 'away', detail };
}

function causesOf(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let cause = error; cause instanceof Error && chain.length < LONGEST_CHAIN; cause = cause.cause)
    chain.push(cause);
  return chain;
}

function typeOf(error: Error): string {
  return 'type' in error && typeof error.type === 'string' ? error.type : '';
}

/** With so many faults in this time, the process ends. */
export interface CrashLimit {
  readonly faults: number;
  readonly withinMs: number;
}

export const CRASH_LIMIT: CrashLimit = { faults: 5, withinMs: 300_000 };

export class CrashCount {
  private times: number[] = [];

  public constructor(private readonly limit: CrashLimit) {}

  /** Returns the number of recent faults, with this one. */
  public add(nowMs: number): number {
    this.times = [...this.times.filter((time) => nowMs - time < this.limit.withinMs), nowMs];
    return this.times.length;
  }

  public isOver(count: number): boolean {
    return count >= this.limit.faults;
  }
}
