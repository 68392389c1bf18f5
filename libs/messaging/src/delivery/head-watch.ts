import type { Clock, Logger } from '@vuka/runtime';

import type { BufferRow } from './bucket-buffer.js';

export interface HeadWatchOptions {
  readonly log: Logger;
  readonly clock: Clock;
  /** Alarm if the first undone event, or one without room, waits longer. */
  readonly stalledAfterMs: number;
}

/** Reports a bucket or partition that is stuck. Others pass a failing event, so nothing else shows it. */
export class HeadWatch {
  /** First undone event per place, and since when. */
  private readonly heads = new Map<string, { readonly eventId: string; readonly sinceMs: number }>();
  private readonly behind = new Set<string>();
  private looked = new Set<string>();

  public constructor(private readonly options: HeadWatchOptions) {}

  /** One alarm per episode. `waitingMs`: age of the oldest without room. */
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
        'the group is too slow, or an event keeps failing',
      );
    }
    if (!isLate && this.behind.has(id)) log.info(place, 'the group has caught up');
    if (isLate) this.behind.add(id);
    else this.behind.delete(id);
  }

  /** Places not checked belong to other processes now. */
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
