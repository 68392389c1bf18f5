export type ScheduleState = 'runs' | 'gone' | 'stuck';

interface Seen {
  readonly nextMs: number;
  /** Monotonic ms. */
  readonly sinceMs: number;
}

/**
 * A schedule runs while its next run changes. Uses monotonic time, so a changed clock makes no schedule look late.
 */
export class ScheduleWatch {
  private readonly seen = new Map<string, Seen>();

  /** How much later than its interval a run may come. */
  constructor(private readonly graceMs: number) {}

  /** `nextMs`: undefined if the store has no such schedule. `nowMs` is monotonic. */
  judge(name: string, everyMs: number, nextMs: number | undefined, nowMs: number): ScheduleState {
    if (nextMs === undefined) {
      this.seen.delete(name);
      return 'gone';
    }
    const seen = this.seen.get(name);
    if (seen?.nextMs !== nextMs) {
      this.seen.set(name, { nextMs, sinceMs: nowMs });
      return 'runs';
    }
    if (nowMs - seen.sinceMs <= everyMs + this.graceMs) return 'runs';
    this.seen.delete(name);
    return 'stuck';
  }
}
