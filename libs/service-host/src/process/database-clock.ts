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
  /** Name of the other clock, for people. */
  readonly what: string;
  /** A permanent connection would take a slot from payments. */
  readonly connect: () => Promise<Pick<Database, 'query' | 'close'>>;
  readonly clock: Clock & MonotonicClock;
  readonly log: Logger;
  readonly lookEveryMs?: number;
}

/** Leases and deadlines last minutes or hours; a call's lease has a second to spare. */
const MOST_MS = 5_000;
const LOOK_EVERY_MS = 30_000;

/**
 * Compares this process's clock with its database's, because processes judge each other's times there. A wrong clock
 * would wrongly expire idempotency keys, leases and deadlines.
 *
 * A start with a wrong clock is refused. Later the process is unready and deletes nothing by age (`agrees`). Other
 * work goes on: either clock may be wrong, and a database clock must not stop all processes.
 */
export class DatabaseClock {
  private aheadMs = 0;
  private loop: RunningLoop | undefined;

  constructor(private readonly options: DatabaseClockOptions) {}

  /** Throws BootError, and what connecting throws. */
  async start(): Promise<void> {
    const { what, clock, log, lookEveryMs = LOOK_EVERY_MS } = this.options;
    const aheadMs = await this.measure();
    if (differs(aheadMs)) {
      const [ours, theirs] = [clock.now(), new Date(clock.now().getTime() - aheadMs)].map((time) => time.toISOString());
      throw new BootError(
        `the clocks differ by ${seconds(aheadMs)} s: this machine's clock says ${ours}, and the clock of ${what} says ${theirs}`,
        'Correct the wrong clock (use NTP on both machines), then start again. Idempotency keys, leases and deadlines depend on it.',
      );
    }
    const signal = new WakeSignal();
    // start() has just checked.
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

  /** A check in progress ends by itself. */
  stop(): Promise<void> {
    void this.loop?.stop();
    return Promise.resolve();
  }

  state(): true | string {
    if (this.aheadMs === 0) return true;
    return `this clock is ${seconds(this.aheadMs)} s ${this.aheadMs > 0 ? 'ahead of' : 'behind'} the clock of ${this.options.what}`;
  }

  /** Checks now; false also without an answer. Call it before deleting by time. */
  async agrees(): Promise<boolean> {
    return (await this.look()) && this.state() === true;
  }

  /** false: no answer, so nothing new is known. */
  private async look(): Promise<boolean> {
    const { what, log } = this.options;
    const aheadMs = await this.measure().catch(() => undefined);
    if (aheadMs === undefined) return false;
    const was = this.aheadMs;
    this.aheadMs = differs(aheadMs) ? aheadMs : 0;
    if (was === 0 && this.aheadMs !== 0) {
      log.error(
        { code: 'clock_differs', ahead_ms: aheadMs, database: what },
        'the clocks of this process and of its database differ: this process is not ready',
      );
    }
    if (was !== 0 && this.aheadMs === 0) log.info({ database: what }, 'the clocks agree again');
    return true;
  }

  /** Milliseconds certainly ahead, negative if behind: what the answer's time cannot explain. */
  private async measure(): Promise<number> {
    const { connect, clock } = this.options;
    const db = await connect();
    try {
      const askedAt = clock.now().getTime();
      const from = clock.monotonicMs();
      const [row] = await db.query<{ ms: string }>('select extract(epoch from clock_timestamp()) * 1000 as ms');
      const answeredAt = askedAt + clock.monotonicMs() - from;
      const theirs = Number(row?.ms);
      return Math.round(theirs < askedAt ? askedAt - theirs : Math.min(0, answeredAt - theirs));
    } finally {
      await db.close();
    }
  }
}

const differs = (aheadMs: number): boolean => Math.abs(aheadMs) > MOST_MS;
const seconds = (ms: number): string => (Math.abs(ms) / 1_000).toFixed(1);
