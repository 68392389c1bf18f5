import type { Database } from '@vuka/persistence';
import {
  BootError,
  type Clock,
  type Logger,
  type MonotonicClock,
  runLoop,
  type RunningLoop,
  WakeSignal,
} from '@vuka/runtime';

export interface DatabaseClockOptions {
  /** Whose clock ours is held against, for people. */
  readonly what: string;
  /** A connection of its own for one look: a slot that is kept for it would be one less for payments. */
  readonly connect: () => Promise<Pick<Database, 'query' | 'close'>>;
  readonly clock: Clock & MonotonicClock;
  readonly log: Logger;
  readonly lookEveryMs?: number;
}

/** What keys, leases, deadlines and late windows bear: they are minutes and hours, a lease of a call has a second to spare. */
const MOST_MS = 5_000;
const LOOK_EVERY_MS = 30_000;

/**
 * Holds this process's clock against that of its service's database. All processes of a service write their times into that one database
 * and judge each other's: one whose clock is wrong would take idempotency keys for old, others' leases for over and deadlines for passed.
 *
 * A start with a wrong clock is refused. A clock that is set wrong later is seen at the next look: the process is not ready then, so that it
 * gets no traffic, and deletes nothing that it takes for old (`agrees`). Whatever else it does goes on: which of the two clocks is the wrong
 * one it cannot know, and a database whose clock is set must not stop every process there is.
 */
export class DatabaseClock {
  private aheadMs = 0;
  private loop: RunningLoop | undefined;

  constructor(private readonly options: DatabaseClockOptions) {}

  /** Throws BootError where the clocks differ, and what connecting throws where the database is not reached. */
  async start(): Promise<void> {
    const { what, clock, log, lookEveryMs = LOOK_EVERY_MS } = this.options;
    const aheadMs = await this.measure();
    if (differs(aheadMs)) {
      const [ours, theirs] = [clock.now(), new Date(clock.now().getTime() - aheadMs)].map((time) => time.toISOString());
      throw new BootError(
        `the clocks differ by ${seconds(aheadMs)} s: this machine's says ${ours}, that of ${what} says ${theirs}`,
        'Set the one that is wrong (NTP on both machines), then start again. Idempotency keys, leases and deadlines are judged by it.',
      );
    }
    const signal = new WakeSignal();
    // The start has looked.
    let isFirst = true;
    this.loop = runLoop({
      name: 'clock of the database',
      signal,
      idleMs: lookEveryMs,
      log,
      tick: async () => {
        if (!isFirst) await this.look();
        isFirst = false;
        return false;
      },
    });
  }

  /** A look under way ends by itself: nobody waits for a database that does not answer. */
  stop(): Promise<void> {
    void this.loop?.stop();
    return Promise.resolve();
  }

  /** As of the last look: true, or that the clocks differ. */
  state(): true | string {
    if (this.aheadMs === 0) return true;
    return `this clock is ${seconds(this.aheadMs)} s ${this.aheadMs > 0 ? 'ahead of' : 'behind'} that of ${this.options.what}`;
  }

  /** Looks now; false also where the database cannot be asked. For what deletes by time. */
  async agrees(): Promise<boolean> {
    return (await this.look()) && this.state() === true;
  }

  /** false where the database cannot be asked: then nothing new is known, and its own alarms tell. */
  private async look(): Promise<boolean> {
    const { what, log } = this.options;
    const aheadMs = await this.measure().catch(() => undefined);
    if (aheadMs === undefined) return false;
    const was = this.aheadMs;
    this.aheadMs = differs(aheadMs) ? aheadMs : 0;
    if (was === 0 && this.aheadMs !== 0) {
      log.error(
        { code: 'clock_differs', ahead_ms: aheadMs, database: what },
        'the clocks of this process and of its database differ: this one is not ready',
      );
    }
    if (was !== 0 && this.aheadMs === 0) log.info({ database: what }, 'the clocks agree again');
    return true;
  }

  /** Milliseconds that ours is surely ahead, below 0 behind: of the difference, what the time that the answer took cannot explain. */
  private async measure(): Promise<number> {
    const { connect, clock } = this.options;
    const db = await connect();
    try {
      const askedAt = clock.now().getTime();
      const from = clock.monotonicMs();
      const [row] = await db.query<{ ms: string }>('select extract(epoch from clock_timestamp()) * 1000 as ms');
      const answeredAt = askedAt + clock.monotonicMs() - from;
      const theirs = Number(row?.ms);
      // It was read between the two.
      return Math.round(theirs < askedAt ? askedAt - theirs : Math.min(0, answeredAt - theirs));
    } finally {
      await db.close();
    }
  }
}

const differs = (aheadMs: number): boolean => Math.abs(aheadMs) > MOST_MS;
const seconds = (ms: number): string => (Math.abs(ms) / 1_000).toFixed(1);
