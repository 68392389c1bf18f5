import type { Logger } from '@vuka/platform';

import type { LaneRow } from './bucket-lane.js';
import type { DeadLetter } from './dead-letters.js';
import type { Subscription } from './wire.js';

/**
 * Keeps an event that became a dead letter of the group from being handed over again by anything but a replay. A log gives events
 * again: after a crash or a rebalance those that lie behind one that waits, and a relay may publish twice. By then such an event might be
 * handled, while its letter still lists and somebody does by hand what it tells.
 *
 * Nobody is asked where the group had no open letter when it was looked for; else once for each batch that is read, by the events' ids, so that nothing grows
 * with the number of letters. What a process may not know of are letters that another wrote since: of its partitions there is no other
 * writer once it has joined, which is when it asks anew.
 */
export class OpenLetters {
  /** Whether there may be any; undefined until the database was asked. Another object after each `forget()`. */
  private known: { any?: boolean } = {};
  /** Letters on their way into the database. */
  private readonly underWay = new Set<Promise<void>>();
  /** Letters that were on their way, of before too. */
  private kept = 0;

  public constructor(
    private readonly subscription: Pick<Subscription, 'group' | 'deadLetters'>,
    private readonly log: Logger,
  ) {}

  /** True where `passOver` has nobody to ask. */
  public get areNone(): boolean {
    return this.known.any === false;
  }

  /** Others may have written letters: what comes next is asked after. */
  public forget(): void {
    this.known = {};
  }

  /** Throws where nobody can say whether it is kept. */
  public async keep(letter: DeadLetter): Promise<void> {
    this.known.any = true;
    this.kept += 1;
    const kept = this.subscription.deadLetters.record(letter);
    this.underWay.add(kept);
    try {
      await kept;
    } finally {
      this.underWay.delete(kept);
    }
  }

  /**
   * Marks those as done that have an open letter, and tells of each again: whoever wrote it may have died before it did. Throws where
   * the database is away, and has marked none then.
   */
  public async passOver(rows: readonly LaneRow[]): Promise<void> {
    const asked = rows.filter((row) => !row.done);
    if (asked.length === 0 || this.areNone) return;
    const { group } = this.subscription;
    let open: ReadonlySet<string>;
    let kept: number;
    // Asked again where a letter of our own came between: the answer may be of before it.
    do {
      kept = this.kept;
      await Promise.allSettled(this.underWay);
      open = await this.openAmong(asked);
    } while (kept !== this.kept);
    for (const row of asked) {
      if (!open.has(row.eventId)) continue;
      row.done = true;
      const facts = { code: 'dead_letter', group, topic: row.topic, aggregateId: row.key, eventId: row.eventId };
      this.log.error(facts, 'event is a dead letter already: it is passed over, and comes back by a replay alone');
    }
  }

  private async openAmong(rows: readonly LaneRow[]): Promise<ReadonlySet<string>> {
    const { group, deadLetters } = this.subscription;
    const { known } = this;
    if (known.any === undefined) {
      const any = await deadLetters.anyOpen(group);
      // A letter of our own, written meanwhile, is not to be forgotten.
      known.any ??= any;
    }
    return known.any ? new Set(await deadLetters.openAmong(group, rows.map(({ eventId }) => eventId))) : new Set();
  }
}
