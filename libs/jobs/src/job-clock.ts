import { systemClock, type Clock, type Logger } from '@vuka/platform';

import { loadBull, openJobStore, type JobConnection, type JobStore } from './job-store.js';
import { QUEUES, type QueueName } from './queues.js';

export interface JobClockOptions {
  readonly connection: JobConnection;
  readonly log: Logger;
  readonly clock?: Clock;
  /**
   * BullMQ's queue of this clock's wakes. The processes of one service share one, and no other service may: they would fetch
   * each other's wakes and forget each other's schedules. Default `wakes`: the one process of the embedded profile.
   */
  readonly queue?: string;
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
  readonly wake: Wake;
  /** performance.now() of the last wake. */
  lastAt: number;
}

/** Calls of wakeAt for the same slot are one job. */
const SLOT_MS = 100;
/** Slots waited for at one time; beyond, the regular tick has to do. */
const MAX_SLOTS = 1_000;
/** A moment this many intervals away is left to the tick: late by a tenth of the wait at most. */
const NEAR_INTERVALS = 10;
const WATCH_EVERY_MS = 1_000;
/** A tick later than this past its time did not come. */
const LATE_MS = 2_000;
const REST_MS = 1_000;
const STOP_WITHIN_MS = 2_000;
const KEEP_NOTHING = { removeOnComplete: true, removeOnFail: true } as const;

/**
 * Wakes claimers of due work and never carries the work: a wake that is lost, late or doubled changes nothing but
 * the moment. Over BullMQ; while its store is away, and should it forget a schedule, the clock wakes by itself.
 */
export class JobClock {
  private readonly queues = new Map<string, Woken>();
  private readonly slots = new Set<string>();
  private readonly clock: Clock;
  private opening: Promise<JobStore> | undefined;
  private watch: NodeJS.Timeout | undefined;
  private isRescheduling = false;
  private isResting = false;
  private isAway = false;
  private isStopping = false;

  public constructor(private readonly options: JobClockOptions) {
    this.clock = options.clock ?? systemClock;
    // Should it fail, start() says so.
    loadBull().catch(() => undefined);
  }

  /** Before start(): wakes `queue` at the interval of the catalogue. */
  public every(queue: QueueName, wake: Wake): void {
    if (this.opening !== undefined) throw new Error(`The job clock is running: it is too late to wake ${queue}`);
    if (this.queues.has(queue)) throw new Error(`Queue ${queue} is woken twice`);
    this.queues.set(queue, { everyMs: QUEUES[queue].everyMs, wake, lastAt: 0 });
  }

  /**
   * Also wakes `queue` at `at`, or up to a tenth of a second later; at once where that has passed. A moment far away
   * (ten of the queue's intervals) is left to the regular tick. Never throws: a store that is away costs the
   * precision, the tick comes all the same.
   */
  public async wakeAt(queue: QueueName, at: Date): Promise<void> {
    const delay = at.getTime() - this.clock.now().getTime();
    if (delay <= 0) return this.fire(queue);
    if (delay > QUEUES[queue].everyMs * NEAR_INTERVALS) return;
    const slot = `${queue}.at.${Math.ceil(at.getTime() / SLOT_MS)}`;
    if (this.opening === undefined || this.slots.has(slot) || this.slots.size >= MAX_SLOTS) return;
    this.slots.add(slot);
    const delayToSlot = delay + (SLOT_MS - (at.getTime() % SLOT_MS || SLOT_MS));
    setTimeout(() => this.slots.delete(slot), delayToSlot).unref();
    try {
      const { queue: wakes } = await this.opening;
      await wakes.add(queue, {}, { jobId: slot, delay: delayToSlot, ...KEEP_NOTHING });
    } catch (error) {
      this.slots.delete(slot);
      this.away(error);
    }
  }

  /**
   * Wakes every queue once, for what fell due while nobody ran, and then by its interval. Throws where the store is
   * not reached.
   */
  public async start(): Promise<void> {
    if (this.opening !== undefined) throw new Error('The job clock is started twice');
    this.opening = openJobStore(this.options.connection, (name) => {
      this.back();
      this.fire(name);
    });
    const { queue, worker } = await this.opening;
    queue.on('error', (error) => this.away(error));
    worker.on('error', (error) => {
      this.away(error);
      this.rest(worker);
    });
    try {
      // A worker that runs before it is ready, and never gets ready, spins without a pause and freezes the process.
      await Promise.all([queue.waitUntilReady(), worker.waitUntilReady()]);
      await this.schedule();
      await this.forgetOthers();
    } catch (error) {
      await this.stop();
      throw error;
    }
    worker.run().catch((error: unknown) => this.away(error));
    for (const name of this.queues.keys()) this.fire(name);
    this.watch = setInterval(() => this.lookForLate(), WATCH_EVERY_MS);
    this.watch.unref();
  }

  /** Within 2 s, whatever the store does. */
  public async stop(): Promise<void> {
    this.isStopping = true;
    clearInterval(this.watch);
    if (this.opening === undefined) return;
    const closing = this.opening.then(async ({ queue, worker }) => {
      // A worker closed before it is ready leaves its listening connection behind.
      await worker.waitUntilReady().catch(() => undefined);
      await Promise.all([worker.close(), queue.close()]);
    });
    await Promise.race([closing.catch(() => undefined), new Promise((resolve) => setTimeout(resolve, STOP_WITHIN_MS).unref())]);
  }

  private async schedule(): Promise<void> {
    const { queue } = await this.opening!;
    for (const [name, { everyMs }] of this.queues) {
      await queue.upsertJobScheduler(name, { every: everyMs }, { name, opts: KEEP_NOTHING });
    }
  }

  /** Schedules of queues that an earlier release had. */
  private async forgetOthers(): Promise<void> {
    const { queue } = await this.opening!;
    for (const { key } of await queue.getJobSchedulers()) {
      if (!this.queues.has(key)) await queue.removeJobScheduler(key);
    }
  }

  private fire(name: string): void {
    const woken = this.queues.get(name);
    if (woken === undefined || this.isStopping) return;
    woken.lastAt = performance.now();
    void (async () => woken.wake('tick'))().catch((error: unknown) => {
      this.options.log.error({ queue: name, err: error }, 'a wake failed');
    });
  }

  /**
   * A store that was away at the wrong moment loses the next run of a schedule for good (BullMQ adds it when it
   * fetches the last one). So a queue whose tick did not come is woken here, and its schedule put back.
   */
  private lookForLate(): void {
    const now = performance.now();
    const late = [...this.queues].filter(([, { lastAt, everyMs }]) => now - lastAt > everyMs + LATE_MS);
    for (const [name] of late) this.fire(name);
    if (late.length === 0 || this.isRescheduling) return;
    this.isRescheduling = true;
    this.schedule()
      .catch((error: unknown) => this.away(error))
      .finally(() => {
        this.isRescheduling = false;
      });
  }

  /** BullMQ waits before it tries again only where the connection was refused; any other error it repeats at once. */
  private rest(worker: JobStore['worker']): void {
    if (this.isResting || this.isStopping) return;
    this.isResting = true;
    worker.pause(true).catch((error: unknown) => this.away(error));
    setTimeout(() => {
      this.isResting = false;
      if (!this.isStopping) void worker.resume();
    }, REST_MS).unref();
  }

  private away(error: unknown): void {
    if (!this.isAway && !this.isStopping) this.options.log.warn({ err: error }, 'the job store does not answer; wakes come by the clock alone');
    this.isAway = true;
  }

  private back(): void {
    if (this.isAway) this.options.log.info('the job store answers again');
    this.isAway = false;
  }
}
