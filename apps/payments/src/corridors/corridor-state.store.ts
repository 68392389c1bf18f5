import { Inject, Injectable } from '@nestjs/common';
import type { CorridorAvailability } from '@vuka/payouts';
import { Database, type Queryable } from '@vuka/persistence';

import type { ProviderCorridor } from './corridor.js';

export interface NotedOutcome extends ProviderCorridor {
  readonly isWell: boolean;
  readonly sentAt: Date;
}

export interface IllCorridor extends ProviderCorridor {
  readonly since: Date;
  readonly detail: string;
  readonly probeAt: Date;
}

/** network null: all of the kind. */
export interface CorridorNotice extends ProviderCorridor {
  readonly state: 'slow' | 'closed';
  readonly toldAt: Date;
}

/** A provider that says nothing for longer is not believed any more. */
const BELIEVED = '5 minutes';
/** Paid in a row, of what was sent since it became ill. */
const WELL_AGAIN = 3;
/** The first probe waits this long. */
const FIRST_PROBE = '10 seconds';
/** Without a payment that would try it, nobody knows: it counts as well. */
const UNTRIED = '1 hour';
const KEPT = '1 hour';

const KEY = 'provider, currency, kind, network';
const COLUMNS = `provider, currency, kind, nullif(network, '') as network`;

const NOTE_SQL = `
with told as (
  select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::boolean[], $6::timestamptz[]) as t(${KEY}, is_well, sent_at)
), counted as (
  insert into corridor_outcomes as o (${KEY}, slot, well, ill)
  select ${KEY}, date_bin('10 seconds', $7::timestamptz, 'epoch'::timestamptz), count(*) filter (where is_well), count(*) filter (where not is_well)
    from told group by ${KEY} order by ${KEY}
  on conflict (${KEY}, slot) do update set well = o.well + excluded.well, ill = o.ill + excluded.ill
), probes as (
  select ${KEY}, count(*) filter (where t.is_well)::integer as well, count(*) filter (where not t.is_well)::integer as ill
    from told t join corridor_health h using (${KEY}) where h.is_ill and t.sent_at > h.since group by ${KEY}
)
update corridor_health h set probes_paid = case when p.ill > 0 then 0 else h.probes_paid + p.well end from probes p
 where h.is_ill and (h.provider, h.currency, h.kind, h.network) = (p.provider, p.currency, p.kind, p.network)`;

/** At least 4 of a minute, half of them ill; or 4 of ten minutes, most of them. */
const ILL_SQL = `
with counted as (
  select ${KEY}, coalesce(sum(well) filter (where is_new), 0) as well_1, coalesce(sum(ill) filter (where is_new), 0) as ill_1, sum(well) as well_10, sum(ill) as ill_10
    from (select o.*, o.slot > $1::timestamptz - interval '1 minute' as is_new from corridor_outcomes o left join corridor_health h using (${KEY})
           where o.slot > $1::timestamptz - interval '10 minutes' and (h.since is null or (not h.is_ill and o.slot >= h.since))) recent
   group by ${KEY}
)
insert into corridor_health as h (${KEY}, is_ill, since, detail, probe_at)
select ${KEY}, true, $1, case when is_minute then ill_1 || ' of ' || well_1 + ill_1 || ' within a minute' else ill_10 || ' of ' || well_10 + ill_10 || ' within ten minutes' end,
    $1::timestamptz + interval '${FIRST_PROBE}'
  from (select *, well_1 + ill_1 >= 4 and ill_1 * 2 >= well_1 + ill_1 as is_minute from counted) c
 where is_minute or (well_10 + ill_10 >= 4 and ill_10 * 5 >= (well_10 + ill_10) * 4)
on conflict (${KEY}) do update set is_ill = true, since = excluded.since, detail = excluded.detail, probe_at = excluded.probe_at, probes_paid = 0 where not h.is_ill
returning ${COLUMNS}, detail`;

/** How providers do, as all processes have seen it and as they say themselves. Nothing is paid or posted by it. */
@Injectable()
export class CorridorStateStore {
  constructor(@Inject(Database) private readonly db: Queryable) {}

  async note(outcomes: readonly NotedOutcome[], now: Date): Promise<void> {
    await this.db.query(
      NOTE_SQL,
      [
        outcomes.map(({ provider }) => provider),
        outcomes.map(({ currency }) => currency),
        outcomes.map(({ kind }) => kind),
        outcomes.map(({ network }) => network ?? ''),
        outcomes.map(({ isWell }) => isWell),
        outcomes.map(({ sentAt }) => sentAt),
        now,
      ],
      { name: 'corridor_outcomes_note' },
    );
  }

  /** Resolves with those that have become ill now. */
  becameIll(now: Date): Promise<(ProviderCorridor & { readonly detail: string })[]> {
    return this.db.query(ILL_SQL, [now], { name: 'corridor_health_ill' });
  }

  /** Resolves with those that are well again now. */
  recovered(now: Date): Promise<ProviderCorridor[]> {
    return this.db.query(
      `update corridor_health set is_ill = false, since = $1, probes_paid = 0 where is_ill and (probes_paid >= ${WELL_AGAIN} or probe_at < $1::timestamptz - interval '${UNTRIED}') returning ${COLUMNS}`,
      [now],
      { name: 'corridor_health_recovered' },
    );
  }

  ill(): Promise<IllCorridor[]> {
    return this.db.query(
      `select ${COLUMNS}, since, detail, probe_at as "probeAt" from corridor_health where is_ill order by ${KEY}`,
      [],
      { name: 'corridor_health' },
    );
  }

  /** True for one of all that ask within `everyMs`: it may try the corridor. */
  async takeProbe(
    { provider, currency, kind, network }: ProviderCorridor,
    now: Date,
    everyMs: number,
  ): Promise<boolean> {
    const rows = await this.db.query(
      `update corridor_health set probe_at = $6 where provider = $1 and currency = $2 and kind = $3 and network = $4 and is_ill and probe_at <= $5 returning probe_at`,
      [provider, currency, kind, network ?? '', now, new Date(now.getTime() + everyMs)],
      { name: 'corridor_probe' },
    );
    return rows.length > 0;
  }

  notices(now: Date): Promise<CorridorNotice[]> {
    return this.db.query(
      `select ${COLUMNS}, state, told_at as "toldAt" from corridor_notices where told_at > $1::timestamptz - interval '${BELIEVED}' order by ${KEY}`,
      [now],
      { name: 'corridor_notices' },
    );
  }

  /** All that a provider says. Resolves with those that were closed and are not any more. */
  async keepNotices(
    provider: string,
    corridors: readonly CorridorAvailability[],
    toldAt: Date,
  ): Promise<ProviderCorridor[]> {
    const told = corridors.filter(({ state }) => state !== 'open');
    return this.db.query(
      `with told as (
         select distinct on (currency, kind, network) * from unnest($2::text[], $3::text[], $4::text[], $5::text[]) as t(currency, kind, network, state)
          order by currency, kind, network, state
       ), kept as (
         insert into corridor_notices as n (${KEY}, state, told_at) select $1, currency, kind, network, state, $6 from told
         on conflict (${KEY}) do update set state = excluded.state, told_at = excluded.told_at
       ), gone as (
         delete from corridor_notices n where provider = $1 and not exists (
           select from told t where (t.currency, t.kind, t.network) = (n.currency, n.kind, n.network)) returning n.*
       )
       select provider, currency, kind, nullif(network, '') as network from gone where state = 'closed'
       union all
       select n.provider, n.currency, n.kind, nullif(n.network, '') from corridor_notices n join told t using (currency, kind, network)
        where n.provider = $1 and n.state = 'closed' and t.state <> 'closed'`,
      [
        provider,
        told.map(({ currency }) => currency),
        told.map(({ kind }) => kind),
        told.map(({ network }) => network ?? ''),
        told.map(({ state }) => state),
        toldAt,
      ],
    );
  }

  async forget(now: Date): Promise<void> {
    await this.db.query(`delete from corridor_outcomes where slot < $1::timestamptz - interval '${KEPT}'`, [now]);
  }
}
