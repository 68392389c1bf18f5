import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '@vuka/persistence';

import { deliveryQueueKey } from './delivery-places.js';
import { afterOutcome, type DeliveryQueueOutcome, type DeliveryQueueTrouble } from './delivery-queue-circuit.js';

/** A partner's deliveries to one host. */
export interface DeliveryQueue {
  readonly partnerId: number;
  readonly host: string;
}

export interface DeliveryQueueChange extends DeliveryQueue {
  readonly heldUntil: Date | null;
  readonly failures: number;
}

export interface SweptPage {
  /** Last queue checked; null after the last of all. */
  readonly last: DeliveryQueue | null;
  /** Queues with a missing or too late due time. */
  readonly repaired: number;
}

export interface DeliveryQueueOverview {
  /** Since when the next queue waits; null if none. */
  readonly waitingSince: Date | null;
  /** Due time of the oldest delivery held back. */
  readonly heldSince: Date | null;
  readonly heldDeliveryQueues: number;
}

/**
 * These queues are due then, or earlier. Call it last in the transaction: everybody locks deliveries first, then
 * queues in this order, until the commit. So no claim postpones a queue with an unseen delivery.
 */
export async function deliveryQueuesDue(
  tx: Pick<Transaction, 'query'>,
  deliveryQueues: readonly DeliveryQueue[],
  dueAt: Date,
): Promise<void> {
  if (deliveryQueues.length === 0) return;
  await tx.query(
    `insert into delivery_queues (partner_id, host, due_at)
     select distinct partner_id, host, $3::timestamptz from unnest($1::bigint[], $2::text[]) as delivery_queue (partner_id, host) order by partner_id, host
     ${DELIVERY_QUEUE_IS_DUE}`,
    [deliveryQueues.map(({ partnerId }) => partnerId), deliveryQueues.map(({ host }) => host), dueAt],
  );
}

/** For ordered inserts. A queue already due is locked, but not written. */
export const DELIVERY_QUEUE_IS_DUE = `on conflict (partner_id, host) do update set due_at = excluded.due_at
 where delivery_queues.due_at is null or delivery_queues.due_at > excluded.due_at`;

const SWEPT_AT_ONCE = 500;
/** After this time without pending deliveries a queue is deleted. */
const FORGOTTEN_AFTER_MS = 3_600_000;
const FORGOTTEN_AT_ONCE = 1_000;

@Injectable()
export class DeliveryQueueStore {
  constructor(private readonly db: Database) {}

  /**
   * Holds back queues whose receivers are unreachable; returns the changes. Not in the attempts' commit: a lost count
   * is counted again. `random` is in [0, 1).
   */
  public async recordOutcomes(
    outcomes: readonly DeliveryQueueOutcome[],
    now: Date,
    random: () => number,
  ): Promise<DeliveryQueueChange[]> {
    return this.db.inTransaction(async (tx) => {
      const found = await tx.query<DeliveryQueueTrouble & DeliveryQueue>(
        `select l.partner_id::float8 as "partnerId", l.host, l.failures, l.last_failure_at as "lastFailureAt", l.pauses, l.held_until as "heldUntil", l.is_probed as "isProbed"
           from unnest($1::bigint[], $2::text[]) as delivery_queue (partner_id, host) join delivery_queues l on l.partner_id = delivery_queue.partner_id and l.host = delivery_queue.host
          order by l.partner_id, l.host for update of l`,
        [outcomes.map(({ partnerId }) => partnerId), outcomes.map(({ host }) => host)],
      );
      const outcomeOf = new Map(outcomes.map((outcome) => [deliveryQueueKey(outcome), outcome]));
      const judged = found.flatMap((before) => {
        const outcome = outcomeOf.get(deliveryQueueKey(before));
        return outcome === undefined
          ? []
          : [{ before, after: afterOutcome(before.failures === 0 ? null : before, outcome, now, random()) }];
      });
      await keep(
        tx,
        judged.map(({ before: { partnerId, host }, after }) => ({ ...(after ?? NO_TROUBLE), partnerId, host })),
      );
      return judged.flatMap(({ before: { partnerId, host, heldUntil }, after }) => {
        const change = { partnerId, host, heldUntil: after?.heldUntil ?? null, failures: after?.failures ?? 0 };
        return change.heldUntil?.getTime() === heldUntil?.getTime() ? [] : [change];
      });
    });
  }

  /**
   * Repairs queues of pending deliveries that would be claimed late or never. Finds something only after a bug of
   * ours.
   */
  public async sweep(last: DeliveryQueue | null): Promise<SweptPage> {
    const [page] = await this.db.query<{ count: number; partnerId: number; host: string; repaired: number }>(
      SWEEP_SQL,
      [last?.partnerId ?? 0, last?.host ?? '', SWEPT_AT_ONCE],
    );
    if (page === undefined) return { last: null, repaired: 0 };
    return {
      last: page.count < SWEPT_AT_ONCE ? null : { partnerId: page.partnerId, host: page.host },
      repaired: page.repaired,
    };
  }

  public async forget(now: Date): Promise<void> {
    const before = new Date(now.getTime() - FORGOTTEN_AFTER_MS);
    await this.db.query(
      `delete from delivery_queues l using (
         select partner_id, host from delivery_queues where due_at is null and served_at < $1 order by served_at limit $2 for update skip locked
       ) idle where l.partner_id = idle.partner_id and l.host = idle.host and l.due_at is null`,
      [before, FORGOTTEN_AT_ONCE],
    );
  }

  public async overview(): Promise<DeliveryQueueOverview> {
    const [row] = await this.db.query<DeliveryQueueOverview>(
      `select (select min(turn_at) from delivery_queues where due_at is not null and held_until is null) as "waitingSince",
              (select min(due_at) from delivery_queues where due_at is not null and held_until is not null) as "heldSince",
              (select count(*)::integer from delivery_queues where due_at is not null and held_until is not null) as "heldDeliveryQueues"`,
    );
    return row!;
  }
}

const NO_TROUBLE = { failures: 0, lastFailureAt: null, pauses: 0, heldUntil: null, isProbed: false };

async function keep(
  tx: Transaction,
  troubles: readonly (DeliveryQueue & (DeliveryQueueTrouble | typeof NO_TROUBLE))[],
): Promise<void> {
  await tx.query(
    `update delivery_queues l set failures = g.failures, last_failure_at = g.last_failure_at, pauses = g.pauses, held_until = g.held_until, is_probed = g.is_probed
       from unnest($1::bigint[], $2::text[], $3::integer[], $4::timestamptz[], $5::integer[], $6::timestamptz[], $7::boolean[])
         as g (partner_id, host, failures, last_failure_at, pauses, held_until, is_probed)
      where l.partner_id = g.partner_id and l.host = g.host`,
    [
      troubles.map(({ partnerId }) => partnerId),
      troubles.map(({ host }) => host),
      troubles.map(({ failures }) => failures),
      troubles.map(({ lastFailureAt }) => lastFailureAt),
      troubles.map(({ pauses }) => pauses),
      troubles.map(({ heldUntil }) => heldUntil),
      troubles.map(({ isProbed }) => isProbed),
    ],
  );
}

// An index probe per queue reads only its first delivery. Correct queues are not locked.
const SWEEP_SQL = `
with recursive delivery_queue as (
  (select d.partner_id, d.host, d.next_attempt_at, 1 as place from deliveries d
    where d.state = 'pending' and (d.partner_id, d.host) > ($1::bigint, $2::text)
    order by d.partner_id, d.host, d.next_attempt_at, d.id limit 1)
  union all
  select next.partner_id, next.host, next.next_attempt_at, delivery_queue.place + 1
    from delivery_queue cross join lateral (
      select d.partner_id, d.host, d.next_attempt_at from deliveries d
       where d.state = 'pending' and (d.partner_id, d.host) > (delivery_queue.partner_id, delivery_queue.host)
       order by d.partner_id, d.host, d.next_attempt_at, d.id limit 1
    ) next
   where delivery_queue.place < $3
), repaired as (
  insert into delivery_queues (partner_id, host, due_at)
  select delivery_queue.partner_id, delivery_queue.host, delivery_queue.next_attempt_at from delivery_queue
   where not exists (
     select from delivery_queues l where l.partner_id = delivery_queue.partner_id and l.host = delivery_queue.host and l.due_at <= delivery_queue.next_attempt_at
   )
   order by delivery_queue.partner_id, delivery_queue.host
  ${DELIVERY_QUEUE_IS_DUE}
  returning 1
)
select delivery_queue.place as "count", delivery_queue.partner_id::float8 as "partnerId", delivery_queue.host as "host", (select count(*)::integer from repaired) as "repaired"
  from delivery_queue order by delivery_queue.place desc limit 1`;
