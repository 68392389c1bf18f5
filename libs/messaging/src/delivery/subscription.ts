import type { Envelope } from '@vuka/contracts';

import type { DeadLetters } from '../dead-letters/dead-letters.js';

/** Thrown by a handler: this event can never be handled, so it goes to the dead letters at once. */
export class PermanentEventError extends Error {
  public override readonly name = 'PermanentEventError';

  public constructor(message: string, options?: ErrorOptions) {
    super(message, options);
  }
}

/**
 * A consumer group's wish: these topics, from the first event on, at least once, in order within a key. Two exceptions to
 * that order are of the group's own making: an event that became a dead letter is passed by those after it, and comes again
 * by a replay alone, late, after newer ones of its key or beside one. Sequence says what is newer.
 */
export interface Subscription {
  /** The consuming service's name; one subscription per group. */
  readonly group: string;
  readonly topics: readonly string[];
  /** In the consumer's own database: `new DeadLetterStore(db)`. */
  readonly deadLetters: DeadLetters;
  /** Events handled at the same time, of different keys. */
  readonly concurrency?: number;
  /** Resolves when the event is handled for good. PermanentEventError: dead letter; any other error: tried again. */
  handle(envelope: Envelope): Promise<void>;
}
