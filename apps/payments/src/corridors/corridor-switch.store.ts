import { Inject, Injectable } from '@nestjs/common';
import { Database, type Queryable } from '@vuka/persistence';

import type { CorridorScope } from './corridor.js';

export interface CorridorSwitch extends CorridorScope {
  readonly id: number;
  readonly reason: string;
  readonly offBy: string;
  readonly offSince: Date;
  /** null, all three: it is off. */
  readonly liftedBy: string | null;
  readonly liftedAt: Date | null;
  readonly liftedWhy: string | null;
}

interface Word {
  readonly by: string;
  readonly reason: string;
  readonly at: Date;
}

const COLUMNS = `id::float8 as id, provider, currency, kind, network, reason, off_by as "offBy", off_since as "offSince", lifted_by as "liftedBy", lifted_at as "liftedAt",
  lifted_why as "liftedWhy"`;

@Injectable()
export class CorridorSwitchStore {
  constructor(@Inject(Database) private readonly db: Queryable) {}

  standing(): Promise<CorridorSwitch[]> {
    return this.db.query(`select ${COLUMNS} from corridor_switches where lifted_at is null order by id`, [], {
      name: 'corridor_switches',
    });
  }

  /** Those that were lifted, newest first. */
  lifted(limit: number): Promise<CorridorSwitch[]> {
    return this.db.query(
      `select ${COLUMNS} from corridor_switches where lifted_at is not null order by id desc limit $1`,
      [limit],
    );
  }

  /** undefined: it is off already, and its reason stays. */
  async switchOff(
    { provider, currency, kind, network }: CorridorScope,
    { by, reason, at }: Word,
  ): Promise<CorridorSwitch | undefined> {
    const rows = await this.db.query<CorridorSwitch>(
      `insert into corridor_switches (provider, currency, kind, network, reason, off_by, off_since) values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (provider, coalesce(currency, ''), coalesce(kind, ''), coalesce(network, '')) where lifted_at is null do nothing returning ${COLUMNS}`,
      [provider, currency, kind, network, reason, by, at],
    );
    return rows[0];
  }

  /** undefined: it is not off. */
  async switchOn(
    { provider, currency, kind, network }: CorridorScope,
    { by, reason, at }: Word,
  ): Promise<CorridorSwitch | undefined> {
    const rows = await this.db.query<CorridorSwitch>(
      `update corridor_switches set lifted_by = $5, lifted_why = $6, lifted_at = $7
        where provider = $1 and currency is not distinct from $2 and kind is not distinct from $3 and network is not distinct from $4 and lifted_at is null
       returning ${COLUMNS}`,
      [provider, currency, kind, network, by, reason, at],
    );
    return rows[0];
  }
}
