import type { Envelope } from '@vuka/contracts';

import type { EventAuthors } from '../authors/event-authors.js';
import type { DeadLetters } from '../dead-letters/dead-letters.js';

/** For an event that can never be handled: it becomes a dead letter at once. */
export class PermanentEventError extends Error {
  public override readonly name = 'PermanentEventError';

  public constructor(message: string, options?: ErrorOptions) {
    super(message, options);
  }
}

/**
 * At least once, in order within a key, from the first event. Exception: later events pass a dead letter, and its
 * replay may come beside newer ones. The sequence decides.
 */
export interface Subscription {
  /** One subscription per group. */
  readonly group: string;
  readonly topics: readonly string[];
  /** In the consumer's database: `new DeadLetterStore(db)`. */
  readonly deadLetters: DeadLetters;
  /** Absent: who wrote an event is not checked (one process, one database). */
  readonly authors?: EventAuthors;
  /** Of different keys. */
  readonly concurrency?: number;
  /** PermanentEventError: dead letter. Any other error: retry. */
  handle(envelope: Envelope): Promise<void>;
}
