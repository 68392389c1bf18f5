import { type Logger, type MonotonicClock, systemClock } from '@vuka/runtime';

import { describeError } from '../delivery/delivery.js';

export interface Refusal {
  /** `kafka_away` passes by itself. `kafka_refuses` needs a change by somebody. */
  readonly code: 'kafka_away' | 'kafka_refuses';
  readonly reason: string;
  readonly detail: string;
}

/** Elections and restarts are shorter. */
const ALARM_AFTER_MS = 5_000;
const TOO_LARGE = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE']);

export function refusalOf(error: unknown): Refusal {
  const detail = describeError(error);
  let reason: string | undefined;
  let isForGood = false;
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    const { type, name, retriable } = at as Error & { type?: unknown; retriable?: unknown };
    if (typeof type === 'string') {
      reason = type;
      // For kafkajs a missing topic may still appear.
      isForGood = retriable === false || type === 'UNKNOWN_TOPIC_OR_PARTITION';
    } else if (reason === undefined && name === 'KafkaJSSASLAuthenticationError') {
      reason = 'SASL_AUTHENTICATION_FAILED';
      isForGood = true;
    }
  }
  return {
    code: isForGood ? 'kafka_refuses' : 'kafka_away',
    reason: reason ?? (error instanceof Error ? error.name : 'unknown'),
    detail,
  };
}

export function isTooLarge({ reason }: Refusal): boolean {
  return TOO_LARGE.has(reason);
}

/** Logs each code once after 5 s, and the end once. */
export class KafkaTrouble {
  private since: number | null = null;
  private told = new Set<string>();

  public constructor(
    private readonly log: Logger,
    private readonly service: string,
    private readonly clock: MonotonicClock = systemClock,
  ) {}

  public began({ code, reason, detail }: Refusal): void {
    const now = this.clock.monotonicMs();
    this.since ??= now;
    if (now - this.since < ALARM_AFTER_MS || this.told.has(code)) return;
    this.told.add(code);
    this.log.error(
      { code, reason, detail, service: this.service },
      'events wait in the outbox, because Kafka does not accept them',
    );
  }

  public ended(): void {
    if (this.told.size > 0) this.log.info({ service: this.service }, 'events flow again: Kafka accepts them');
    this.since = null;
    this.told.clear();
  }
}
