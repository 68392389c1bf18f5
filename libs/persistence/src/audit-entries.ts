import { currentOperation, OperationDoneError } from '@vuka/runtime';

import { maskDetails, maskTyped } from './audit-text.js';
import type { Transaction } from './connection/database.js';
import { isUniqueViolation } from './connection/database-errors.js';
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

/** A try that comes after another's commit finds its entry; one at the same time waits on the unique step, and fails. */
const INSERT = `insert into audit_entries (at, by_whom, act, partner_id, subject, reason, approved_by, details, role, operation_id, operation_step, operation_run)
  select $1::timestamptz, $2, $3, $4::bigint, $5, $6, $7, $8::jsonb, $9, $10::uuid,
         case when $10::uuid is null then null else (select count(*) from audit_entries where operation_id = $10) end, $11::uuid
   where $10::uuid is null or not exists (select from audit_entries where operation_id = $10 and operation_run <> $11::uuid)
  returning id`;

/**
 * In the transaction of the change: neither exists without the other. Throws OperationDoneError where the operation
 * was done before, which rolls the change back. What people typed is masked.
 */
export async function recordAuditEntry(tx: Pick<Transaction, 'query'>, act: AuditEntry): Promise<void> {
  const operation = currentOperation();
  const values = [
    act.at,
    act.by,
    act.act,
    act.partnerId,
    act.subject,
    maskTyped(act.reason),
    act.approvedBy ?? operation?.approvedBy ?? null,
    JSON.stringify(maskDetails(act.details ?? {})),
    operation?.role ?? null,
    operation?.id ?? null,
    operation?.run ?? null,
  ];
  const kept = await tx.query(INSERT, values).catch((error: unknown) => {
    if (operation !== undefined && isUniqueViolation(error, 'acts_operation_key'))
      throw new OperationDoneError(operation.id);
    throw error;
  });
  if (kept.length === 0) throw new OperationDoneError(operation?.id ?? '');
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
