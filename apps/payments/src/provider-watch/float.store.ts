import { Injectable } from '@nestjs/common';
import { Database } from '@vuka/persistence';

export interface FloatName {
  readonly provider: string;
  readonly wallet: string;
  readonly currency: string;
}

/** Minor units. */
export interface ToldFloat {
  readonly wallet: string;
  readonly currency: string;
  readonly toldMinor: bigint;
  readonly toldAt: Date;
}

export interface FloatReading extends FloatName, ToldFloat {
  /** The balance fell by this within a day, from reading to reading. */
  readonly spentMinor: bigint;
  /** null: not summed yet. */
  readonly ledgerMinor: bigint | null;
  readonly ledgerAt: Date | null;
}

/** Of a gap longer than this nobody knows when it was spent. */
const GAP = '2 hours';
const DAY = '24 hours';
const KEPT = '48 hours';

const KEEP_SQL = `
with told as (
  select * from unnest($2::text[], $3::text[], $4::numeric[], $5::timestamptz[]) as t(wallet, currency, told_minor, told_at)
), last as (
  select distinct on (wallet, currency) wallet, currency, told_minor, told_at from float_readings where provider = $1 order by wallet, currency, hour desc
)
insert into float_readings (provider, wallet, currency, hour, told_minor, told_at, spent_minor)
select $1, t.wallet, t.currency, date_bin('1 hour', t.told_at, 'epoch'::timestamptz), t.told_minor, t.told_at,
    case when l.told_at > t.told_at - interval '${GAP}' then greatest(l.told_minor - t.told_minor, 0) else 0 end
  from told t left join last l on l.wallet = t.wallet and l.currency = t.currency where l.told_at is null or l.told_at < t.told_at
on conflict (provider, wallet, currency, hour) do update
  set told_minor = excluded.told_minor, told_at = excluded.told_at, spent_minor = float_readings.spent_minor + excluded.spent_minor
  where float_readings.told_at < excluded.told_at`;

const LATEST_SQL = `
select provider, wallet, currency, (array_agg(told_minor order by hour desc))[1]::text as told, max(told_at) as told_at,
    coalesce(sum(spent_minor) filter (where told_at > $1::timestamptz - interval '${DAY}'), 0)::text as spent,
    (array_agg(ledger_minor order by hour desc) filter (where ledger_at is not null))[1]::text as ledger, max(ledger_at) as ledger_at
  from float_readings group by provider, wallet, currency order by provider, wallet, currency`;

const SUM_SQL = `
select a.name, ((select coalesce(sum(amount_minor), 0) from entries where from_account = a.id)
              - (select coalesce(sum(amount_minor), 0) from entries where to_account = a.id))::text as held
  from accounts a where a.name = any ($1)`;

/** What providers said of our floats, hour by hour. */
@Injectable()
export class FloatStore {
  constructor(private readonly db: Database) {}

  /** What is older than what is known changes nothing. */
  async keep(provider: string, floats: readonly ToldFloat[]): Promise<void> {
    await this.db.query(KEEP_SQL, [
      provider,
      floats.map(({ wallet }) => wallet),
      floats.map(({ currency }) => currency),
      floats.map(({ toldMinor }) => toldMinor.toString()),
      floats.map(({ toldAt }) => toldAt),
    ]);
  }

  /** By account name: what the ledger says is there. Reads every entry of these accounts. */
  async sumOf(accounts: readonly string[]): Promise<ReadonlyMap<string, bigint>> {
    const rows = await this.db.query<{ name: string; held: string }>(SUM_SQL, [accounts]);
    return new Map(rows.map(({ name, held }) => [name, BigInt(held)]));
  }

  async keepSum({ provider, wallet, currency }: FloatName, minor: bigint, now: Date): Promise<void> {
    await this.db.query(
      `update float_readings set ledger_minor = $4, ledger_at = $5 where (provider, wallet, currency, hour) =
         (select provider, wallet, currency, hour from float_readings where provider = $1 and wallet = $2 and currency = $3 order by hour desc limit 1)`,
      [provider, wallet, currency, minor.toString(), now],
    );
  }

  /** The newest of each. */
  async latest(now: Date): Promise<FloatReading[]> {
    const rows = await this.db.query<{
      provider: string;
      wallet: string;
      currency: string;
      told: string;
      told_at: Date;
      spent: string;
      ledger: string | null;
      ledger_at: Date | null;
    }>(LATEST_SQL, [now]);
    return rows.map((row) => ({
      provider: row.provider,
      wallet: row.wallet,
      currency: row.currency,
      toldMinor: BigInt(row.told),
      toldAt: row.told_at,
      spentMinor: BigInt(row.spent),
      ledgerMinor: row.ledger === null ? null : BigInt(row.ledger),
      ledgerAt: row.ledger_at,
    }));
  }

  async forget(now: Date): Promise<void> {
    // The newest reading of a float that is told no more stays, so that its age is known.
    await this.db.query(
      `delete from float_readings r where r.told_at < $1::timestamptz - interval '${KEPT}'
          and exists (select from float_readings n where n.provider = r.provider and n.wallet = r.wallet and n.currency = r.currency and n.hour > r.hour)`,
      [now],
    );
  }
}
