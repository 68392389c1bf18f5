/** How a consumer ended. */
export type SessionEnd =
  | { readonly kind: 'stopped' }
  /** No broker answers, or not as one that is up: waited out, for ever. */
  | { readonly kind: 'away'; readonly detail: string }
  /** It joined its group anew in the middle of reading: what it has in memory cannot be told from what it should have. */
  | { readonly kind: 'rejoined' }
  /** Nothing was heard for too long though nothing failed (#659). */
  | { readonly kind: 'silent'; readonly detail: string }
  /** Anything else: it is built anew, and counted. */
  | { readonly kind: 'fault'; readonly error: Error };

/** Of kafkajs 2.2.4, by name: nobody answers at all, or the answer did not come. */
const AWAY_NAMES: ReadonlySet<string> = new Set([
  'KafkaJSConnectionError',
  'KafkaJSConnectionClosedError',
  'KafkaJSRequestTimeoutError',
  'KafkaJSBrokerNotFound',
  'KafkaJSNoBrokerAvailableError',
  'KafkaJSGroupCoordinatorNotFound',
  'KafkaJSLockTimeout',
]);

/** Of the protocol: the cluster is up in part, starts, elects; or somebody has yet to make the topic. */
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

/**
 * What became of a consumer by the error it ended with. kafkajs wraps errors in each other, most of all in
 * KafkaJSNumberOfRetriesExceeded, and only the innermost says what happened. `missingTopic` where the topic is not there yet.
 */
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

/** So many faults within so long, and the process is no longer believed to repair itself. */
export interface CrashLimit {
  readonly faults: number;
  readonly withinMs: number;
}

export const CRASH_LIMIT: CrashLimit = { faults: 5, withinMs: 300_000 };

/** Counts faults in a sliding time. */
export class CrashCount {
  private times: number[] = [];

  public constructor(private readonly limit: CrashLimit) {}

  /** Returns how many there were lately, this one among them. */
  public add(nowMs: number): number {
    this.times = [...this.times.filter((time) => nowMs - time < this.limit.withinMs), nowMs];
    return this.times.length;
  }

  public isOver(count: number): boolean {
    return count >= this.limit.faults;
  }
}
