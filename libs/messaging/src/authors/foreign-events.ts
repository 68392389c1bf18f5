import type { Logger, MonotonicClock } from '@vuka/runtime';

import type { DeadLetter, DeadLetters } from '../dead-letters/dead-letters.js';

/** Somebody who writes a thousand a second fills no log. */
const TELL_EVERY_MS = 10_000;
/** The database is not asked for each of them. */
const FULL_FOR_MS = 10_000;

/** Keeps the first events that no service of ours wrote, counts all, and raises the alarm. */
export class ForeignEvents {
  private seen = 0;
  private tellFromMs = -Infinity;
  private fullUntilMs = -Infinity;

  public constructor(
    private readonly deadLetters: Pick<DeadLetters, 'recordForeign'>,
    private readonly log: Logger,
    private readonly clock: MonotonicClock,
    private readonly onForeign: () => void = () => undefined,
  ) {}

  /** Throws if it is unknown whether it was kept: try again. False: not kept, because enough are. */
  public async keep(deadLetter: DeadLetter): Promise<boolean> {
    const isFull = this.clock.monotonicMs() < this.fullUntilMs;
    const isKept = !isFull && (await this.deadLetters.recordForeign(deadLetter));
    const now = this.clock.monotonicMs();
    if (!isFull && !isKept) this.fullUntilMs = now + FULL_FOR_MS;
    this.seen += 1;
    this.onForeign();
    if (now < this.tellFromMs) return isKept;
    this.tellFromMs = now + TELL_EVERY_MS;
    const { group, topic, eventId, detail } = deadLetter;
    this.log.error(
      { code: 'event_foreign', group, topic, eventId, detail, seen: this.seen, is_kept: isKept },
      'an event that no service of ours has written was refused',
    );
    return isKept;
  }
}
