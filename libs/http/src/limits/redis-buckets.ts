import { createHash } from 'node:crypto';

import { type Logger, dropClient, redisOptions, type RedisConnection } from '@vuka/runtime';
import { Redis } from 'ioredis';

import { bucketScript, NOW_BY_REDIS } from './bucket-script.js';
import {
  MemoryBuckets,
  ONE_TOKEN,
  type RateLimitStore,
  type RatePolicy,
  refillPerMs,
  type Taken,
  takenOf,
} from './token-buckets.js';

export interface RedisBucketsOptions {
  readonly connection: RedisConnection;
  readonly log: Logger;
  /** Counts while Redis does not answer; in memory by default. */
  readonly fallback?: RateLimitStore;
  /** Milliseconds; default 50. */
  readonly waitMs?: number;
}

const SCRIPT = bucketScript(NOW_BY_REDIS);
const SCRIPT_SHA = createHash('sha1').update(SCRIPT).digest('hex');

const WAIT_MS = 50;
/** Silence while an answer is due; one late answer is not enough. */
const AWAY_AFTER_MS = 250;
const PROBE_EVERY_MS = 250;
const SILENT_MS = 2_000;
/** Further requests are counted locally. */
const MAX_IN_FLIGHT = 1_000;
const PROBE: RatePolicy = { name: 'probe', ratePerS: 1, burst: 1 };

const LATE = Symbol('late');

/**
 * Buckets shared by all processes, by the Redis clock. A limit never causes an outage and is never off. A request is
 * counted locally if Redis does not answer in 50 ms. After an error or 250 ms of silence all are, until Redis answers
 * in time. Local counts are never added to Redis: this forgives one burst per key.
 */
export class RedisBuckets implements RateLimitStore {
  private readonly client: Redis;
  private readonly fallback: RateLimitStore;
  private opening: Promise<void> | undefined;
  private inFlight = 0;
  private isAlone = false;
  private isClosed = false;
  private probing: NodeJS.Timeout | undefined;
  private lastError: Error | undefined;
  /** performance.now() of the last answer, or of the first request since. */
  private silentSince = 0;
  private readonly waitMs: number;

  /** Connects at the first request. */
  constructor(private readonly options: RedisBucketsOptions) {
    this.fallback = options.fallback ?? new MemoryBuckets();
    this.waitMs = options.waitMs ?? WAIT_MS;
    this.client = new Redis({
      ...redisOptions(options.connection, 'vuka-limits'),
      socketTimeout: SILENT_MS,
      // No waiting or resending: an unanswered request was counted locally.
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
    });
    this.client.on('error', (error) => {
      this.lastError = error;
    });
  }

  get isShared(): boolean {
    return !this.isAlone;
  }

  take(key: string, policy: RatePolicy, nowMs: number): Taken | Promise<Taken> {
    if (this.isAlone || this.inFlight >= MAX_IN_FLIGHT) return this.fallback.take(key, policy, nowMs);
    return this.takeShared(key, policy, nowMs);
  }

  /** A lost answer leaves one token less until it refills. */
  async giveBack(key: string, policy: RatePolicy, nowMs: number): Promise<void> {
    await this.fallback.giveBack(key, policy, nowMs);
    if (this.isAlone || this.inFlight >= MAX_IN_FLIGHT) return;
    await this.ask(key, policy, this.waitMs, -ONE_TOKEN).catch((error: unknown) => this.countAlone(error));
  }

  /** Never throws. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.isAlone = true;
    clearTimeout(this.probing);
    dropClient(this.client);
    await this.opening?.catch(() => undefined);
  }

  private async takeShared(key: string, policy: RatePolicy, nowMs: number): Promise<Taken> {
    const taken = await this.ask(key, policy, this.waitMs).catch((error: unknown) => this.countAlone(error));
    if (taken === LATE && performance.now() - this.silentSince >= AWAY_AFTER_MS)
      this.countAlone(new Error(`no answer for ${AWAY_AFTER_MS} ms`));
    if (taken === undefined || taken === LATE) return this.fallback.take(key, policy, nowMs);
    // Locally too: used tokens must not come back when Redis goes away.
    if (taken.allowed) await this.fallback.take(key, policy, nowMs);
    return taken;
  }

  private ask(key: string, policy: RatePolicy, waitMs: number, token = ONE_TOKEN): Promise<Taken | typeof LATE> {
    if (this.inFlight === 0) this.silentSince = performance.now();
    this.inFlight += 1;
    const answer = this.run(key, policy, token).finally(() => {
      this.inFlight -= 1;
      this.silentSince = performance.now();
    });
    return withinOrLate(waitMs, answer);
  }

  private async run(key: string, policy: RatePolicy, token: number): Promise<Taken> {
    const { client } = this;
    if (client.status === 'wait') this.opening = client.connect();
    if (client.status !== 'ready') await this.opening;
    const place = `${this.options.connection.prefix}limits:${policy.name}:${key}`;
    const args = [1, place, policy.burst * ONE_TOKEN, token, refillPerMs(policy.ratePerS)] as const;
    const [allowed, debt] = (await client.evalsha(SCRIPT_SHA, ...args).catch((error: Error) => {
      // After a restart or SCRIPT FLUSH.
      if (!error.message.startsWith('NOSCRIPT')) throw error;
      return client.eval(SCRIPT, ...args);
    })) as [number, number];
    return takenOf(allowed === 1, debt, policy);
  }

  private countAlone(error: unknown): undefined {
    if (this.isAlone) return;
    this.isAlone = true;
    const err = this.client.status === 'ready' ? error : (this.lastError ?? error);
    this.options.log.warn(
      { code: 'limits_not_shared', err },
      'Redis does not answer: each process now counts its limits alone',
    );
    this.probeLater();
  }

  private probeLater(): void {
    this.probing = setTimeout(() => {
      this.probe()
        .catch(() => false)
        .then(
          (isBack) => {
            this.onProbed(isBack);
          },
          () => undefined,
        );
    }, PROBE_EVERY_MS).unref();
  }

  private async probe(): Promise<boolean> {
    if (this.client.status !== 'ready' || this.inFlight > 0) return false;
    // Half the time, so that a slow Redis does not flap.
    return (await this.ask('', PROBE, this.waitMs / 2)) !== LATE;
  }

  private onProbed(isBack: boolean): void {
    if (this.isClosed) return;
    if (!isBack) {
      this.probeLater();
      return;
    }
    this.isAlone = false;
    this.options.log.info({ code: 'limits_shared' }, 'Redis answers again; limits are shared');
  }
}

/** After a stall, received answers are read before any is late. */
function withinOrLate<T>(ms: number, work: Promise<T>): Promise<T | typeof LATE> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () =>
        setImmediate(() => {
          resolve(LATE);
        }),
      ms,
    );
    work
      .finally(() => {
        clearTimeout(timer);
      })
      .then(resolve, reject);
  });
}
