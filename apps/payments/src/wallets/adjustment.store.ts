import { Inject, Injectable } from '@nestjs/common';
import { Database, type Queryable } from '@vuka/persistence';
import { decodeMoney, encodeMinor, type Money } from '@vuka/domain';

export type AdjustmentDirection = 'fund' | 'debit';

/** Once approved, in the ledger as `wallet-topped-up:<id>`. */
export interface KeptAdjustment {
  readonly id: number;
  readonly partnerId: number;
  readonly direction: AdjustmentDirection;
  readonly amount: Money;
  readonly reason: string;
  readonly proposedBy: string;
  readonly proposedAt: Date;
  readonly approvedBy: string | null;
  readonly approvedAt: Date | null;
  readonly withdrawnBy: string | null;
  readonly withdrawnAt: Date | null;
  readonly withdrawnWhy: string | null;
}

export interface NewAdjustment extends Pick<KeptAdjustment, 'partnerId' | 'direction' | 'amount' | 'reason'> {
  readonly by: string;
  readonly at: Date;
}

export interface AdjustmentsWanted {
  readonly partnerId?: number | undefined;
  readonly open?: boolean | undefined;
  /** The last id of the previous page. */
  readonly before?: number | undefined;
  readonly limit: number;
}

type Row = Omit<KeptAdjustment, 'id' | 'amount'> & { id: string; currency: string; amountMinor: string };

const COLUMNS = `id::text as id, partner_id as "partnerId", currency, direction, amount_minor::text as "amountMinor", reason, proposed_by as "proposedBy", proposed_at as "proposedAt",
  approved_by as "approvedBy", approved_at as "approvedAt", withdrawn_by as "withdrawnBy", withdrawn_at as "withdrawnAt", withdrawn_why as "withdrawnWhy"`;
const OPEN = 'approved_at is null and withdrawn_at is null';

@Injectable()
export class AdjustmentStore {
  constructor(@Inject(Database) private readonly db: Queryable) {}

  async propose({ partnerId, direction, amount, reason, by, at }: NewAdjustment): Promise<KeptAdjustment> {
    return this.one(
      `insert into adjustments (partner_id, currency, direction, amount_minor, reason, proposed_by, proposed_at) values ($1, $2, $3, $4, $5, $6, $7) returning ${COLUMNS}`,
      [partnerId, amount.currency, direction, encodeMinor(amount), reason, by, at],
    );
  }

  async byId(id: number): Promise<KeptAdjustment | undefined> {
    const rows = await this.db.query<Row>(`select ${COLUMNS} from adjustments where id = $1`, [id]);
    return rows.map(toAdjustment)[0];
  }

  /** Until the transaction ends only the caller decides. Throws if it does not exist. */
  lock(id: number): Promise<KeptAdjustment> {
    return this.one(`select ${COLUMNS} from adjustments where id = $1 for no key update`, [id]);
  }

  /** Throws if not open: the lock ensures that it is. */
  approve(id: number, by: string, at: Date): Promise<KeptAdjustment> {
    return this.one(
      `update adjustments set approved_by = $2, approved_at = $3 where id = $1 and ${OPEN} returning ${COLUMNS}`,
      [id, by, at],
    );
  }

  withdraw(
    id: number,
    { by, why, at }: { readonly by: string; readonly why: string; readonly at: Date },
  ): Promise<KeptAdjustment> {
    return this.one(
      `update adjustments set withdrawn_by = $2, withdrawn_why = $3, withdrawn_at = $4 where id = $1 and ${OPEN} returning ${COLUMNS}`,
      [id, by, why, at],
    );
  }

  async openOf(partnerId: number): Promise<number> {
    const [row] = await this.db.query<{ open: number }>(
      `select count(*)::integer as open from adjustments where partner_id = $1 and ${OPEN}`,
      [partnerId],
    );
    return row?.open ?? 0;
  }

  async list({ partnerId, open = false, before, limit }: AdjustmentsWanted): Promise<KeptAdjustment[]> {
    const rows = await this.db.query<Row>(
      `select ${COLUMNS} from adjustments where ($1::integer is null or partner_id = $1) and ($2::bigint is null or id < $2) ${open ? `and ${OPEN}` : ''} order by id desc limit $3`,
      [partnerId ?? null, before ?? null, limit],
    );
    return rows.map(toAdjustment);
  }

  private async one(sql: string, params: readonly unknown[]): Promise<KeptAdjustment> {
    const [row] = await this.db.query<Row>(sql, params);
    if (!row) throw new Error('an adjustment is not where it was');
    return toAdjustment(row);
  }
}

function toAdjustment({ id, currency, amountMinor, ...row }: Row): KeptAdjustment {
  return { ...row, id: Number(id), amount: decodeMoney(amountMinor, currency) };
}
