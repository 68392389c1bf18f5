import { Inject, Injectable } from '@nestjs/common';
import { Database, type Queryable } from '@vuka/persistence';

export interface KeptFreeze {
  readonly id: number;
  readonly partnerId: number;
  readonly reason: string;
  readonly frozenBy: string;
  readonly frozenAt: Date;
  readonly liftedBy: string | null;
  readonly liftedAt: Date | null;
  readonly liftedWhy: string | null;
}

interface Word {
  readonly by: string;
  readonly reason: string;
  readonly at: Date;
}

const COLUMNS = `id::float8 as id, partner_id as "partnerId", reason, frozen_by as "frozenBy", frozen_at as "frozenAt", lifted_by as "liftedBy", lifted_at as "liftedAt",
  lifted_why as "liftedWhy"`;

@Injectable()
export class FreezeStore {
  constructor(@Inject(Database) private readonly db: Queryable) {}

  /** undefined if one stands. */
  async freeze(partnerId: number, { by, reason, at }: Word): Promise<KeptFreeze | undefined> {
    const rows = await this.db.query<KeptFreeze>(
      `insert into freezes (partner_id, reason, frozen_by, frozen_at) values ($1, $2, $3, $4)
       on conflict (partner_id) where lifted_at is null do nothing returning ${COLUMNS}`,
      [partnerId, reason, by, at],
    );
    return rows[0];
  }

  /** undefined if none stands. */
  async lift(partnerId: number, { by, reason, at }: Word): Promise<KeptFreeze | undefined> {
    const rows = await this.db.query<KeptFreeze>(
      `update freezes set lifted_by = $2, lifted_why = $3, lifted_at = $4 where partner_id = $1 and lifted_at is null returning ${COLUMNS}`,
      [partnerId, by, reason, at],
    );
    return rows[0];
  }

  list({
    partnerId,
    limit,
  }: {
    readonly partnerId?: number | undefined;
    readonly limit: number;
  }): Promise<KeptFreeze[]> {
    return this.db.query<KeptFreeze>(
      `select ${COLUMNS} from freezes where ($1::integer is null or partner_id = $1) order by id desc limit $2`,
      [partnerId ?? null, limit],
    );
  }
}
