import type { PaidCorridor } from './corridor.js';

export interface EndedPayment {
  readonly at: Date;
  /** null: the recipient is the reason, so it says nothing of the corridor. */
  readonly isPaid: boolean | null;
  /** From the first call; null: it was never taken. */
  readonly tookMs: number | null;
}

export interface CorridorEnds {
  /** Without those that failed because of their recipient. */
  readonly ended: number;
  readonly paid: number;
  readonly timed: number;
  /** 95 of 100 took no longer; 0: none was timed. */
  readonly p95Ms: number;
}

export const WINDOW_MS = 60 * 60_000;
/** Kept of a corridor; the oldest are dropped. */
const KEPT = 200;
const JUDGED_EVERY_MS = 60_000;

/** What ended of each corridor within the hour, by this process. */
export class RecentEnds {
  private readonly corridors = new Map<string, { ends: EndedPayment[]; judgedAt: number }>();

  /** null: it was judged less than a minute ago. */
  add({ provider, currency, kind, network }: PaidCorridor, end: EndedPayment): CorridorEnds | null {
    const key = [provider, currency, kind, network].join(' ');
    const corridor = this.corridors.get(key) ?? { ends: [], judgedAt: -Infinity };
    this.corridors.set(key, corridor);
    corridor.ends.push(end);
    if (corridor.ends.length > KEPT) corridor.ends.shift();
    const now = end.at.getTime();
    if (now - corridor.judgedAt < JUDGED_EVERY_MS) return null;
    corridor.judgedAt = now;
    corridor.ends = corridor.ends.filter(({ at }) => now - at.getTime() < WINDOW_MS);
    return healthOf(corridor.ends);
  }
}

function healthOf(ends: readonly EndedPayment[]): CorridorEnds {
  const times = ends.flatMap(({ tookMs }) => tookMs ?? []).sort((a, b) => a - b);
  return {
    ended: ends.filter(({ isPaid }) => isPaid !== null).length,
    paid: ends.filter(({ isPaid }) => isPaid === true).length,
    timed: times.length,
    p95Ms: times[Math.ceil(times.length * 0.95) - 1] ?? 0,
  };
}
