import type { Clock, Logger } from '@vuka/runtime';

import type { BufferRow } from './bucket-buffer.js';

export interface HeadWatchOptions {
  readonly log: Logger;
  readonly clock: Clock;
  /** A place is behind where its first event that is not done has been the same for longer, or one has found no room for longer. */
  readonly stalledAfterMs: number;
}

/**
 * Says when a group does not get on in some place, a bucket of an outbox or a partition of a topic. Others pass an event that waits or
 * fails again and again, so that nothing else would tell of it.
 */
export class HeadWatch {
  /** By place: the first event that is not done, and since when it is the first. */
  private readonly heads = new Map<string, { readonly eventId: string; readonly sinceMs: number }>();
  private readonly behind = new Set<string>();
  private looked = new Set<string>();

  public constructor(private readonly options: HeadWatchOptions) {}

  /**
   * One look; an alarm once per episode. `first`: the first that is not done. `waitingMs`: how long the oldest has waited that found no
   * room behind it.
   */
  public look(
    place: Readonly<Record<string, string>>,
    first: Pick<BufferRow, 'topic' | 'key' | 'eventId'> | undefined,
    waitingMs = 0,
  ): void {
    const { log, stalledAfterMs } = this.options;
    const id = Object.values(place).join('/');
    const ageMs = Math.max(waitingMs, this.standsFor(id, first?.eventId));
    this.looked.add(id);
    const isLate = ageMs > stalledAfterMs;
    if (isLate && !this.behind.has(id)) {
      const event = first === undefined ? {} : { topic: first.topic, aggregateId: first.key, eventId: first.eventId };
      log.error(
        { code: 'consumer_behind', ...event, ...place, age_ms: ageMs },
        'more events than the group gets through, or one of them failing',
      );
    }
    if (!isLate && this.behind.has(id)) log.info(place, 'the group has caught up');
    if (isLate) this.behind.add(id);
    else this.behind.delete(id);
  }

  /** All places were looked at: those that were not are somebody else's now, and nothing is known of them when they come back. */
  public endOfRound(): void {
    for (const id of [...this.heads.keys(), ...this.behind]) {
      if (this.looked.has(id)) continue;
      this.heads.delete(id);
      this.behind.delete(id);
    }
    this.looked = new Set();
  }

  private standsFor(place: string, eventId: string | undefined): number {
    const nowMs = this.options.clock.now().getTime();
    if (eventId === undefined) {
      this.heads.delete(place);
      return 0;
    }
    const had = this.heads.get(place);
    if (had?.eventId === eventId) return nowMs - had.sinceMs;
    this.heads.set(place, { eventId, sinceMs: nowMs });
    return 0;
  }
}
