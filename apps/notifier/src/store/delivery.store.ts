import type { Database, Queryable } from '@vuka/persistence';

import type { DeliveryVerdict } from '../retry-schedule.js';

/** A transaction's change, as its event told it. */
export interface Change {
  readonly eventId: string;
  readonly occurredAt: Date;
  /** Or an order's number: both are of one series of numbers. */
  readonly transactionId: number;
  /** Counts the public changes of the transaction, or the order, from 1. */
  readonly sequence: number;
  readonly partnerId: number;
  readonly eventType: string;
  readonly isFinal: boolean;
  /** Null where nobody asked to be told: no delivery comes of it. */
  readonly callbackUrl: string | null;
  readonly host: string | null;
  /** W3C trace of the request that caused it. */
  readonly traceparent: string;
  readonly body: string;
}

/** A delivery that is ours to attempt until the lease ends. */
export interface ClaimedDelivery {
  /** 64-bit, as PostgreSQL writes it. */
  readonly id: string;
  readonly occurredAt: Date;
  readonly fence: number;
  readonly transactionId: string;
  readonly sequence: number;
  readonly partnerId: number;
  readonly eventType: string;
  readonly callbackUrl: string;
  readonly host: string;
  readonly traceparent: string;
  readonly body: string;
  /** Of earlier claims, those whose outcome was recorded. */
  readonly attempts: number;
  /** Null for a partner whose secret nobody has asked for yet. */
  readonly sealedSecret: string | null;
}

export interface ClaimRequest {
  readonly now: Date;
  /** When the claim lapses, should its outcome never be recorded. */
  readonly leaseUntil: Date;
  /** At most this many in all. */
  readonly limit: number;
  /** At most this many of a host that is not in `freeByHost`. */
  readonly perHost: number;
  /** What is left for hosts that have deliveries in flight; 0 leaves a host out. */
  readonly freeByHost: ReadonlyMap<string, number>;
}

/** What came of one attempt, judged. */
export interface AttemptRecord {
  readonly delivery: ClaimedDelivery;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly verdict: DeliveryVerdict;
}

export class DeliveryStore {
  public constructor(private readonly db: Database) {}

  /**
   * Marks events as handled and stores the deliveries of those that were not, all in one commit. Older non-final
   * deliveries that wait are superseded; so is one that comes after a newer is here already. Nothing more goes out for a
   * transaction whose receiver answered 410.
   */
  public async recordChanges(group: string, changes: readonly Change[], now: Date): Promise<void> {
    await this.db.query(RECORD_CHANGES_SQL, [
      changes.map(({ eventId }) => eventId),
      changes.map(({ occurredAt }) => occurredAt),
      changes.map(({ transactionId }) => transactionId),
      changes.map(({ sequence }) => sequence),
      changes.map(({ partnerId }) => partnerId),
      changes.map(({ eventType }) => eventType),
      changes.map(({ isFinal }) => isFinal),
      changes.map(({ callbackUrl }) => callbackUrl),
      changes.map(({ host }) => host),
      changes.map(({ body }) => body),
      group,
      now,
      changes.map(({ traceparent }) => traceparent),
    ], { name: 'notifier_record_changes' });
  }

  /** Claims what is due, oldest first, within the limits. What another process holds locked is skipped. */
  public async claim(request: ClaimRequest): Promise<ClaimedDelivery[]> {
    const hosts = [...request.freeByHost.keys()];
    return this.db.query<ClaimedDelivery>(CLAIM_SQL, [
      request.now,
      hosts.filter((host) => request.freeByHost.get(host) === 0),
      request.limit,
      hosts,
      [...request.freeByHost.values()],
      request.perHost,
      request.leaseUntil,
    ], { name: 'notifier_claim_deliveries' });
  }

  /** Records outcomes, all in one commit; those of a claim that lapsed and was taken over are dropped. */
  public async recordAttempts(records: readonly AttemptRecord[], now: Date): Promise<void> {
    const ended = records.filter(({ verdict }) => verdict.state === 'ended').map(({ delivery }) => delivery.transactionId);
    if (ended.length === 0) return insertAttempts(this.db, records, now);
    await this.db.inTransaction(async (tx) => {
      await insertAttempts(tx, records, now);
      await tx.query(END_SQL, [ended, now]);
    });
  }
}

async function insertAttempts(db: Queryable, records: readonly AttemptRecord[], now: Date): Promise<void> {
  await db.query(RECORD_ATTEMPTS_SQL, [
    records.map(({ delivery }) => delivery.id),
    records.map(({ delivery }) => delivery.occurredAt),
    records.map(({ delivery }) => delivery.fence),
    records.map(({ verdict }) => verdict.state),
    records.map(({ verdict }) => (verdict.state === 'pending' ? verdict.nextAttemptAt : null)),
    records.map(({ startedAt }) => startedAt),
    records.map(({ durationMs }) => durationMs),
    records.map(({ status }) => status),
    records.map(({ error }) => error),
    now,
  ], { name: 'notifier_record_attempts' });
}

// Rows are locked in the order of their ids, here and where attempts are recorded: two batches never wait for each other.
// A transaction's other deliveries are looked up once per event: with months of partitions that lookup is most of the work.
const RECORD_CHANGES_SQL = `
with given as (
  select g.*, max(sequence) over (partition by transaction_id) as newest
  from unnest($1::uuid[], $2::timestamptz[], $3::bigint[], $4::integer[], $5::bigint[],
              $6::text[], $7::boolean[], $8::text[], $9::text[], $10::text[], $13::text[])
    as g (event_id, occurred_at, transaction_id, sequence, partner_id, event_type, is_final, callback_url, host, body, traceparent)
), fresh as (
  insert into inbox (consumer_group, event_id, occurred_at)
  select $11, event_id, occurred_at from given order by event_id
  on conflict do nothing
  returning event_id
), told as materialized (
  select given.* from given join fresh on fresh.event_id = given.event_id where given.callback_url is not null
), others as materialized (
  select told.event_id, d.id, d.occurred_at, d.sequence, d.state,
         d.sequence < told.sequence and d.state = 'pending' and not d.is_final as is_overtaken
  from told join deliveries d on d.transaction_id = told.transaction_id
), overtaken as (
  select d.id, d.occurred_at
  from others o join deliveries d on d.id = o.id and d.occurred_at = o.occurred_at
  where o.is_overtaken and d.state = 'pending'
  order by d.id
  for update of d
), superseded as (
  update deliveries d set state = 'superseded', next_attempt_at = null, settled_at = $12
  from overtaken o
  where d.id = o.id and d.occurred_at = o.occurred_at
), known as (
  select event_id, bool_or(state = 'ended') as is_ended, max(sequence) as newest from others group by event_id
), entered as materialized (
  select told.*, case
    when known.is_ended then 'ended'
    when not told.is_final and greatest(told.newest, known.newest) > told.sequence then 'superseded'
    else 'pending'
  end as state
  from told left join known on known.event_id = told.event_id
)
insert into deliveries (transaction_id, sequence, occurred_at, partner_id, event_type, is_final, callback_url, host, body, traceparent,
                        state, next_attempt_at, created_at, settled_at)
select transaction_id, sequence, occurred_at, partner_id, event_type, is_final, callback_url, host, body, traceparent,
       state, case when state = 'pending' then $12::timestamptz end, $12, case when state <> 'pending' then $12::timestamptz end
from entered
order by transaction_id, sequence
on conflict (transaction_id, sequence, occurred_at) do nothing`;

// A claim moves next_attempt_at to the end of its lease, so that one index finds both what is due and what was left behind.
const CLAIM_SQL = `
with due as (
  select id, occurred_at, host, next_attempt_at
  from deliveries
  where state = 'pending' and next_attempt_at <= $1 and host <> all ($2::text[])
  order by next_attempt_at, id
  limit $3
), placed as (
  select due.id, due.occurred_at, coalesce(slots.free, $6::integer) as free,
         row_number() over (partition by due.host order by due.next_attempt_at, due.id) as place
  from due left join unnest($4::text[], $5::integer[]) as slots (host, free) on slots.host = due.host
), locked as (
  select d.id, d.occurred_at
  from placed join deliveries d on d.id = placed.id and d.occurred_at = placed.occurred_at
  where placed.place <= placed.free and d.state = 'pending' and d.next_attempt_at <= $1
  for update of d skip locked
), claimed as (
  update deliveries d set fence = d.fence + 1, next_attempt_at = $7
  from locked
  where d.id = locked.id and d.occurred_at = locked.occurred_at
  returning d.*
)
select c.id::text as "id", c.occurred_at as "occurredAt", c.fence as "fence", c.transaction_id::text as "transactionId",
       c.sequence as "sequence", c.partner_id::float8 as "partnerId", c.event_type as "eventType",
       c.callback_url as "callbackUrl", c.host as "host", c.traceparent as "traceparent", c.body as "body", c.attempts as "attempts",
       s.sealed_secret as "sealedSecret"
from claimed c left join webhook_secrets s on s.partner_id = c.partner_id
order by c.id`;

// A delivery overtaken or ended while its POST was under way stays so, unless the POST got through: then it was delivered.
// Events recorded at the same time did not see each other, so what was overtaken may show only here, when it would wait.
const RECORD_ATTEMPTS_SQL = `
with given as (
  select * from unnest($1::bigint[], $2::timestamptz[], $3::integer[], $4::text[], $5::timestamptz[],
                       $6::timestamptz[], $7::integer[], $8::smallint[], $9::text[])
    as g (id, occurred_at, fence, state, next_attempt_at, started_at, duration_ms, status, error)
), ours as (
  select d.id, d.occurred_at, d.state, d.is_final, d.transaction_id, d.sequence
  from given join deliveries d on d.id = given.id and d.occurred_at = given.occurred_at and d.fence = given.fence
  order by d.id
  for update of d
), judged as (
  select given.id, given.occurred_at, given.next_attempt_at, given.started_at, given.duration_ms, given.status, given.error,
         case
           when given.state in ('delivered', 'ended') then given.state
           when ours.state <> 'pending' then ours.state
           when given.state = 'pending' and not ours.is_final and exists (
             select from deliveries d where d.transaction_id = ours.transaction_id and d.sequence > ours.sequence
           ) then 'superseded'
           else given.state
         end as state
  from ours join given on given.id = ours.id
), settled as (
  update deliveries d set
    state = j.state,
    attempts = d.attempts + 1,
    next_attempt_at = case when j.state = 'pending' then j.next_attempt_at end,
    settled_at = case when j.state <> 'pending' then $10::timestamptz end
  from judged j
  where d.id = j.id and d.occurred_at = j.occurred_at
  returning d.id, d.occurred_at, d.attempts, j.started_at, j.duration_ms, j.status, j.error
)
insert into delivery_attempts (delivery_id, occurred_at, attempt, started_at, duration_ms, status, error)
select id, occurred_at, attempts, started_at, duration_ms, status, error from settled`;

const END_SQL = `
update deliveries set state = 'ended', next_attempt_at = null, settled_at = $2
where transaction_id = any ($1::bigint[]) and state = 'pending'`;
