import { Inject, Injectable } from '@nestjs/common';
import type { AddressRanges, Settings } from '@vuka/config';
import { fail, ok, type Result } from '@vuka/domain';
import { type Clock, isWithin, type Moment, momentOf, type MonotonicClock } from '@vuka/runtime';
import { CLOCK, KEY_PEPPERS, type KeyPeppers, SETTINGS } from '@vuka/service-host';

import { DATABASE_WAIT_MS, InTurn, QueueFullError, withTimeout } from '../calls/index.js';
import type { KeyKind } from '../operations/index.js';
import { environmentOf, isKeyOf, parseApiKey } from './api-key.js';
import { KeysStore, type StoredKey } from './keys.store.js';

export interface Caller {
  readonly partnerId: number;
  /** Not secret. */
  readonly visiblePrefix: string;
  readonly kind: KeyKind;
  /** null: all of its kind. */
  readonly scopes: readonly string[] | null;
  /** null: anywhere. */
  readonly addresses: AddressRanges | null;
  /** As stored: sealed by WebhookCipher. */
  readonly webhookUrl: string | null;
  /** May start nothing. */
  readonly suspended: boolean;
  /** As stored; null: the deployment's terms. */
  readonly terms: unknown;
}

/** For operators alone: the answer tells no difference. */
export type KeyRefusal =
  'missing' | 'malformed' | 'other_environment' | 'unknown' | 'wrong_secret' | 'revoked' | 'expired';

interface CachedKey {
  readonly key: StoredKey | null;
  /** Before the database was asked. */
  readonly askedAt: Moment;
}

/**
 * A change to a key, or to a partner's status, terms or webhook URL, reaches every gateway within this time, because
 * nothing notifies them.
 */
const CACHE_MS = 5_000;
/** Cached apart, so that guesses never evict real keys. */
const MISS_CACHE_MS = 1_000;
const MAX_CACHED = 10_000;
/**
 * Concurrent lookups of keys that never worked here. Other connections serve working keys, so guesses do not delay
 * them.
 */
const STRANGERS_AT_ONCE = 2;
/** Further ones are refused at once: some seconds of lookups. */
export const MOST_STRANGERS_WAITING = 1_000;
/** Prefixes that are looked up like those of keys that opened here. */
const MOST_LEARNED = 10_000;

function remember(cache: Map<string, CachedKey>, prefix: string, entry: CachedKey): void {
  cache.delete(prefix);
  if (cache.size >= MAX_CACHED) {
    for (const oldest of cache.keys()) {
      cache.delete(oldest);
      break;
    }
  }
  cache.set(prefix, entry);
}

@Injectable()
export class AuthenticateCaller {
  private readonly found = new Map<string, CachedKey>();
  private readonly missed = new Map<string, CachedKey>();
  private readonly loading = new Map<string, Promise<StoredKey | null>>();
  private readonly strangers = new InTurn(STRANGERS_AT_ONCE, MOST_STRANGERS_WAITING);
  private learned: ReadonlySet<string> = new Set();
  private learnedAt: Moment | undefined;
  private learning: Promise<void> | undefined;

  constructor(
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'env'>,
    @Inject(KEY_PEPPERS) private readonly peppers: KeyPeppers,
    @Inject(CLOCK) private readonly clock: Clock & MonotonicClock,
    @Inject(KeysStore) private readonly keys: Pick<KeysStore, 'findKey' | 'livePrefixes'>,
  ) {}

  /** Throws if the database cannot be asked, and QueueFullError. */
  async run(header: string | string[] | undefined): Promise<Result<Caller, KeyRefusal>> {
    const prefix = this.prefixOf(header);
    if (!prefix.ok) return prefix;
    const visiblePrefix = prefix.value;
    const key = await this.lookUp(visiblePrefix).catch(async (error: unknown) =>
      this.pastGuesses(visiblePrefix, error),
    );
    if (key === null) return fail('unknown');
    if (!isKeyOf(header as string, key, this.peppers)) return fail('wrong_secret');
    // Do not compare times: another clock set this one.
    if (key.revokedAt !== null) return fail('revoked');
    if (key.expiresAt !== null && key.expiresAt <= this.clock.now()) return fail('expired');
    const { partnerId, kind, scopes, addresses, webhookUrl, suspended, terms } = key;
    return ok({ partnerId, visiblePrefix, kind, scopes, addresses, webhookUrl, suspended, terms });
  }

  /** Guesses from many addresses, each below its limit, fill the queue: a key that there is does not wait in it. */
  private async pastGuesses(prefix: string, error: unknown): Promise<StoredKey | null> {
    if (!(error instanceof QueueFullError)) throw error;
    await this.learn();
    if (!this.isKnown(prefix)) throw error;
    return this.lookUp(prefix);
  }

  /** Only the database knows, and the key may be a guess: count it before it waits. */
  isStranger(header: string | string[] | undefined): boolean {
    const prefix = this.prefixOf(header);
    return prefix.ok && !this.isKnown(prefix.value) && this.cached(prefix.value, momentOf(this.clock)) === undefined;
  }

  /**
   * Learns which keys there are, at most once in five seconds. After a restart and for new keys: what is known is
   * not refused because of guesses from its address. Never throws.
   */
  learn(): Promise<void> {
    const now = momentOf(this.clock);
    if (this.learnedAt !== undefined && isWithin(CACHE_MS, this.learnedAt, now))
      return this.learning ?? Promise.resolve();
    this.learnedAt = now;
    this.learning = withTimeout(
      DATABASE_WAIT_MS,
      'list keys',
      this.keys.livePrefixes(this.clock.now(), MOST_LEARNED),
    ).then(
      (prefixes) => void (this.learned = new Set(prefixes)),
      () => undefined,
    );
    return this.learning;
  }

  /** Also drops a lookup in progress, so that a change made here counts at once. */
  forget(visiblePrefix: string): void {
    this.found.delete(visiblePrefix);
    this.missed.delete(visiblePrefix);
    this.loading.delete(visiblePrefix);
  }

  /** The visible beginning. */
  private prefixOf(header: string | string[] | undefined): Result<string, KeyRefusal> {
    if (header === undefined || header === '') return fail('missing');
    const parts = typeof header === 'string' ? parseApiKey(header) : null;
    if (parts === null) return fail('malformed');
    return parts.environment === environmentOf(this.settings) ? ok(parts.visiblePrefix) : fail('other_environment');
  }

  private isKnown(prefix: string): boolean {
    return this.found.has(prefix) || this.learned.has(prefix);
  }

  private cached(prefix: string, now: Moment): CachedKey | undefined {
    const hit = this.found.get(prefix) ?? this.missed.get(prefix);
    return hit !== undefined && isWithin(hit.key === null ? MISS_CACHE_MS : CACHE_MS, hit.askedAt, now)
      ? hit
      : undefined;
  }

  private async lookUp(prefix: string): Promise<StoredKey | null> {
    const now = momentOf(this.clock);
    const hit = this.cached(prefix, now);
    return hit === undefined ? (this.loading.get(prefix) ?? this.load(prefix, now)) : hit.key;
  }

  /** Concurrent requests share one query. Its result is not cached after a forget(). */
  private load(prefix: string, askedAt: Moment): Promise<StoredKey | null> {
    let over = false;
    const query = async (): Promise<StoredKey | null> => (over ? null : this.keys.findKey(prefix));
    const work = this.isKnown(prefix) ? query() : this.strangers.run(query);
    const running = withTimeout(DATABASE_WAIT_MS, 'find a key', work)
      .then((key) => {
        if (this.loading.get(prefix) === running) {
          this.forget(prefix);
          remember(key === null ? this.missed : this.found, prefix, { key, askedAt });
        }
        return key;
      })
      .finally(() => {
        over = true;
        if (this.loading.get(prefix) === running) this.loading.delete(prefix);
      });
    this.loading.set(prefix, running);
    return running;
  }
}
