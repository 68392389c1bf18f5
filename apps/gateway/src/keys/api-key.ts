import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

import type { Settings } from '@vuka/config';
import type { KeyPeppers } from '@vuka/service-host';

import type { KeyKind } from '../operations/index.js';

/** `vk_{test|live}_{consumer|checkout}_<id>_<secret>` (decisions.md section 7). */
export interface ApiKeyParts {
  readonly environment: 'test' | 'live';
  readonly kind: KeyKind;
  /** All before the secret. It may be shown; keys are looked up by it. */
  readonly visiblePrefix: string;
}

export function environmentOf({ env }: Pick<Settings, 'env'>): ApiKeyParts['environment'] {
  return env === 'live' ? 'live' : 'test';
}

const FORMAT = /^(vk_(test|live)_(consumer|checkout)_[A-Za-z0-9-]{1,64})_[A-Za-z0-9_-]{16,128}$/;

export function parseApiKey(text: string): ApiKeyParts | null {
  const match = FORMAT.exec(text);
  if (match === null) return null;
  const [, visiblePrefix, environment, kind] = match as unknown as [string, string, 'test' | 'live', KeyKind];
  return { environment, kind, visiblePrefix };
}

const ID_BYTES = 8;
const SECRET_BYTES = 32;

export function newApiKey(environment: ApiKeyParts['environment'], kind: KeyKind): string {
  return `vk_${environment}_${kind}_${randomBytes(ID_BYTES).toString('hex')}_${randomBytes(SECRET_BYTES).toString('base64url')}`;
}

/** As stored. The pepper is outside the database, so a copy of the table opens nothing. */
export interface HashedKey {
  readonly hash: Buffer;
  /** Id of the pepper that it is hashed with. */
  readonly pepper: string;
}

/** With the newest pepper. */
export function hashApiKey(text: string, [pepper]: KeyPeppers): HashedKey {
  if (pepper === undefined) throw new Error('there is no key pepper');
  return { hash: hashWith(pepper.key, text), pepper: pepper.id };
}

/** False also for a key under a pepper that is gone: it opens nothing any more. */
export function isKeyOf(text: string, stored: HashedKey, peppers: KeyPeppers): boolean {
  const pepper = peppers.find(({ id }) => id === stored.pepper);
  return pepper !== undefined && sameHash(hashWith(pepper.key, text), stored.hash);
}

function hashWith(pepper: Buffer, text: string): Buffer {
  return createHmac('sha256', pepper).update(text).digest();
}

function sameHash(left: Buffer, right: Buffer): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}
