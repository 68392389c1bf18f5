import type { Queryable, Transaction } from '@vuka/persistence';

import type { KeyKind } from '../operations/index.js';
import type { KeyRestrictions } from './key-restrictions.js';

export interface IssuedKey extends KeyRestrictions {
  readonly visiblePrefix: string;
  readonly partnerId: number;
  readonly kind: KeyKind;
  readonly createdAt: Date;
  /** null: Vuka itself. */
  readonly createdBy: string | null;
  readonly revokedAt: Date | null;
  readonly revokedBy: string | null;
  readonly lastUsedAt: Date | null;
  /** Visible prefix of the replacement. */
  readonly replacedBy: string | null;
}

export interface KeyToIssue extends KeyRestrictions {
  readonly visiblePrefix: string;
  readonly hash: Buffer;
  readonly pepper: string;
  readonly partnerId: number;
  readonly kind: KeyKind;
  readonly by: string;
  readonly at: Date;
}

const COLUMNS = `k.visible_prefix as "visiblePrefix", k.partner_id::float8 as "partnerId", k.kind, k.label, k.scopes, k.addresses, k.expires_at as "expiresAt",
  k.created_at as "createdAt", k.created_by as "createdBy", k.revoked_at as "revokedAt", k.revoked_by as "revokedBy", k.last_used_at as "lastUsedAt", k.replaced_by as "replacedBy"`;
const IS_LIVE = 'k.revoked_at is null and (k.expires_at is null or k.expires_at > $2)';

/**
 * Locks the partner's set of keys until the transaction ends; false: no such partner. Take it before locking a key.
 */
export async function lockKeysOf(tx: Transaction, partnerId: number): Promise<boolean> {
  return (await tx.query('select 1 from partners where id = $1 for no key update', [partnerId])).length > 0;
}

export async function findIssuedKey(db: Queryable, visiblePrefix: string): Promise<IssuedKey | null> {
  const rows = await db.query<IssuedKey>(`select ${COLUMNS} from api_keys k where k.visible_prefix = $1`, [
    visiblePrefix,
  ]);
  return rows[0] ?? null;
}

export async function countLiveKeys(tx: Transaction, partnerId: number, now: Date): Promise<number> {
  const rows = await tx.query<{ live: number }>(
    `select count(*)::int as live from api_keys k where k.partner_id = $1 and ${IS_LIVE}`,
    [partnerId, now],
  );
  return rows[0]?.live ?? 0;
}

export function listIssuedKeys(db: Queryable, partnerId: number, now: Date, limit: number): Promise<IssuedKey[]> {
  return db.query<IssuedKey>(
    `select ${COLUMNS} from api_keys k where k.partner_id = $1 order by (${IS_LIVE}) desc, k.created_at desc, k.visible_prefix limit $3`,
    [partnerId, now, limit],
  );
}

export async function insertIssuedKey(tx: Transaction, key: KeyToIssue): Promise<void> {
  await tx.query(
    `insert into api_keys (visible_prefix, hash, partner_id, kind, label, scopes, addresses, expires_at, created_by, created_at, pepper)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      key.visiblePrefix,
      key.hash,
      key.partnerId,
      key.kind,
      key.label,
      key.scopes,
      key.addresses,
      key.expiresAt,
      key.by,
      key.at,
      key.pepper,
    ],
  );
}

export async function revokeIssuedKey(tx: Transaction, visiblePrefix: string, by: string, at: Date): Promise<void> {
  await tx.query('update api_keys set revoked_at = $2, revoked_by = $3 where visible_prefix = $1', [
    visiblePrefix,
    at,
    by,
  ]);
}

/** The key expires at the given time, unless it already expires before. */
export async function replaceIssuedKey(
  tx: Transaction,
  visiblePrefix: string,
  replacedBy: string,
  expiresAt: Date,
): Promise<void> {
  await tx.query('update api_keys set replaced_by = $2, expires_at = least(expires_at, $3) where visible_prefix = $1', [
    visiblePrefix,
    replacedBy,
    expiresAt,
  ]);
}
