import { Inject, Injectable } from '@nestjs/common';
import type { AddressRanges, Settings } from '@vuka/config';
import { type Clock, isWithin, type Moment, momentOf, type MonotonicClock } from '@vuka/runtime';
import { CLOCK, KEY_PEPPERS, type KeyPeppers, SETTINGS } from '@vuka/service-host';

import { DATABASE_WAIT_MS, InTurn, withTimeout } from '../calls/index.js';
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

/** null, with no difference between missing, malformed, unknown, revoked, expired and foreign. */
@Injectable()
export class AuthenticateCaller {
  private readonly found = new Map<string, CachedKey>();
  private readonly missed = new Map<string, CachedKey>();
  private readonly loading = new Map<string, Promise<StoredKey | null>>();
  private readonly strangers = new InTurn(STRANGERS_AT_ONCE);

  constructor(
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'env'>,
    @Inject(KEY_PEPPERS) private readonly peppers: KeyPeppers,
    @Inject(CLOCK) private readonly clock: Clock & MonotonicClock,
    @Inject(KeysStore) private readonly keys: Pick<KeysStore, 'findKey'>,
  ) {}

  /** Throws if the database cannot be asked. */
  async run(header: string | string[] | undefined): Promise<Caller | null> {
    if (typeof header !== 'string') return null;
    const parts = parseApiKey(header);
    if (parts === null || parts.environment !== environmentOf(this.settings)) return null;
    const key = await this.lookUp(parts.visiblePrefix);
    if (key === null || !isKeyOf(header, key, this.peppers)) return null;
    // Do not compare times: another clock set this one.
    if (key.revokedAt !== null) return null;
    if (key.expiresAt !== null && key.expiresAt <= this.clock.now()) return null;
    const { partnerId, kind, scopes, addresses, webhookUrl, suspended, terms } = key;
    return { partnerId, visiblePrefix: parts.visiblePrefix, kind, scopes, addresses, webhookUrl, suspended, terms };
  }

  /** Also drops a lookup in progress, so that a change made here counts at once. */
  forget(visiblePrefix: string): void {
    this.found.delete(visiblePrefix);
    this.missed.delete(visiblePrefix);
    this.loading.delete(visiblePrefix);
  }

  private async lookUp(prefix: string): Promise<StoredKey | null> {
    const now = momentOf(this.clock);
    const hit = this.found.get(prefix) ?? this.missed.get(prefix);
    if (hit !== undefined && isWithin(hit.key === null ? MISS_CACHE_MS : CACHE_MS, hit.askedAt, now)) return hit.key;
    const running = this.loading.get(prefix) ?? this.load(prefix, now);
    return running;
  }

  /** Concurrent requests share one query. Its result is not cached after a forget(). */
  private load(prefix: string, askedAt: Moment): Promise<StoredKey | null> {
    let over = false;
    const query = async (): Promise<StoredKey | null> => (over ? null : this.keys.findKey(prefix));
    const work = this.found.has(prefix) ? query() : this.strangers.run(query);
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
