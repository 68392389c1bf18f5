import { Inject, Injectable } from '@nestjs/common';
import type { Settings } from '@vuka/config';
import { acts, partnerIdGiven, reads, reasonGiven } from '@vuka/contracts';
import { fail, ok, type Result } from '@vuka/domain';
import { Database, recordAuditEntry, type Transaction } from '@vuka/persistence';
import type { Clock } from '@vuka/runtime';
import { CLOCK, KEY_PEPPERS, type KeyPeppers, SETTINGS } from '@vuka/service-host';
import { z } from 'zod';

import {
  countLiveKeys,
  environmentOf,
  findIssuedKey,
  hashApiKey,
  insertIssuedKey,
  type IssuedKey,
  type KeyRestrictions,
  keyRestrictionsOf,
  listIssuedKeys,
  lockKeysOf,
  newApiKey,
  parseApiKey,
  replaceIssuedKey,
  revokeIssuedKey,
} from '../keys/index.js';
import type { KeyKind } from '../operations/index.js';
import { keyView, stateOf, type KeyView } from './key-view.js';

/** Absent: unchanged, or unlimited. */
type GivenTerms = Partial<KeyRestrictions>;

export interface KeyToMake extends GivenTerms {
  readonly partnerId: number;
  readonly kind: KeyKind;
  readonly by: string;
  readonly reason: string;
}

export interface KeyToRotate extends GivenTerms {
  /** Visible prefix. */
  readonly key: string;
  /** Hours that the old key still works; 0 revokes it at once. */
  readonly overlapHours?: number;
  readonly by: string;
  readonly reason: string;
}

export interface KeyToRevoke {
  readonly key: string;
  readonly by: string;
  readonly reason: string;
}

export interface MadeKey {
  /** The whole key; never shown again. */
  readonly key: string;
  readonly issued: KeyView;
  readonly replaced: KeyView | null;
}

/** Per partner, of both kinds. */
export const MOST_LIVE_KEYS = 50;
export const DEFAULT_OVERLAP_HOURS = 24;
const LONGEST_OVERLAP_HOURS = 30 * 24;
const HOUR_MS = 3_600_000;
const LONGEST_LIST = 500;
const UNLIMITED: KeyRestrictions = { label: null, scopes: null, addresses: null, expiresAt: null };
const NO_SUCH_KEY = fail({
  code: 'not_found',
  message: 'There is no such key. Give the visible part of the key, before its secret: vk_<test or live>_<kind>_<id>',
} as const);

/**
 * A partner's keys (docs/partners/keys.md). Each change and its audit entry are one commit; every gateway sees it
 * within 5 s.
 */
@Injectable()
export class KeyAdmin {
  constructor(
    private readonly db: Database,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'env'>,
    @Inject(KEY_PEPPERS) private readonly peppers: KeyPeppers,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Live ones first, then newest. */
  async listKeys(partnerId: number): Promise<KeyView[]> {
    const now = this.clock.now();
    return (await listIssuedKeys(this.db, partnerId, now, LONGEST_LIST)).map((key) => keyView(key, now));
  }

  /** Errors: not_found, invalid_request. */
  issueKey({ partnerId, kind, by, reason, ...given }: KeyToMake): Promise<Result<MadeKey>> {
    const now = this.clock.now();
    const terms = keyRestrictionsOf(kind, { ...UNLIMITED, ...given }, now);
    if (!terms.ok) return Promise.resolve(terms);
    return this.db.inTransaction(async (tx) => {
      if (!(await lockKeysOf(tx, partnerId)))
        return fail({ code: 'not_found', message: `There is no partner ${String(partnerId)}` });
      const tooMany = tooManyKeys(await countLiveKeys(tx, partnerId, now));
      if (tooMany !== null) return tooMany;
      const made = await this.make(tx, { partnerId, kind, terms: terms.value, by, now });
      const { visible_prefix: subject } = made.issued;
      await recordAuditEntry(tx, {
        by,
        act: 'key.issued',
        partnerId,
        subject,
        reason,
        details: detailsOf(kind, terms.value),
        at: now,
      });
      return ok({ ...made, replaced: null });
    });
  }

  /**
   * Replaces a live key by one of the same kind. Label, scopes and addresses stay unless given. Errors: not_found,
   * invalid_request.
   */
  rotateKey({
    key,
    overlapHours = DEFAULT_OVERLAP_HOURS,
    by,
    reason,
    ...given
  }: KeyToRotate): Promise<Result<MadeKey>> {
    const now = this.clock.now();
    return this.withKey(key, async (tx, old) => {
      const over = whyNotRotated(old, now);
      if (over !== null) return fail({ code: 'invalid_request', message: over });
      const { partnerId, kind, label, scopes, addresses } = old;
      const terms = keyRestrictionsOf(kind, { label, scopes, addresses, expiresAt: null, ...given }, now);
      if (!terms.ok) return terms;
      const tooMany = tooManyKeys((await countLiveKeys(tx, partnerId, now)) - (overlapHours === 0 ? 1 : 0));
      if (tooMany !== null) return tooMany;
      const made = await this.make(tx, { partnerId, kind, terms: terms.value, by, now });
      await replaceIssuedKey(
        tx,
        old.visiblePrefix,
        made.issued.visible_prefix,
        new Date(now.getTime() + overlapHours * HOUR_MS),
      );
      // An expiry alone would let a gateway with a slow clock accept it longer.
      if (overlapHours === 0) await revokeIssuedKey(tx, old.visiblePrefix, by, now);
      const details = {
        ...detailsOf(kind, terms.value),
        replaced_by: made.issued.visible_prefix,
        overlap_hours: overlapHours,
      };
      await recordAuditEntry(tx, {
        by,
        act: 'key.rotated',
        partnerId,
        subject: old.visiblePrefix,
        reason,
        details,
        at: now,
      });
      const replaced = await findIssuedKey(tx, old.visiblePrefix);
      return ok({ ...made, replaced: replaced && keyView(replaced, now) });
    });
  }

  /** Errors: not_found, invalid_request. */
  revokeKey({ key, by, reason }: KeyToRevoke): Promise<Result<KeyView>> {
    const now = this.clock.now();
    return this.withKey(key, async (tx, old) => {
      if (old.revokedAt !== null) return fail({ code: 'invalid_request', message: revokedBefore(old, old.revokedAt) });
      await revokeIssuedKey(tx, old.visiblePrefix, by, now);
      await recordAuditEntry(tx, {
        by,
        act: 'key.revoked',
        partnerId: old.partnerId,
        subject: old.visiblePrefix,
        reason,
        details: { kind: old.kind, label: old.label },
        at: now,
      });
      return ok(keyView({ ...old, revokedAt: now, revokedBy: by }, now));
    });
  }

  /** `key` may be a whole leaked key: its secret is neither checked nor repeated. */
  private async withKey<T>(
    given: string,
    work: (tx: Transaction, key: IssuedKey) => Promise<Result<T>>,
  ): Promise<Result<T>> {
    const visiblePrefix = parseApiKey(given)?.visiblePrefix ?? given;
    return this.db.inTransaction(async (tx) => {
      const found = await findIssuedKey(tx, visiblePrefix);
      if (found === null) return NO_SUCH_KEY;
      await lockKeysOf(tx, found.partnerId);
      const key = await findIssuedKey(tx, visiblePrefix);
      return key === null ? NO_SUCH_KEY : work(tx, key);
    });
  }

  private async make(
    tx: Transaction,
    {
      partnerId,
      kind,
      terms,
      by,
      now,
    }: { partnerId: number; kind: KeyKind; terms: KeyRestrictions; by: string; now: Date },
  ): Promise<Pick<MadeKey, 'key' | 'issued'>> {
    const key = newApiKey(environmentOf(this.settings), kind);
    const visiblePrefix = parseApiKey(key)?.visiblePrefix;
    if (visiblePrefix === undefined) throw new Error('A key was made that no gateway would read');
    await insertIssuedKey(tx, {
      ...terms,
      visiblePrefix,
      ...hashApiKey(key, this.peppers),
      partnerId,
      kind,
      by,
      at: now,
    });
    const unused = {
      createdAt: now,
      createdBy: by,
      revokedAt: null,
      revokedBy: null,
      lastUsedAt: null,
      replacedBy: null,
    };
    return { key, issued: keyView({ ...terms, ...unused, visiblePrefix, partnerId, kind }, now) };
  }
}

function tooManyKeys(live: number): Result<never> | null {
  if (live < MOST_LIVE_KEYS) return null;
  return fail({
    code: 'invalid_request',
    message: `The partner has ${String(live)} valid keys, and the limit is ${String(MOST_LIVE_KEYS)}. Revoke a key that is no longer used`,
  });
}

function whyNotRotated(key: IssuedKey, now: Date): string | null {
  if (key.revokedAt !== null) return `${revokedBefore(key, key.revokedAt)}. Issue a new one`;
  if (stateOf(key, now) === 'expired')
    return `The key ${key.visiblePrefix} expired at ${String(key.expiresAt?.toISOString())}. Issue a new one`;
  return key.replacedBy === null
    ? null
    : `The key ${key.visiblePrefix} was rotated already, and ${key.replacedBy} replaced it. Rotate that one`;
}

function revokedBefore(key: IssuedKey, revokedAt: Date): string {
  return `The key ${key.visiblePrefix} was revoked at ${revokedAt.toISOString()}${key.revokedBy === null ? '' : ` by ${key.revokedBy}`}`;
}

function detailsOf(
  kind: KeyKind,
  { label, scopes, addresses, expiresAt }: KeyRestrictions,
): Readonly<Record<string, unknown>> {
  return { kind, label, scopes, addresses, expires_at: expiresAt?.toISOString() ?? null };
}

const label = z
  .string()
  .trim()
  .min(1)
  .max(80)
  .regex(/^\P{Cc}*$/u);
const given = {
  label: label.nullable().exactOptional(),
  scopes: z.array(z.string().max(40)).max(20).nullable().exactOptional(),
  addresses: z.array(z.string().max(64)).max(200).nullable().exactOptional(),
  expiresAt: z.date().nullable().exactOptional(),
};
const keyName = z.string().trim().min(1).max(300);

export const keyAdminMethods = (admin: KeyAdmin) => ({
  listKeys: reads([partnerIdGiven], (partnerId) => admin.listKeys(partnerId)),
  issueKey: acts(
    { partnerId: partnerIdGiven, kind: z.enum(['consumer', 'checkout']), ...given, reason: reasonGiven },
    (key) => admin.issueKey(key),
  ),
  rotateKey: acts(
    {
      key: keyName,
      overlapHours: z.int().min(0).max(LONGEST_OVERLAP_HOURS).exactOptional(),
      ...given,
      reason: reasonGiven,
    },
    (key) => admin.rotateKey(key),
  ),
  revokeKey: acts({ key: keyName, reason: reasonGiven }, (key) => admin.revokeKey(key)),
});
