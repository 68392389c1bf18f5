import { Inject, Injectable } from '@nestjs/common';
import { type DepositRecord, decodeMoney } from '@vuka/domain';
import { Database } from '@vuka/persistence';

interface Row {
  deposit_id: string;
  partner_id: string;
  chain: string;
  asset: string;
  received_minor: string;
  state: string;
  changed_at: Date;
}

const COLUMNS = 'id, partner_id, chain, asset, received_minor, state, changed_at';
const KEPT = 'id, partner_id, chain, asset, received_minor, state, greatest(created_at, settled_at) as changed_at';
const GONE = `id, partner_id, chain, asset, received_minor, 'reverted' as state, reverted_at as changed_at`;

@Injectable()
export class DepositRecords {
  public constructor(@Inject(Database) private readonly db: Pick<Database, 'query'>) {}

  public async after(id: number, limit: number): Promise<DepositRecord[]> {
    return this.read(
      `(select ${KEPT} from deposits where id > $1 order by id limit $2) union all (select ${GONE} from reverted_deposits where id > $1 order by id limit $2)`,
      'order by d.id limit $2',
      [id, limit],
    );
  }

  /** Here a refund's change counts as the deposit's; that is too slow for pages. */
  public async named(ids: readonly number[]): Promise<DepositRecord[]> {
    const changed = `greatest(d.changed_at, (select max(greatest(r.created_at, r.signed_at, r.broadcast_at, r.ended_at)) from refunds r where r.deposit_id = d.id))`;
    return this.read(
      `select ${KEPT} from deposits where id = any ($1::bigint[]) union all select ${GONE} from reverted_deposits where id = any ($1::bigint[])`,
      'order by d.id',
      [ids],
      changed,
    );
  }

  private async read(
    from: string,
    order: string,
    parameters: readonly unknown[],
    changed = 'd.changed_at',
  ): Promise<DepositRecord[]> {
    const rows = await this.db.query<Row>(
      `select d.id::text as "deposit_id", d.partner_id::text as "partner_id", d.chain, d.asset, d.received_minor::text as "received_minor", d.state, ${changed} as "changed_at"
       from (select ${COLUMNS} from (${from}) x) d ${order}`,
      parameters,
    );
    return rows.map(({ chain, state, ...row }) => ({
      depositId: Number(row.deposit_id),
      partnerId: Number(row.partner_id),
      chain,
      received: decodeMoney(row.received_minor, row.asset),
      state,
      changedAt: row.changed_at,
    }));
  }
}
