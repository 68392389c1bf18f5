import { createPublicKey, type KeyObject } from 'node:crypto';

import { isWithin, type Moment, momentOf, type Clock, type MonotonicClock } from '@vuka/runtime';
import { z } from 'zod';

import type { ProviderReply } from '../../provider-http.js';
import type { Keys } from './signature.js';

/** Keys that were withdrawn are forgotten by then. */
const KEPT_FOR_MS = 3_600_000;
/** Callbacks with made-up key ids must not make us call pawaPay for each. */
const ASKED_EVERY_MS = 60_000;
const MAX_KEYS = 16;

const answer = z.array(z.object({ id: z.string().min(1).max(200), key: z.string().max(8_192) })).max(MAX_KEYS);

const NO_KEYS: Keys = new Map();

/** [D] GET /v2/public-key/http: `[{ id, key }]`, the key as PEM. null where none can be read. */
export function readPublicKeys(reply: ProviderReply): Keys | null {
  if (reply.kind === 'no_answer' || reply.status !== 200) return null;
  const { data } = answer.safeParse(reply.body);
  const keys = new Map<string, KeyObject>();
  for (const { id, key } of data ?? []) {
    const read = publicKey(key);
    // One id for two keys would let either pass for the other.
    if (keys.has(id)) return null;
    if (read !== null) keys.set(id, read);
  }
  return keys.size === 0 ? null : keys;
}

/** pawaPay's public keys, fetched when they are first needed, when they are old, and once for an id that is not among them. */
export class PublicKeys {
  #keys: Keys = NO_KEYS;
  #readAt: Moment | null = null;
  #askedAt: Moment | null = null;
  #asking: Promise<void> | null = null;

  constructor(
    private readonly ask: () => Promise<ProviderReply>,
    private readonly clock: Clock & MonotonicClock,
  ) {}

  /** All known keys. An unknown id has them fetched anew, at most once a minute; none where they cannot be fetched. */
  async forKey(id: string): Promise<Keys> {
    if (!this.#known().has(id) && !this.#within(ASKED_EVERY_MS, this.#askedAt)) {
      this.#asking ??= this.#fetch().finally(() => (this.#asking = null));
    }
    if (this.#asking !== null) await this.#asking;
    return this.#known();
  }

  #known(): Keys {
    return this.#within(KEPT_FOR_MS, this.#readAt) ? this.#keys : NO_KEYS;
  }

  #within(ms: number, from: Moment | null): boolean {
    return from !== null && isWithin(ms, from, momentOf(this.clock));
  }

  async #fetch(): Promise<void> {
    this.#askedAt = momentOf(this.clock);
    const keys = readPublicKeys(await this.ask());
    if (keys === null) return;
    this.#keys = keys;
    this.#readAt = momentOf(this.clock);
  }
}

function publicKey(pem: string): KeyObject | null {
  // A private key would be read as well, and as its public half.
  if (!pem.trimStart().startsWith('-----BEGIN PUBLIC KEY-----')) return null;
  try {
    return createPublicKey(pem);
  } catch {
    return null;
  }
}
