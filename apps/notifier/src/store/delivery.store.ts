import type { Database, Transaction } from '@vuka/persistence';

import type { DeliveryVerdict } from '../retry-schedule.js';

/** A webhook to be delivered, as the event told it. */
export interface NewDelivery {
  readonly transactionId: number;
  /** Counts the public changes of the transaction from 1. */
  readonly sequence: number;
  readonly occurredAt: Date;
  readonly partnerId: number;
  readonly eventType: string;
  readonly isFinal: boolean;
  readonly callbackUrl: string;
  readonly host: string;
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
   * Stores a delivery within the commit of the event's inbox mark; one already stored stays as it is. Older non-final
   * ones that wait are superseded, and so is this one when events came out of order and a newer is here already.
   * Nothing more goes out for a transaction whose receiver answered 410.
   */
  public async insert(tx: Transaction, delivery: NewDelivery, now: Date): Promise<void> {
    await tx.query(INSERT_SQL, [
      delivery.transactionId,
      delivery.sequence,
      delivery.occurredAt,
      delivery.partnerId,
      delivery.eventType,
      delivery.isFinal,
      delivery.callbackUrl,
      delivery.host,
      delivery.body,
      now,
    ], { name: 'notifier_insert_delivery' });
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
  public async record(records: readonly AttemptRecord[], now: Date): Promise<void> {
    await this.db.query(RECORD_SQL, [
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
    const ended = records.filter(({ verdict }) => verdict.state === 'ended').map(({ delivery }) => delivery.transactionId);
    if (ended.length > 0) await this.db.query(END_SQL, [ended, now]);
  }
}

const INSERT_SQL = `
with overtaken as (
  update deliveries set state = 'superseded', next_attempt_at = null, settled_at = $10
  where transaction_id = $1 and sequence < $2 and state = 'pending' and not is_final
), entered as (
  select case
    when exists (select from deliveries where transaction_id = $1 and state = 'ended') then 'ended'
    when not $6::boolean and exists (select from deliveries where transaction_id = $1 and sequence > $2) then 'superseded'
    else 'pending'
  end as state
)
insert into deliveries (transaction_id, sequence, occurred_at, partner_id, event_type, is_final, callback_url, host, body,
                        state, next_attempt_at, created_at, settled_at)
select $1::bigint, $2::integer, $3::timestamptz, $4::bigint, $5::text, $6::boolean, $7::text, $8::text, $9::text, state,
       case when state = 'pending' then $10::timestamptz end, $10::timestamptz, case when state <> 'pending' then $10::timestamptz end
from entered
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
       c.callback_url as "callbackUrl", c.host as "host", c.body as "body", c.attempts as "attempts",
       s.sealed_secret as "sealedSecret"
from claimed c left join webhook_secrets s on s.partner_id = c.partner_id
order by c.id`;

// A delivery overtaken or ended while its POST was under way stays so, unless the POST got through: then it was delivered.
// It reads d, and not an earlier snapshot of it: d is the row as it stands once its lock is ours.
const NEW_STATE = `case
    when r.state in ('delivered', 'ended') or d.state = 'pending' then r.state
    else d.state
  end`;

const RECORD_SQL = `
with given as (
  select * from unnest($1::bigint[], $2::timestamptz[], $3::integer[], $4::text[], $5::timestamptz[],
                       $6::timestamptz[], $7::integer[], $8::smallint[], $9::text[])
    as g (id, occurred_at, fence, state, next_attempt_at, started_at, duration_ms, status, error)
), result as (
  -- Events that came at the same time did not see each other: what was overtaken is told here, when it would wait.
  select g.id, g.occurred_at, g.fence, g.next_attempt_at, g.started_at, g.duration_ms, g.status, g.error,
         case when g.state = 'pending' and exists (
           select from deliveries older join deliveries newer
             on newer.transaction_id = older.transaction_id and newer.sequence > older.sequence
           where older.id = g.id and older.occurred_at = g.occurred_at and not older.is_final
         ) then 'superseded' else g.state end as state
  from given g
), settled as (
  update deliveries d set
    state = ${NEW_STATE},
    attempts = d.attempts + 1,
    next_attempt_at = case when (${NEW_STATE}) = 'pending' then r.next_attempt_at end,
    settled_at = case when (${NEW_STATE}) <> 'pending' then $10::timestamptz end
  from result r
  where d.id = r.id and d.occurred_at = r.occurred_at and d.fence = r.fence
  returning d.id, d.occurred_at, d.attempts, r.started_at, r.duration_ms, r.status, r.error
)
insert into delivery_attempts (delivery_id, occurred_at, attempt, started_at, duration_ms, status, error)
select id, occurred_at, attempts, started_at, duration_ms, status, error from settled`;

const END_SQL = `
update deliveries set state = 'ended', next_attempt_at = null, settled_at = $2
where transaction_id = any ($1::bigint[]) and state = 'pending'`;
