import { Inject, Injectable } from '@nestjs/common';
import { type DepositRecord, decodeMoney } from '@vuka/domain';
import { Database, type Queryable } from '@vuka/persistence';

interface Row {
  deposit_id: string;
  partner_id: number;
  chain: string;
  asset: string;
  received_minor: string;
  state: string;
  changed_at: Date;
}

const KEPT = `select deposit_id::text as deposit_id, partner_id, chain, asset, received_minor::text as received_minor, state, updated_at as changed_at from deposits`;

/** Compared with offramp's. */
@Injectable()
export class DepositRecords {
  constructor(@Inject(Database) private readonly db: Pick<Queryable, 'query'>) {}

  async after(id: number, limit: number): Promise<DepositRecord[]> {
    return toRecords(
      await this.db.query<Row>(`${KEPT} where deposit_id > $1 order by deposits.deposit_id limit $2`, [id, limit]),
    );
  }

  /** Also those reported gone before their value came. */
  async named(ids: readonly number[]): Promise<DepositRecord[]> {
    const gone = `select v.deposit_id::text as deposit_id, 0 as partner_id, '' as chain, '' as asset, '0' as received_minor, 'vanished' as state, v.occurred_at as changed_at
                    from vanished_deposits v where v.deposit_id = any ($1::bigint[]) and not exists (select from deposits d where d.deposit_id = v.deposit_id)`;
    return toRecords(
      await this.db.query<Row>(`${KEPT} where deposit_id = any ($1::bigint[]) union all ${gone}`, [ids]),
    );
  }
}

function toRecords(rows: readonly Row[]): DepositRecord[] {
  return rows.map(({ chain, state, ...row }) => ({
    depositId: Number(row.deposit_id),
    partnerId: row.partner_id,
    chain,
    received: decodeMoney(row.received_minor, row.asset),
    state,
    changedAt: row.changed_at,
  }));
}
