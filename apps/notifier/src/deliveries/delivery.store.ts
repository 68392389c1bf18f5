import { Injectable } from '@nestjs/common';
import { appendToOutbox, newEnvelope } from '@vuka/messaging';
import { Database, type Queryable, type Transaction } from '@vuka/persistence';

import type { FreePlaces } from './delivery-places.js';
import type { DeliveryVerdict } from './retry-schedule.js';
import { DELIVERY_QUEUE_IS_DUE } from './delivery-queue.store.js';

export interface Change {
  readonly eventId: string;
  readonly occurredAt: Date;
  /** Or an order's or refund's number: one series. */
  readonly transactionId: number;
  /** From 1, per transaction or order. */
  readonly sequence: number;
  readonly partnerId: number;
  readonly eventType: string;
  readonly isFinal: boolean;
  readonly callbackUrl: string | null;
  readonly host: string | null;
  /** Of the causing request. */
  readonly traceparent: string;
  readonly body: string;
  /** Of a refund: the code of what it refunds. */
  readonly code: string;
  /** `code` is of an order. */
  readonly isOrder: boolean;
}

export interface ClaimedDelivery {
  /** 64 bits, as PostgreSQL's text. */
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
  /** Earlier claims with a recorded outcome. */
  readonly attempts: number;
  /** Of these, before the last resend: its schedule restarts. */
  readonly attemptsBefore: number;
  /** null: no secret made yet. */
  readonly sealedSecret: string | null;
  /** Before the last rotation, while both sign. */
  readonly sealedPrevious: string | null;
  /** Its receiver was unreachable last time. */
  readonly isTroubled: boolean;
}

export interface ClaimRequest extends FreePlaces {
  readonly now: Date;
  /** When the claim lapses without an outcome. */
  readonly leaseUntil: Date;
  /** At most so many not held back, and as many held back. */
  readonly deliveryQueues: number;
}

export interface Claim {
  readonly deliveries: readonly ClaimedDelivery[];
  /** Checked. As many as requested: more may be due. */
  readonly deliveryQueues: number;
}

export interface AttemptRecord {
  readonly delivery: ClaimedDelivery;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly verdict: DeliveryVerdict;
}

@Injectable()
export class DeliveryStore {
  constructor(private readonly db: Database) {}

  /**
   * In one commit: marks new events as handled and stores deliveries. A newer one supersedes waiting non-final ones.
   * After a 410 the transaction gets no more.
   */
  public async recordChanges(group: string, changes: readonly Change[], now: Date): Promise<void> {
    await this.db.query(
      RECORD_CHANGES_SQL,
      [
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
        changes.map(({ code }) => code),
        changes.map(({ isOrder }) => isOrder),
      ],
      { name: 'notifier_record_changes_by_delivery_queues' },
    );
  }

  /** Queues in turn, oldest delivery first, within the free places. */
  public async claim(request: ClaimRequest): Promise<Claim> {
    const rows = await this.db.query<ClaimedDelivery & { deliveryQueues: number }>(
      CLAIM_SQL,
      [
        request.now,
        request.leaseUntil,
        request.limit,
        request.deliveryQueues,
        request.perDeliveryQueue,
        [...request.freeByDeliveryQueue.keys()],
        [...request.freeByDeliveryQueue.values()],
        request.perHost,
        [...request.freeByHost.keys()],
        [...request.freeByHost.values()],
        request.perPartner,
        [...request.freeByPartner.keys()],
        [...request.freeByPartner.values()],
        request.slowDeliveryQueues,
        request.slowFree,
      ],
      { name: 'notifier_claim_by_delivery_queues' },
    );
    return { deliveries: rows.filter(({ id }) => id !== null), deliveryQueues: rows[0]?.deliveryQueues ?? 0 };
  }

  /**
   * In one commit; drops outcomes of claims taken over. True if a receiver ended its deliveries (410): an event was
   * written.
   */
  public async recordAttempts(records: readonly AttemptRecord[], now: Date): Promise<boolean> {
    const ended = records.filter(({ verdict }) => verdict.state === 'ended');
    if (ended.length === 0) {
      await insertAttempts(this.db, records, now);
      return false;
    }
    await this.db.inTransaction(async (tx) => {
      // Before any write: keeps a partner's events in order in the outbox.
      await tx.query("select pg_advisory_xact_lock(hashtext('notifier.endpoint-events'))");
      const transactions = ended.map(({ delivery }) => delivery.transactionId);
      await tx.query(LOCK_ENDED_SQL, [
        transactions,
        records.map(({ delivery }) => delivery.id),
        records.map(({ delivery }) => delivery.occurredAt),
      ]);
      await tx.query(END_SQL, [transactions, now]);
      await tellDisabled(tx, ended, now);
      await insertAttempts(tx, records, now);
    });
    return true;
  }
}

/** Once per URL, the latest. */
async function tellDisabled(tx: Transaction, ended: readonly AttemptRecord[], now: Date): Promise<void> {
  const last = new Map<string, AttemptRecord>();
  for (const record of ended) {
    const key = `${record.delivery.partnerId} ${record.delivery.callbackUrl}`;
    const known = last.get(key);
    if (known === undefined || known.startedAt < record.startedAt) last.set(key, record);
  }
  const told = [...last.values()];
  const numbers = await tx.query<{ partnerId: number; last: number }>(
    `insert into endpoint_event_numbers (partner_id, last)
     select partner_id, count(*) from unnest($1::bigint[]) as told (partner_id) group by partner_id order by partner_id
     on conflict (partner_id) do update set last = endpoint_event_numbers.last + excluded.last
     returning partner_id::float8 as "partnerId", last`,
    [told.map(({ delivery }) => delivery.partnerId)],
  );
  const next = new Map(
    numbers.map(({ partnerId, last: number }) => [
      partnerId,
      number - told.filter(({ delivery }) => delivery.partnerId === partnerId).length,
    ]),
  );
  const events = told.map(({ delivery, startedAt }) => {
    const sequence = (next.get(delivery.partnerId) ?? 0) + 1;
    next.set(delivery.partnerId, sequence);
    return newEnvelope({
      type: 'endpoint.disabled', key: String(delivery.partnerId), sequence, occurredAt: now, producer: 'notifier',
      correlationId: `${delivery.transactionId}_${delivery.sequence}`, causationId: delivery.traceparent,
      data: { partner_id: delivery.partnerId, url: delivery.callbackUrl, attempted_at: startedAt.toISOString() },
    }); // prettier-ignore
  });
  await appendToOutbox(tx, events);
}

async function insertAttempts(db: Queryable, records: readonly AttemptRecord[], now: Date): Promise<void> {
  await db.query(
    RECORD_ATTEMPTS_SQL,
    [
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
    ],
    { name: 'notifier_record_attempts_by_delivery_queues' },
  );
}

// Locks deliveries by id, then queues in order: batches never deadlock. Superseded rows are counted first, because
// PostgreSQL would run an unread part last. Other deliveries are looked up once per event: most of the work with many
// partitions.
const RECORD_CHANGES_SQL = `
with given as (
  select g.*, max(sequence) over (partition by transaction_id) as newest
  from unnest($1::uuid[], $2::timestamptz[], $3::bigint[], $4::integer[], $5::bigint[],
              $6::text[], $7::boolean[], $8::text[], $9::text[], $10::text[], $13::text[], $14::text[], $15::boolean[])
    as g (event_id, occurred_at, transaction_id, sequence, partner_id, event_type, is_final, callback_url, host, body, traceparent, code, is_order)
), fresh as (
  insert into inbox (consumer_group, event_id, occurred_at)
  select $11, event_id, occurred_at from given order by event_id
  on conflict do nothing
  returning event_id
), told as materialized (
  select given.* from given join fresh on fresh.event_id = given.event_id where given.callback_url is not null
), others as materialized (
  select told.event_id, d.id, d.occurred_at, d.sequence, d.state,
         d.sequence < told.sequence and d.state = 'pending' and not d.is_final and d.resent_at is null as is_overtaken
  from told join deliveries d on d.transaction_id = told.transaction_id
), overtaken as (
  select d.id, d.occurred_at
  from others o join deliveries d on d.id = o.id and d.occurred_at = o.occurred_at
  where o.is_overtaken and d.state = 'pending' and d.resent_at is null
  order by d.id
  for update of d
), superseded as (
  update deliveries d set state = 'superseded', next_attempt_at = null, settled_at = $12
  from overtaken o
  where d.id = o.id and d.occurred_at = o.occurred_at
  returning 1
), known as (
  select event_id, bool_or(state = 'ended') as is_ended, max(sequence) as newest from others group by event_id
), entered as materialized (
  select told.*, case
    when known.is_ended then 'ended'
    when not told.is_final and greatest(told.newest, known.newest) > told.sequence then 'superseded'
    else 'pending'
  end as state
  from told left join known on known.event_id = told.event_id
), inserted as (
  insert into deliveries (transaction_id, sequence, occurred_at, partner_id, event_type, is_final, callback_url, host, body, traceparent, code, is_order,
                          state, next_attempt_at, created_at, settled_at)
  select transaction_id, sequence, occurred_at, partner_id, event_type, is_final, callback_url, host, body, traceparent, code, is_order,
         state, case when state = 'pending' then $12::timestamptz end, $12, case when state <> 'pending' then $12::timestamptz end
  from entered
  order by transaction_id, sequence
  on conflict (transaction_id, sequence, occurred_at) do nothing
  returning partner_id, host, next_attempt_at
)
insert into delivery_queues (partner_id, host, due_at)
select partner_id, host, min(next_attempt_at) from inserted
where next_attempt_at is not null and (select count(*) from superseded) >= 0
group by partner_id, host
order by partner_id, host
${DELIVERY_QUEUE_IS_DUE}`;

// In store/functions/claim-deliveries.sql.
const CLAIM_SQL = `
select c.delivery_queues as "deliveryQueues", c.id::text as "id", c.occurred_at as "occurredAt", c.fence as "fence", c.transaction_id::text as "transactionId",
       c.sequence as "sequence", c.partner_id::float8 as "partnerId", c.event_type as "eventType",
       c.callback_url as "callbackUrl", c.host as "host", c.traceparent as "traceparent", c.body as "body", c.attempts as "attempts",
       c.attempts_before as "attemptsBefore", s.sealed_secret as "sealedSecret",
       case when s.previous_until > $1 then s.previous_sealed_secret end as "sealedPrevious",
       exists (select from delivery_queues l where l.partner_id = c.partner_id and l.host = c.host and l.failures > 0) as "isTroubled"
from claim_deliveries($1::timestamptz, $2::timestamptz, $3::integer, $4::integer, $5::integer, $6::text[], $7::integer[],
                      $8::integer, $9::text[], $10::integer[], $11::integer, $12::bigint[], $13::integer[], $14::text[], $15::integer) c
left join webhook_secrets s on s.partner_id = c.partner_id`;

// A superseded or ended delivery stays so unless its POST succeeded. Simultaneous events do not see each other, so
// retries check again.
const RECORD_ATTEMPTS_SQL = `
with given as (
  select * from unnest($1::bigint[], $2::timestamptz[], $3::integer[], $4::text[], $5::timestamptz[],
                       $6::timestamptz[], $7::integer[], $8::smallint[], $9::text[])
    as g (id, occurred_at, fence, state, next_attempt_at, started_at, duration_ms, status, error)
), ours as (
  select d.id, d.occurred_at, d.fence, d.state, d.is_final or d.resent_at is not null as is_kept, d.transaction_id, d.sequence
  from given join deliveries d on d.id = given.id and d.occurred_at = given.occurred_at and d.fence = given.fence
  order by d.id
  for update of d
), judged as (
  select given.id, given.occurred_at, given.next_attempt_at, given.started_at, given.duration_ms, given.status, given.error,
         case
           when given.state in ('delivered', 'ended') then given.state
           when ours.state <> 'pending' then ours.state
           when given.state = 'pending' and not ours.is_kept and exists (
             select from deliveries d where d.transaction_id = ours.transaction_id and d.sequence > ours.sequence
           ) then 'superseded'
           else given.state
         end as state
  from ours join given on given.id = ours.id and given.fence = ours.fence
), settled as (
  update deliveries d set
    state = j.state,
    attempts = d.attempts + 1,
    next_attempt_at = case when j.state = 'pending' then j.next_attempt_at end,
    settled_at = case when j.state <> 'pending' then $10::timestamptz end
  from judged j
  where d.id = j.id and d.occurred_at = j.occurred_at
  returning d.id, d.occurred_at, d.attempts, d.partner_id, d.host, d.next_attempt_at, j.started_at, j.duration_ms, j.status, j.error
), logged as (
  insert into delivery_attempts (delivery_id, occurred_at, attempt, started_at, duration_ms, status, error)
  select id, occurred_at, attempts, started_at, duration_ms, status, error from settled
)
insert into delivery_queues (partner_id, host, due_at)
select partner_id, host, min(next_attempt_at) from settled
where next_attempt_at is not null
group by partner_id, host
order by partner_id, host
${DELIVERY_QUEUE_IS_DUE}`;

// The same lock order as for attempts.
const LOCK_ENDED_SQL = `
select d.id from (
  select id, occurred_at from deliveries where transaction_id = any ($1::bigint[]) and state = 'pending'
  union
  select * from unnest($2::bigint[], $3::timestamptz[])
) known join deliveries d on d.id = known.id and d.occurred_at = known.occurred_at
order by d.id
for update of d`;

const END_SQL = `
update deliveries set state = 'ended', next_attempt_at = null, settled_at = $2
where transaction_id = any ($1::bigint[]) and state = 'pending'`;
