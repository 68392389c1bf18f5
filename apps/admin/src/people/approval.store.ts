import type { Role } from '@vuka/contracts';
import type { Queryable } from '@vuka/persistence';

export interface Approval {
  readonly id: number;
  readonly operationId: string;
  readonly service: string;
  readonly method: string;
  /** Tagged JSON. */
  readonly args: readonly unknown[];
  readonly says: string;
  readonly askedBy: string;
  readonly askedRole: Role;
  readonly askedAt: Date;
  readonly expiresAt: Date;
  /** `approved`: agreed, and not known to be done. */
  readonly state: 'waiting' | 'approved' | 'done' | 'refused' | 'declined';
  readonly decidedBy: string | null;
  readonly decidedAt: Date | null;
  readonly detail: string | null;
}

export type NewApproval = Omit<Approval, 'id' | 'state' | 'decidedBy' | 'decidedAt' | 'detail'>;

type Row = Omit<Approval, 'args'> & { readonly args: string };

const COLUMNS = `id::float8 as id, operation_id as "operationId", service, method, args, says, asked_by as "askedBy", asked_role as "askedRole", asked_at as "askedAt",
  expires_at as "expiresAt", state, decided_by as "decidedBy", decided_at as "decidedAt", detail`;

export async function insertApproval(tx: Queryable, wish: NewApproval): Promise<Approval> {
  const rows = await tx.query<Row>(
    `insert into approvals (operation_id, service, method, args, says, asked_by, asked_role, asked_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning ${COLUMNS}`,
    [
      wish.operationId,
      wish.service,
      wish.method,
      JSON.stringify(wish.args),
      wish.says,
      wish.askedBy,
      wish.askedRole,
      wish.askedAt,
      wish.expiresAt,
    ],
  );
  return approvalOf(rows);
}

/** What the same person asked for already, and waits. */
export async function sameWaiting(db: Queryable, wish: NewApproval): Promise<Approval | undefined> {
  const rows = await db.query<Row>(
    `select ${COLUMNS} from approvals where state = 'waiting' and service = $1 and method = $2 and args = $3 and asked_by = $4 and expires_at > $5 limit 1`,
    [wish.service, wish.method, JSON.stringify(wish.args), wish.askedBy, wish.askedAt],
  );
  return rows.map(withArgs)[0];
}

/** Until the transaction ends only the caller decides. */
export async function lockApproval(tx: Queryable, id: number): Promise<Approval | undefined> {
  const rows = await tx.query<Row>(`select ${COLUMNS} from approvals where id = $1 for no key update`, [id]);
  return rows.map(withArgs)[0];
}

export async function decide(
  tx: Queryable,
  id: number,
  { state, by, at, detail }: Pick<Approval, 'state' | 'detail'> & { readonly by: string; readonly at: Date },
): Promise<Approval> {
  const rows = await tx.query<Row>(
    `update approvals set state = $2, decided_by = $3, decided_at = $4, detail = $5 where id = $1 and state = 'waiting' returning ${COLUMNS}`,
    [id, state, by, at, detail],
  );
  return approvalOf(rows);
}

/** What became of one that was agreed to. */
export async function end(
  db: Queryable,
  id: number,
  { state, detail }: Pick<Approval, 'state' | 'detail'>,
): Promise<Approval> {
  const rows = await db.query<Row>(
    `update approvals set state = $2, detail = $3 where id = $1 and state in ('approved', $2) returning ${COLUMNS}`,
    [id, state, detail],
  );
  return approvalOf(rows);
}

/** The newest first. `open`: those that somebody can still do something about. */
export async function listApprovals(
  db: Queryable,
  {
    open,
    before,
    limit,
    now,
  }: { readonly open: boolean; readonly before: number | null; readonly limit: number; readonly now: Date },
): Promise<Approval[]> {
  const rows = await db.query<Row>(
    `select ${COLUMNS} from approvals
      where (not $1::boolean or state = 'approved' or (state = 'waiting' and expires_at > $2)) and ($3::bigint is null or id < $3)
      order by id desc limit $4`,
    [open, now, before, limit],
  );
  return rows.map(withArgs);
}

function approvalOf(rows: readonly Row[]): Approval {
  const [row] = rows;
  if (row === undefined) throw new Error('an approval is where it was');
  return withArgs(row);
}

function withArgs(row: Row): Approval {
  return { ...row, args: JSON.parse(row.args) as unknown[] };
}
