import { Inject, Injectable } from '@nestjs/common';
import { Database, type Queryable } from '@vuka/persistence';

export interface SwitchedOff {
  readonly id: number;
  readonly chain: string;
  /** Token symbol; null: the whole chain. */
  readonly asset: string | null;
  readonly reason: string;
  readonly offSince: Date;
  readonly offBy: string;
}

export interface SwitchHistory extends SwitchedOff {
  readonly liftedAt: Date | null;
  readonly liftedBy: string | null;
  readonly liftedWhy: string | null;
}

const COLUMNS = `id::integer as "id", chain as "chain", asset as "asset", reason as "reason", off_since as "offSince", off_by as "offBy"`;
const HISTORY = `${COLUMNS}, lifted_at as "liftedAt", lifted_by as "liftedBy", lifted_why as "liftedWhy"`;

@Injectable()
export class SwitchStore {
  public constructor(@Inject(Database) private readonly db: Queryable) {}

  public inForce(): Promise<SwitchedOff[]> {
    return this.db.query<SwitchedOff>(`select ${COLUMNS} from switches where lifted_at is null order by id`, [], {
      name: 'offramp_switches',
    });
  }

  /** Newest first. */
  public history(limit: number): Promise<SwitchHistory[]> {
    return this.db.query<SwitchHistory>(`select ${HISTORY} from switches order by id desc limit $1`, [limit]);
  }

  /** undefined: it is off already, and its reason stays. */
  public async switchOff({
    chain,
    asset,
    reason,
    offBy,
    offSince,
  }: Omit<SwitchedOff, 'id'>): Promise<SwitchHistory | undefined> {
    const rows = await this.db.query<SwitchHistory>(
      `insert into switches (chain, asset, reason, off_by, off_since) values ($1, $2, $3, $4, $5)
       on conflict (chain, coalesce(asset, '')) where lifted_at is null do nothing
       returning ${HISTORY}`,
      [chain, asset, reason, offBy, offSince],
    );
    return rows[0];
  }

  /** undefined: it is not off. */
  public async switchOn(
    what: { readonly chain: string; readonly asset: string | null },
    { by, why, at }: { readonly by: string; readonly why: string; readonly at: Date },
  ): Promise<SwitchHistory | undefined> {
    const rows = await this.db.query<SwitchHistory>(
      `update switches set lifted_at = $3, lifted_by = $4, lifted_why = $5
       where chain = $1 and coalesce(asset, '') = coalesce($2, '') and lifted_at is null
       returning ${HISTORY}`,
      [what.chain, what.asset, at, by, why],
    );
    return rows[0];
  }
}
