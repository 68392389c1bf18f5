import { maskDetails, maskTyped } from './audit-text.js';
import type { Transaction } from './connection/database.js';
import type { Queryable } from './connection/queryable.js';

export interface AuditEntry {
  /** By credential, or as the holder of the data folder states it. */
  readonly by: string;
  /** `<subject>.<past fact>`: `key.revoked`. */
  readonly act: string;
  readonly partnerId: number | null;
  /** A key's visible prefix, a wallet, an incident. Never a secret or a person's number. */
  readonly subject: string;
  readonly reason: string;
  /** Second person, if needed. */
  readonly approvedBy?: string | null;
  /** Before and after; no secrets. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly at: Date;
}

export interface KeptAuditEntry extends Required<AuditEntry> {
  readonly id: number;
}

export interface AuditPage {
  readonly partnerId?: number;
  /** Author or approver. */
  readonly by?: string;
  /** Last id of the page before. */
  readonly before?: number;
  /** At most 500. */
  readonly limit: number;
}

const LONGEST_PAGE = 500;

/** In the transaction of the change: neither exists without the other. What people typed is masked. */
export async function recordAuditEntry(tx: Pick<Transaction, 'query'>, act: AuditEntry): Promise<void> {
  await tx.query(
    `insert into audit_entries (at, by_whom, act, partner_id, subject, reason, approved_by, details) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      act.at,
      act.by,
      act.act,
      act.partnerId,
      act.subject,
      maskTyped(act.reason),
      act.approvedBy ?? null,
      JSON.stringify(maskDetails(act.details ?? {})),
    ],
  );
}

/** Newest first. */
export function listAuditEntries(
  db: Queryable,
  { partnerId, by, before, limit }: AuditPage,
): Promise<KeptAuditEntry[]> {
  return db.query<KeptAuditEntry>(
    `select id::float8 as id, at, by_whom as "by", act, partner_id::float8 as "partnerId", subject, reason, approved_by as "approvedBy", details
       from audit_entries
      where ($1::bigint is null or partner_id = $1) and ($2::text is null or by_whom = $2 or approved_by = $2) and ($3::bigint is null or id < $3)
      order by id desc limit $4`,
    [partnerId ?? null, by ?? null, before ?? null, Math.min(limit, LONGEST_PAGE)],
  );
}
