import { answerWithin, type Clock, type Logger, systemClock } from '@vuka/runtime';

import type { JobConnection, JobStore } from './job-store.js';
import { loadBull } from './load-bull.js';
import { openJobStore } from './open-job-store.js';
import { QUEUES, type QueueName } from './queues.js';
import { ScheduleWatch } from './schedule-watch.js';

export interface JobClockOptions {
  readonly connection: JobConnection;
  readonly log: Logger;
  readonly clock?: Clock;
  /**
   * BullMQ queue name, shared by all processes of one service only: another service would take its wakes. Default:
   * `wakes`.
   */
  readonly queue?: string;
  /** For tests: divides every interval. */
  readonly haste?: number;
}

/** `alarm`: wakeAt() was called for this time. */
export type WakeReason = 'tick' | 'alarm';

/** Must be quick; its errors are only logged. */
export type Wake = (reason: WakeReason) => void | Promise<void>;

interface Woken {
  readonly everyMs: number;
  readonly schedule: string;
  readonly wake: Wake;
  /** Monotonic ms. */
  lastAt: number;
}

interface Alarm {
  /** True: the store may not know it, so this process wakes by itself. */
  isOurs: boolean;
  /** Monotonic ms. */
  readonly dueAt: number;
}

const EMBEDDED_QUEUE = 'wakes';
/** One schedule per interval, not per queue: each tick costs the store several transactions. */
const scheduleOf = (queue: QueueName): string => `every-${QUEUES[queue].everyMs}`;
/** wakeAt() calls for one slot become one job. */
const SLOT_MS = 100;
const MAX_SLOTS = 1_000;
/** A time more intervals away is left to the tick: late by at most a tenth of the wait. */
const NEAR_INTERVALS = 10;
const INTERVALS = {
  watchMs: 1_000,
  lateMs: 2_000,
  /** While the store is away: every second. */
  lookMs: 3_000,
  forgetMs: 60_000,
  quietMs: 2_000,
} as const;
const LOOK_WITHIN_MS = 1_000;
const MAX_SCHEDULES = 100;
const READY_WITHIN_MS = 30_000;
const REST_MS = 1_000;
const STOP_WITHIN_MS = 1_800;
const KEEP_NOTHING = { removeOnComplete: true, removeOnFail: true } as const;

/**
 * Wakes the claimers of due work; carries no work. A lost, late or double wake changes only the time of the work.
 * BullMQ gives each wake to one process of the service. A process without a tick for an interval plus 2 s, or without
 * a store, wakes itself. Lost schedules are restored.
 */
export class JobClock {
  private readonly queues = new Map<string, Woken>();
  private readonly alarms = new Map<string, Alarm>();
  private readonly schedules: ScheduleWatch;
  private readonly clock: Clock;
  private readonly haste: number;
  private opening: Promise<JobStore> | undefined;
  private store: JobStore | undefined;
  private watch: NodeJS.Timeout | undefined;
  private lookedAt = 0;
  private forgottenAt = 0;
  private isLooking = false;
  private isResting = false;
  private isAway = false;
  private erredAt = -Infinity;
  private isStopping = false;

  public constructor(private readonly options: JobClockOptions) {
    this.clock = options.clock ?? systemClock;
    this.haste = options.haste ?? 1;
    this.schedules = new ScheduleWatch(INTERVALS.lateMs / this.haste);
    // start() reports a failure.
    loadBull().catch(() => undefined);
  }

  /** False: this process wakes by itself. */
  public get isShared(): boolean {
    return this.store !== undefined && !this.isAway;
  }

  /** Must be called before start(). */
  public every(queue: QueueName, wake: Wake): void {
    if (this.opening !== undefined || this.watch !== undefined)
      throw new Error(`The job clock is running: it is too late to wake ${queue}`);
    if (this.queues.has(queue)) throw new Error(`Queue ${queue} is woken twice`);
    this.queues.set(queue, {
      everyMs: QUEUES[queue].everyMs / this.haste,
      schedule: scheduleOf(queue),
      wake,
      lastAt: 0,
    });
  }

  /**
   * Wakes `queue` at `at`, up to 100 ms late, in one process. Leaves times over ten intervals away to the tick. Never
   * throws.
   */
  public async wakeAt(queue: QueueName, at: Date): Promise<void> {
    const delay = at.getTime() - this.clock.now().getTime();
    if (delay <= 0) return this.fire(queue, 'alarm');
    if (delay > (QUEUES[queue].everyMs / this.haste) * NEAR_INTERVALS) return;
    const slot = `${queue}.at.${Math.ceil(at.getTime() / SLOT_MS)}`;
    if (this.watch === undefined || this.isStopping || this.alarms.has(slot) || this.alarms.size >= MAX_SLOTS) return;
    const delayToSlot = delay + (SLOT_MS - (at.getTime() % SLOT_MS || SLOT_MS));
    const alarm: Alarm = { isOurs: this.store === undefined || this.isAway, dueAt: performance.now() + delayToSlot };
    this.alarms.set(slot, alarm);
    setTimeout(() => {
      this.alarms.delete(slot);
      if (alarm.isOurs) this.fire(queue, 'alarm');
    }, delayToSlot).unref();
    if (alarm.isOurs || this.store === undefined) return;
    this.store.queue.add(queue, {}, { jobId: slot, delay: delayToSlot, ...KEEP_NOTHING }).catch((error: unknown) => {
      alarm.isOurs = true;
      this.away(error);
    });
  }

  /**
   * Throws if the store is not reached within seconds; the clock then wakes by itself. start() may be called again.
   */
  public async start(): Promise<void> {
    if (this.opening !== undefined) throw new Error('The job clock is started twice');
    if (this.isStopping) throw new Error('The job clock has been stopped');
    this.opening = this.open();
    try {
      this.store = await this.opening;
    } catch (error) {
      this.opening = undefined;
      this.away(error);
      throw error;
    } finally {
      this.begin();
    }
  }

  /** Ends within 2 s. */
  public async stop(): Promise<void> {
    this.isStopping = true;
    clearInterval(this.watch);
    if (this.opening === undefined) return;
    await answerWithin(
      STOP_WITHIN_MS,
      this.opening.then(close).catch(() => undefined),
      undefined,
    );
    this.store?.abandon();
  }

  private begin(): void {
    if (this.watch !== undefined || this.isStopping) return;
    for (const name of this.queues.keys()) this.fire(name, 'tick');
    this.watch = setInterval(() => this.lookAround(), INTERVALS.watchMs / this.haste);
    this.watch.unref();
  }

  private async open(): Promise<JobStore> {
    const store = await openJobStore(
      this.options.connection,
      this.options.queue ?? EMBEDDED_QUEUE,
      async ({ name, repeatJobKey }) => {
        if (repeatJobKey === undefined) this.fire(name, 'alarm');
        else this.tick(name);
      },
    );
    store.queue.on('error', (error) => this.away(error));
    store.worker.on('error', (error) => {
      this.away(error);
      if (store.spinsAfter(error)) this.rest(store);
    });
    try {
      // Run before it is ready, a worker may loop without pause and freeze the process.
      await withinOrThrow(
        READY_WITHIN_MS,
        'the job store to be ready',
        Promise.all([store.queue.waitUntilReady(), store.worker.waitUntilReady()]),
      );
      for (const [name, everyMs] of this.owed()) await putBack(store, name, everyMs);
      await this.forgetOthers(store, await nextRuns(store));
      if (this.isStopping) throw new Error('The job clock was stopped before it had started');
    } catch (error) {
      await answerWithin(
        STOP_WITHIN_MS,
        close(store).catch(() => undefined),
        undefined,
      );
      store.abandon();
      throw error;
    }
    store.worker.run().catch((error: unknown) => this.away(error));
    return store;
  }

  private owed(): Map<string, number> {
    return new Map([...this.queues.values()].map(({ schedule, everyMs }) => [schedule, everyMs]));
  }

  /** Removes an earlier release's schedules. A release that runs beside this one restores its own. */
  private async forgetOthers(store: JobStore, there: ReadonlyMap<string, number>): Promise<void> {
    const owed = this.owed();
    this.forgottenAt = performance.now();
    for (const name of there.keys()) {
      if (!owed.has(name)) await store.queue.removeJobScheduler(name);
    }
  }

  /** An unknown schedule is a later release's. */
  private tick(schedule: string): void {
    for (const [name, woken] of this.queues) if (woken.schedule === schedule) this.fire(name, 'tick');
  }

  private fire(name: string, reason: WakeReason): void {
    const woken = this.queues.get(name);
    if (woken === undefined || this.isStopping) return;
    // An alarm replaces no tick.
    if (reason === 'tick') woken.lastAt = performance.now();
    void (async () => woken.wake(reason))().catch((error: unknown) => {
      this.options.log.error({ queue: name, err: error }, 'a wake failed');
    });
  }

  private lookAround(): void {
    const now = performance.now();
    const patienceMs = this.isAway ? 0 : INTERVALS.lateMs / this.haste;
    for (const [name, { lastAt, everyMs }] of this.queues)
      if (now - lastAt > everyMs + patienceMs) this.fire(name, 'tick');
    if (
      this.store === undefined ||
      this.isLooking ||
      (!this.isAway && now - this.lookedAt < INTERVALS.lookMs / this.haste)
    )
      return;
    this.lookedAt = now;
    this.isLooking = true;
    this.look(this.store)
      .catch((error: unknown) => this.away(error))
      .finally(() => {
        this.isLooking = false;
      });
  }

  /** A flush loses all schedules. An outage may lose a next run, which BullMQ adds when it fetches the last one. */
  private async look(store: JobStore): Promise<void> {
    const next = await withinOrThrow(LOOK_WITHIN_MS, 'the schedules', nextRuns(store));
    this.back();
    const now = performance.now();
    for (const [name, everyMs] of this.owed()) {
      const state = this.schedules.judge(name, everyMs, next.get(name), now);
      if (state === 'runs') continue;
      this.options.log.info({ schedule: name, state }, 'a lost schedule is restored');
      // Otherwise it keeps its time, which a changed clock may have set a day ahead.
      if (state === 'stuck') await store.queue.removeJobScheduler(name);
      else this.takeAlarms();
      await putBack(store, name, everyMs);
    }
    if (now - this.forgottenAt > INTERVALS.forgetMs / this.haste) await this.forgetOthers(store, next);
    await this.lookForAlarms(store, now);
  }

  /** If another process restored the schedules, only a missing alarm shows the loss. */
  private async lookForAlarms({ queue }: JobStore, now: number): Promise<void> {
    const kept = [...this.alarms].find(([, { isOurs, dueAt }]) => !isOurs && dueAt > now + SLOT_MS);
    if (kept === undefined) return;
    const job = await withinOrThrow(LOOK_WITHIN_MS, 'an alarm', queue.getJob(kept[0]));
    if (job === undefined) this.takeAlarms();
  }

  private takeAlarms(): void {
    for (const alarm of this.alarms.values()) alarm.isOurs = true;
  }

  /** BullMQ retries at once after any error but a lost connection. */
  private rest({ worker }: JobStore): void {
    if (this.isResting || this.isStopping) return;
    this.isResting = true;
    worker.pause(true).catch((error: unknown) => this.away(error));
    setTimeout(() => {
      this.isResting = false;
      if (!this.isStopping) void worker.resume();
    }, REST_MS).unref();
  }

  private away(error: unknown): void {
    this.erredAt = performance.now();
    if (this.isAway || this.isStopping) return;
    this.takeAlarms();
    if (hasAnswered(error)) return this.options.log.debug({ err: error }, 'the job store has lost a job');
    this.isAway = true;
    this.options.log.warn(
      { err: error },
      'the job store does not answer: each process now wakes only by its own clock',
    );
  }

  private back(): void {
    if (!this.isAway || performance.now() - this.erredAt < INTERVALS.quietMs / this.haste) return;
    this.isAway = false;
    this.options.log.info('the job store answers again');
  }
}

/** BullMQ's own codes are negative: the store answered but does not know the job. */
function hasAnswered(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'number' && code < 0;
}

/** Next runs by schedule, in ms since 1970. */
async function nextRuns({ queue }: JobStore): Promise<Map<string, number>> {
  const flat = await queue.getBackend().getJobSchedulersRange(0, MAX_SCHEDULES - 1, true);
  return new Map(Array.from({ length: flat.length / 2 }, (_, i) => [String(flat[2 * i]), Number(flat[2 * i + 1])]));
}

async function putBack({ queue }: JobStore, schedule: string, everyMs: number): Promise<void> {
  await queue.upsertJobScheduler(schedule, { every: everyMs }, { name: schedule, opts: KEEP_NOTHING });
}

async function close({ queue, worker }: JobStore): Promise<void> {
  // Closed before it is ready, a worker leaks its connection.
  await worker.waitUntilReady().catch(() => undefined);
  await Promise.all([worker.close(), queue.close()]);
}

const LATE = Symbol('late');

async function withinOrThrow<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
  const answer = await answerWithin(ms, work, LATE);
  if (answer === LATE) throw new Error(`Waited ${ms} ms for ${what}`);
  return answer;
}
