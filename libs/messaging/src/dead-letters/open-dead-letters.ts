import type { Logger } from '@vuka/runtime';

import type { BufferRow } from '../delivery/bucket-buffer.js';
import type { Subscription } from '../delivery/subscription.js';
import type { DeadLetter } from './dead-letters.js';

/**
 * Only a replay may deliver a dead letter again. A crash, rebalance or relay repeats events, so one could be handled
 * while somebody does its listed work by hand.
 *
 * No query if the group had no open ones; else one per batch, by event ids. After a join only this process writes
 * those of its partitions, so it checks again then.
 */
export class OpenDeadLetters {
  /** A new object after `forget()`. */
  private known: { any?: boolean } = {};
  private readonly underWay = new Set<Promise<void>>();
  /** Per check: events whose dead letter was written since it began. */
  private readonly lookers = new Set<Set<string>>();

  public constructor(
    private readonly subscription: Pick<Subscription, 'group' | 'deadLetters'>,
    private readonly log: Logger,
  ) {}

  public get areNone(): boolean {
    return this.known.any === false;
  }

  /** Others may have written dead letters. */
  public forget(): void {
    this.known = {};
  }

  /** Throws if it is unknown whether it was stored. */
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
   * Marks rows with an open dead letter as done and logs each again: its writer may have died before. Throws if the
   * database is away, and marks none.
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
      this.log.error(facts, 'an event is a dead letter already: it is skipped, and only a replay processes it');
    }
  }

  private async openAmong(rows: readonly BufferRow[]): Promise<ReadonlySet<string>> {
    const { group, deadLetters } = this.subscription;
    const { known } = this;
    // The query may miss dead letters written meanwhile.
    const written = new Set<string>();
    this.lookers.add(written);
    try {
      await Promise.allSettled(this.underWay);
      if (known.any === undefined) {
        const any = await deadLetters.anyOpen(group);
        // Keeps our own `true` set meanwhile.
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
