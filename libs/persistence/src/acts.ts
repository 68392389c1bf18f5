import type { Transaction } from './database.js';
import type { Queryable } from './queryable.js';

/** What a person had done, as it is written beside what it changed. */
export interface Act {
  /** Who: as its credential names it, or as it was said where whoever holds the data folder speaks for anybody. */
  readonly by: string;
  /** `<subject>.<past fact>`, such as `key.revoked`. */
  readonly act: string;
  /** The partner it is about, null for none. */
  readonly partnerId: number | null;
  /** What it was done to: a key's visible prefix, a wallet, an incident's number. Never a secret, never a number of a person. */
  readonly subject: string;
  /** Why, and where that can be seen. */
  readonly reason: string;
  /** Whose word was needed beside `by`'s; null where one is enough. */
  readonly approvedBy?: string | null;
  /** What it was before and after, as far as that is no secret. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly at: Date;
}

export interface KeptAct extends Required<Act> {
  readonly id: number;
}

export interface ActsPage {
  readonly partnerId?: number;
  /** Who had it done, or approved it. */
  readonly by?: string;
  /** The page before ended with this one. */
  readonly before?: number;
  /** At most 500 are given. */
  readonly limit: number;
}

const LONGEST_PAGE = 500;

/**
 * `acts`: what people had done to a service's own things. Rows are only ever added: changing or removing one is refused by the
 * database, whoever is logged in as the service.
 */
export function actsMigrationSql(): string {
  return `
create table acts (
  id          bigint generated always as identity constraint acts_pk primary key,
  at          timestamptz not null,
  by_whom     text not null,
  act         text not null,
  partner_id  bigint,
  subject     text not null,
  reason      text not null,
  approved_by text,
  details     jsonb not null,
  constraint acts_by_check check (by_whom <> ''),
  constraint acts_reason_check check (reason <> '')
);
create index acts_partner_idx on acts (partner_id, id);
create function refuse_changed_acts() returns trigger language plpgsql as $acts$
begin
  raise exception 'acts are a record: rows are added and never changed or removed';
end $acts$;
create trigger acts_are_kept before update or delete or truncate on acts for each statement execute function refuse_changed_acts();`;
}

/** Writes an act in the transaction of what it changes: neither is there without the other. */
export async function recordAct(tx: Pick<Transaction, 'query'>, act: Act): Promise<void> {
  await tx.query(
    `insert into acts (at, by_whom, act, partner_id, subject, reason, approved_by, details) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [act.at, act.by, act.act, act.partnerId, act.subject, act.reason, act.approvedBy ?? null, JSON.stringify(act.details ?? {})],
  );
}

/** Newest first. */
export function listActs(db: Queryable, { partnerId, by, before, limit }: ActsPage): Promise<KeptAct[]> {
  return db.query<KeptAct>(
    `select id::float8 as id, at, by_whom as "by", act, partner_id::float8 as "partnerId", subject, reason, approved_by as "approvedBy", details
       from acts
      where ($1::bigint is null or partner_id = $1) and ($2::text is null or by_whom = $2 or approved_by = $2) and ($3::bigint is null or id < $3)
      order by id desc limit $4`,
    [partnerId ?? null, by ?? null, before ?? null, Math.min(limit, LONGEST_PAGE)],
  );
}
