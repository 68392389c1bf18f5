import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@vuka/persistence';

export interface RememberedRate {
  readonly currency: string;
  /** 1e-18 fiat per USD. */
  readonly mid: bigint;
  readonly at: Date;
}

@Injectable()
export class RateStore {
  constructor(@Inject(Database) private readonly db: Pick<Database, 'query'>) {}

  async load(): Promise<RememberedRate[]> {
    const rows = await this.db.query<{ currency: string; mid: string; at: Date }>(
      'select currency, mid_e18::text as mid, at from rates order by currency',
    );
    return rows.map(({ currency, mid, at }) => ({ currency, mid: BigInt(mid), at }));
  }

  /** The newest reading wins across processes. */
  async save(rates: readonly RememberedRate[]): Promise<void> {
    if (rates.length === 0) return;
    await this.db.query(
      `insert into rates (currency, mid_e18, at) select * from unnest($1::text[], $2::numeric[], $3::timestamptz[])
       on conflict (currency) do update set mid_e18 = excluded.mid_e18, at = excluded.at where rates.at < excluded.at`,
      [rates.map(({ currency }) => currency), rates.map(({ mid }) => mid.toString()), rates.map(({ at }) => at)],
    );
  }
}
