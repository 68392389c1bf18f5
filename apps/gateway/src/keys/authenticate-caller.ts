import { Inject, Injectable } from '@nestjs/common';
import type { AddressRanges, Settings } from '@vuka/config';
import { type Clock, isWithin, type Moment, momentOf, type MonotonicClock } from '@vuka/runtime';
import { CLOCK, KEY_PEPPER, SETTINGS } from '@vuka/service-host';

import { DATABASE_WAIT_MS, InTurn, withTimeout } from '../calls/index.js';
import type { KeyKind } from '../operations/index.js';
import { environmentOf, hashApiKey, parseApiKey, sameHash } from './api-key.js';
import { KeysStore, type StoredKey } from './keys.store.js';

/** Who is calling: the partner, and what the key that it showed may do. */
export interface Caller {
  readonly partnerId: number;
  /** Of the key: names it, and opens nothing. */
  readonly visiblePrefix: string;
  readonly kind: KeyKind;
  /** null: everything that its kind may do. */
  readonly scopes: readonly string[] | null;
  /** Where the key may be used from; null: anywhere. */
  readonly addresses: AddressRanges | null;
  /** The partner's default webhook URL, null for none. */
  readonly webhookUrl: string | null;
  /** The partner may start nothing. */
  readonly suspended: boolean;
  /** The partner's own rows of limits and service fees, as they were kept; null: the deployment's hold. */
  readonly terms: unknown;
}

interface CachedKey {
  readonly key: StoredKey | null;
  /** Before the database was asked. */
  readonly askedAt: Moment;
}

/**
 * What is known of a key may be this old at most, in every gateway: a key revoked, expired, limited or made, a partner's suspension, terms
 * or new webhook URL is seen by all of them within it, for nobody tells them.
 */
const CACHE_MS = 5_000;
/** Unknown keys are remembered apart, so that guesses can never push real keys out. */
const MISS_CACHE_MS = 1_000;
const MAX_CACHED = 10_000;
/**
 * Look-ups at once of keys that never opened here, in which guesses are: the database's other connections are for keys
 * that did, so that nobody who guesses makes them wait.
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

/** Turns an `x-api-key` into a caller, or null: missing, malformed, unknown, revoked, expired and foreign look the same. */
@Injectable()
export class AuthenticateCaller {
  private readonly found = new Map<string, CachedKey>();
  private readonly missed = new Map<string, CachedKey>();
  private readonly loading = new Map<string, Promise<StoredKey | null>>();
  private readonly strangers = new InTurn(STRANGERS_AT_ONCE);

  constructor(
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'env'>,
    @Inject(KEY_PEPPER) private readonly pepper: Buffer,
    @Inject(CLOCK) private readonly clock: Clock & MonotonicClock,
    @Inject(KeysStore) private readonly keys: Pick<KeysStore, 'findKey'>,
  ) {}

  /** Throws where the database cannot be asked. */
  async run(header: string | string[] | undefined): Promise<Caller | null> {
    if (typeof header !== 'string') return null;
    const parts = parseApiKey(header);
    if (parts === null || parts.environment !== environmentOf(this.settings)) return null;
    const key = await this.lookUp(parts.visiblePrefix);
    if (key === null || !sameHash(hashApiKey(header, this.pepper), key.hash)) return null;
    // Whatever this machine's clock says of that moment: it was another's.
    if (key.revokedAt !== null) return null;
    if (key.expiresAt !== null && key.expiresAt <= this.clock.now()) return null;
    const { partnerId, kind, scopes, addresses, webhookUrl, suspended, terms } = key;
    return { partnerId, visiblePrefix: parts.visiblePrefix, kind, scopes, addresses, webhookUrl, suspended, terms };
  }

  /** Drops what is known of a key and what is just being asked of it, so that a change made here is seen at once. */
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

  /** One query however many requests wait for the same key. What comes after a forget() is nobody's to keep. */
  private load(prefix: string, askedAt: Moment): Promise<StoredKey | null> {
    let over = false;
    // Whose turn comes after its time asks for nobody.
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
