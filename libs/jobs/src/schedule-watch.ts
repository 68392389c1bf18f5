/** What a look at the store found of a schedule. */
export type ScheduleState = 'runs' | 'gone' | 'stuck';

interface Seen {
  readonly nextMs: number;
  /** Monotonic: when its next run was first seen to be that. */
  readonly sinceMs: number;
}

/**
 * Tells schedules that run from those that do not, whoever is woken by them: one runs while its next run moves on. That is told by this
 * process's monotonic time, so that no clock of another machine, and none that is set, makes a schedule look late.
 */
export class ScheduleWatch {
  private readonly seen = new Map<string, Seen>();

  /** `graceMs`: how much later than its interval a run may come. */
  constructor(private readonly graceMs: number) {}

  /** `nextMs`: the next run as the store tells it, undefined where it knows no such schedule. `nowMs` is monotonic. */
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
    // Put back, it has its time again.
    this.seen.delete(name);
    return 'stuck';
  }
}
