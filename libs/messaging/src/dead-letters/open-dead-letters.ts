import type { Logger } from '@vuka/runtime';

import type { BufferRow } from '../delivery/bucket-buffer.js';
import type { Subscription } from '../delivery/subscription.js';
import type { DeadLetter } from './dead-letters.js';

/**
 * Keeps an event that became a dead letter of the group from being handed over again by anything but a replay. A log gives events
 * again: after a crash or a rebalance those that lie behind one that waits, and a relay may publish twice. By then such an event might be
 * handled, while its dead letter still lists and somebody does by hand what it tells.
 *
 * Nobody is asked where the group had no open dead letter when it was looked for; else once for each batch that is read, by the events' ids, so that nothing grows
 * with the number of dead letters. What a process may not know of are dead letters that another wrote since: of its partitions there is no other
 * writer once it has joined, which is when it asks anew.
 */
export class OpenDeadLetters {
  /** Whether there may be any; undefined until the database was asked. Another object after each `forget()`. */
  private known: { any?: boolean } = {};
  /** Letters on their way into the database. */
  private readonly underWay = new Set<Promise<void>>();
  /** For each look at the table that is under way: events whose dead letter was written since it began. */
  private readonly lookers = new Set<Set<string>>();

  public constructor(
    private readonly subscription: Pick<Subscription, 'group' | 'deadLetters'>,
    private readonly log: Logger,
  ) {}

  /** True where `passOver` has nobody to ask. */
  public get areNone(): boolean {
    return this.known.any === false;
  }

  /** Others may have written dead letters: what comes next is asked after. */
  public forget(): void {
    this.known = {};
  }

  /** Throws where nobody can say whether it is kept. */
  public async keep(deadLetter: DeadLetter): Promise<void> {
    this.known.any = true;
    for (const written of this.lookers) written.add(deadLetter.eventId);
    const kept = this.subscription.deadLetters.record(deadLetter);
    this.underWay.add(kept);
    try {
      await kept;
    } finally {
      this.underWay.delete(kept);
    }
  }

  /**
   * Marks those as done that have an open dead letter, and tells of each again: whoever wrote it may have died before it did. Throws where
   * the database is away, and has marked none then.
   */
  public async passOver(rows: readonly BufferRow[]): Promise<void> {
    const asked = rows.filter((row) => !row.done);
    if (asked.length === 0 || this.areNone) return;
    const { group } = this.subscription;
    const open = await this.openAmong(asked);
    for (const row of asked) {
      if (!open.has(row.eventId)) continue;
      row.done = true;
      const facts = { code: 'dead_letter', group, topic: row.topic, aggregateId: row.key, eventId: row.eventId };
      this.log.error(facts, 'event is a dead letter already: it is passed over, and comes back by a replay alone');
    }
  }

  private async openAmong(rows: readonly BufferRow[]): Promise<ReadonlySet<string>> {
    const { group, deadLetters } = this.subscription;
    const { known } = this;
    // Whatever the table said before: the first of two rows of that event is in its buffer still, and the dead letter its own.
    const written = new Set<string>();
    this.lookers.add(written);
    try {
      await Promise.allSettled(this.underWay);
      if (known.any === undefined) {
        const any = await deadLetters.anyOpen(group);
        // A dead letter of our own, written meanwhile, is not to be forgotten.
        known.any ??= any;
      }
      const open = known.any
        ? await deadLetters.openAmong(
            group,
            rows.map(({ eventId }) => eventId),
          )
        : [];
      return new Set([...open, ...written]);
    } finally {
      this.lookers.delete(written);
    }
  }
}
