import type { Transaction } from './connection/database.js';
import type { Queryable } from './connection/queryable.js';

/** What a person had done, as it is written beside what it changed. */
export interface AuditEntry {
  /** Who: as its credential names it, or as it was said where whoever holds the data folder speaks for anybody. */
  readonly by: string;
  /** `<subject>.<past fact>`, such as `key.revoked`. */
  readonly act: string;
  /** The partner it is about, null for none. */
  readonly partnerId: number | null;
  /** What it was done to: a key's visible prefix, a wallet, an incident's number. Never a secret, never a number of a person. */
  readonly subject: string;
  /** Why, and where that can be seen. */
  readonly reason: string;
  /** Whose word was needed beside `by`'s; null where one is enough. */
  readonly approvedBy?: string | null;
  /** What it was before and after, as far as that is no secret. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly at: Date;
}

export interface KeptAuditEntry extends Required<AuditEntry> {
  readonly id: number;
}

export interface AuditPage {
  readonly partnerId?: number;
  /** Who had it done, or approved it. */
  readonly by?: string;
  /** The page before ended with this one. */
  readonly before?: number;
  /** At most 500 are given. */
  readonly limit: number;
}

const LONGEST_PAGE = 500;

/** Writes an act in the transaction of what it changes: neither is there without the other. */
export async function recordAuditEntry(tx: Pick<Transaction, 'query'>, act: AuditEntry): Promise<void> {
  await tx.query(
    `insert into audit_entries (at, by_whom, act, partner_id, subject, reason, approved_by, details) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      act.at,
      act.by,
      act.act,
      act.partnerId,
      act.subject,
      act.reason,
      act.approvedBy ?? null,
      JSON.stringify(act.details ?? {}),
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
