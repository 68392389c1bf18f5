import { Inject, Injectable } from '@nestjs/common';
import type { KeptValues, ProviderValues } from '@vuka/payouts';
import { Database } from '@vuka/persistence';
import type { Clock, Logger } from '@vuka/runtime';
import { CLOCK, LOGGER, PROVIDER_VALUES } from '@vuka/service-host';

/** An older one is made anew, so that what a provider has changed is not relied on for ever. */
export const KEPT_MS = 90 * 24 * 3_600_000;
/** Some 200 MB. */
export const MOST_KEPT = 1_000_000;
const DELETED_AT_ONCE = 10_000;

const READ_SQL = `select value from provider_values where key = $1 and kept_at > $2`;

const KEEP_SQL = `
insert into provider_values (key, value, kept_at) values ($1, $2, $3)
on conflict (key) do update set value = excluded.value, kept_at = excluded.kept_at`;

/** Those that are too old, and the oldest of too many. */
const FORGET_SQL = `
delete from provider_values where key in (
  select key from provider_values
   where kept_at <= greatest($1::timestamptz, (select kept_at from provider_values order by kept_at desc offset $2 limit 1))
   order by kept_at limit $3)
returning 1`;

/** What adapters keep, in the database of payments. Never rejects: without it, adapters only make more calls. */
@Injectable()
export class KeptValueStore implements KeptValues {
  constructor(
    private readonly db: Database,
    @Inject(PROVIDER_VALUES) values: Pick<ProviderValues, 'use'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    values.use(this);
  }

  async read(key: string): Promise<string | null> {
    const since = new Date(this.clock.now().getTime() - KEPT_MS);
    const rows = await this.orNone(() => this.db.query<{ value: string }>(READ_SQL, [key, since]));
    return rows[0]?.value ?? null;
  }

  async keep(key: string, value: string): Promise<void> {
    await this.orNone(() => this.db.query(KEEP_SQL, [key, value, this.clock.now()]));
  }

  /** Resolves with how many were forgotten. */
  async forget(most = MOST_KEPT): Promise<number> {
    const before = new Date(this.clock.now().getTime() - KEPT_MS);
    return (await this.db.query(FORGET_SQL, [before, most, DELETED_AT_ONCE])).length;
  }

  private async orNone<T>(query: () => Promise<T[]>): Promise<T[]> {
    try {
      return await query();
    } catch (error) {
      this.log.warn({ err: error }, 'what an adapter keeps could not be read or written');
      return [];
    }
  }
}
