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
   * BullMQ's queue of this clock's wakes. The processes of one service share one, and no other service may: they would fetch
   * each other's wakes and forget each other's schedules. Default `wakes`: the one process of the embedded profile.
   */
  readonly queue?: string;
  /** For tests: by how much shorter every interval of the catalogue, and of the clock's own looks, is. */
  readonly haste?: number;
}

/**
 * Why a queue is woken: its interval has passed, or somebody called wakeAt() for this moment, perhaps in another process of
 * this service.
 */
export type WakeReason = 'tick' | 'alarm';

/** Told when a queue's time has come: a signal, nothing more; quick, and its errors are only logged. */
export type Wake = (reason: WakeReason) => void | Promise<void>;

interface Woken {
  readonly everyMs: number;
  /** In the store. */
  readonly schedule: string;
  readonly wake: Wake;
  /** performance.now() of the last wake. */
  lastAt: number;
}

/** A moment that was asked for. */
interface Alarm {
  /** The store may not know of it, so this process wakes by itself then. */
  isOurs: boolean;
  /** performance.now() then. */
  readonly dueAt: number;
}

/** BullMQ's queue in the embedded profile: ticks fall due together and are fetched one behind the other, by one worker. */
const EMBEDDED_QUEUE = 'wakes';
/** One for all queues of an interval: a tick costs its store several transactions, and several each second would be most of what an idle service asks. */
const scheduleOf = (queue: QueueName): string => `every-${QUEUES[queue].everyMs}`;
/** Calls of wakeAt for the same slot are one job. */
const SLOT_MS = 100;
/** Slots waited for at one time; beyond, the regular tick has to do. */
const MAX_SLOTS = 1_000;
/** A moment this many intervals away is left to the tick: late by a tenth of the wait at most. */
const NEAR_INTERVALS = 10;
/** What a test's haste shortens. */
const INTERVALS = {
  watchMs: 1_000,
  /** A tick later than this past its time did not come here. */
  lateMs: 2_000,
  /** How often the schedules in the store are looked at: one question. Each second while it is away. */
  lookMs: 3_000,
  /** How often what others have left in the store is forgotten: a process that ends after this one's start may have put it back. */
  forgetMs: 60_000,
  /** The store is back when it has answered, and no error came for this long. */
  quietMs: 2_000,
} as const;
const LOOK_WITHIN_MS = 1_000;
/** Schedules read at one look: more than any service has. */
const MAX_SCHEDULES = 100;
const READY_WITHIN_MS = 30_000;
const REST_MS = 1_000;
const STOP_WITHIN_MS = 1_800;
const KEEP_NOTHING = { removeOnComplete: true, removeOnFail: true } as const;

/**
 * Wakes claimers of due work and never carries the work: a wake that is lost, late or doubled changes nothing but the moment. Over
 * BullMQ, so that of several processes on one queue each tick and each alarm wakes one, and a tick all queues of its interval there. A process that nobody woke for an interval and
 * 2 s wakes itself: a look is cheap. While the store is away the clock wakes by itself, and what the store forgot is put back within seconds.
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
    // Should it fail, start() says so.
    loadBull().catch(() => undefined);
  }

  /** Whether the store hands its wakes to one of the processes that share it; else this one wakes by itself. */
  public get isShared(): boolean {
    return this.store !== undefined && !this.isAway;
  }

  /** Before start(): wakes `queue` at the interval of the catalogue. */
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
   * Also wakes `queue` at `at`, or up to a tenth of a second later, in one of the processes that share it; at once where that has
   * passed. A moment far away (ten of the queue's intervals) is left to the regular tick. Waits for nothing and never throws.
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
   * Wakes every queue once, for what fell due while nobody ran, and then by its interval. Throws where the store is not reached
   * within seconds: the clock then wakes by itself, and start() may be called again.
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

  /** Within 2 s, whatever the store does. */
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
      // A worker that runs before it is ready, and never gets ready, spins without a pause and freezes the process.
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

  /** Every schedule that the store must have for this process, and its interval. */
  private owed(): Map<string, number> {
    return new Map([...this.queues.values()].map(({ schedule, everyMs }) => [schedule, everyMs]));
  }

  /**
   * Schedules that an earlier release had. One that only another release has goes too, where both run for a while: its
   * processes put it back at their next look.
   */
  private async forgetOthers(store: JobStore, there: ReadonlyMap<string, number>): Promise<void> {
    const owed = this.owed();
    this.forgottenAt = performance.now();
    for (const name of there.keys()) {
      if (!owed.has(name)) await store.queue.removeJobScheduler(name);
    }
  }

  /** One that is not known here is a later release's: its own processes wake themselves. */
  private tick(schedule: string): void {
    for (const [name, woken] of this.queues) if (woken.schedule === schedule) this.fire(name, 'tick');
  }

  /** A name that is not known here is a later release's, too. */
  private fire(name: string, reason: WakeReason): void {
    const woken = this.queues.get(name);
    if (woken === undefined || this.isStopping) return;
    // An alarm is for somebody else's moment: the tick is owed all the same.
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

  /**
   * A store that is flushed forgets everything, and one that was away at the wrong moment loses the next run of a schedule for good
   * (BullMQ adds it when it fetches the last one). What is not there, or does not move, is put back.
   */
  private async look(store: JobStore): Promise<void> {
    const next = await withinOrThrow(LOOK_WITHIN_MS, 'the schedules', nextRuns(store));
    this.back();
    const now = performance.now();
    for (const [name, everyMs] of this.owed()) {
      const state = this.schedules.judge(name, everyMs, next.get(name), now);
      if (state === 'runs') continue;
      this.options.log.info({ schedule: name, state }, 'a schedule is put back');
      // As it is, it would be put back as it was: a clock that was set may have left it a day ahead.
      if (state === 'stuck') await store.queue.removeJobScheduler(name);
      else this.takeAlarms();
      await putBack(store, name, everyMs);
    }
    if (now - this.forgottenAt > INTERVALS.forgetMs / this.haste) await this.forgetOthers(store, next);
    await this.lookForAlarms(store, now);
  }

  /** Where another process has put the schedules back, only what is missing of ours tells that the store forgot. */
  private async lookForAlarms({ queue }: JobStore, now: number): Promise<void> {
    const kept = [...this.alarms].find(([, { isOurs, dueAt }]) => !isOurs && dueAt > now + SLOT_MS);
    if (kept === undefined) return;
    const job = await withinOrThrow(LOOK_WITHIN_MS, 'an alarm', queue.getJob(kept[0]));
    if (job === undefined) this.takeAlarms();
  }

  /** What was asked of the store may not come any more. */
  private takeAlarms(): void {
    for (const alarm of this.alarms.values()) alarm.isOurs = true;
  }

  /** BullMQ repeats at once what failed by anything but the connection. */
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
    this.options.log.warn({ err: error }, 'the job store does not answer; wakes come by the clock alone');
  }

  private back(): void {
    if (!this.isAway || performance.now() - this.erredAt < INTERVALS.quietMs / this.haste) return;
    this.isAway = false;
    this.options.log.info('the job store answers again');
  }
}

/** BullMQ's own codes are numbers below 0 (its ErrorCode): the store answered, and knows nothing of a job that it was asked about. */
function hasAnswered(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'number' && code < 0;
}

/** When each schedule of the queue runs next, by its name, as the store's clients count the time of day. */
async function nextRuns({ queue }: JobStore): Promise<Map<string, number>> {
  const flat = await queue.getBackend().getJobSchedulersRange(0, MAX_SCHEDULES - 1, true);
  return new Map(Array.from({ length: flat.length / 2 }, (_, i) => [String(flat[2 * i]), Number(flat[2 * i + 1])]));
}

async function putBack({ queue }: JobStore, schedule: string, everyMs: number): Promise<void> {
  await queue.upsertJobScheduler(schedule, { every: everyMs }, { name: schedule, opts: KEEP_NOTHING });
}

async function close({ queue, worker }: JobStore): Promise<void> {
  // A worker closed before it is ready leaves its listening connection behind.
  await worker.waitUntilReady().catch(() => undefined);
  await Promise.all([worker.close(), queue.close()]);
}

const LATE = Symbol('late');

async function withinOrThrow<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
  const answer = await answerWithin(ms, work, LATE);
  if (answer === LATE) throw new Error(`Waited ${ms} ms for ${what}`);
  return answer;
}
