import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '@vuka/persistence';

import { laneKey } from './delivery-places.js';
import { afterOutcome, type LaneOutcome, type LaneTrouble } from './lane-circuit.js';

/** What deliveries are claimed by: a partner's deliveries to one host. */
export interface Lane {
  readonly partnerId: number;
  readonly host: string;
}

/** A lane that is held back from now on, or not any more. */
export interface LaneChange extends Lane {
  readonly heldUntil: Date | null;
  readonly failures: number;
}

export interface SweptPage {
  /** The last one looked at; null after the last of all. */
  readonly last: Lane | null;
  /** That said nothing of deliveries that are pending, or too late a time. */
  readonly mended: number;
}

export interface LaneOverview {
  /** The turn of the lane that has waited longest for it; null where none waits. */
  readonly waitingSince: Date | null;
  /** Since when the oldest delivery is due, of those that are held back. */
  readonly heldSince: Date | null;
  readonly heldLanes: number;
}

/**
 * Deliveries of these lanes are due at that time, or earlier than was known. Call it last in the transaction that makes them so: everybody takes the locks of
 * lanes after those of deliveries and in this order, and holds them to the commit, so that no claim puts a lane off that it has not seen all of.
 */
export async function lanesDue(tx: Pick<Transaction, 'query'>, lanes: readonly Lane[], dueAt: Date): Promise<void> {
  if (lanes.length === 0) return;
  await tx.query(
    `insert into delivery_lanes (partner_id, host, due_at)
     select distinct partner_id, host, $3::timestamptz from unnest($1::bigint[], $2::text[]) as lane (partner_id, host) order by partner_id, host
     ${LANE_IS_DUE}`,
    [lanes.map(({ partnerId }) => partnerId), lanes.map(({ host }) => host), dueAt],
  );
}

/** Of an insert of lanes in order. A lane that is due already is not written, and locked all the same. */
export const LANE_IS_DUE = `on conflict (partner_id, host) do update set due_at = excluded.due_at
 where delivery_lanes.due_at is null or delivery_lanes.due_at > excluded.due_at`;

const SWEPT_AT_ONCE = 500;
/** Nothing pending for so long: a lane is forgotten. */
const FORGOTTEN_AFTER_MS = 3_600_000;
const FORGOTTEN_AT_ONCE = 1_000;

/** Lanes, and those of them that are held back. */
@Injectable()
export class LaneStore {
  constructor(private readonly db: Database) {}

  /**
   * Counts what came of lanes and holds back those whose receivers are away; answers what changed. Not in the commit of the attempts: what is lost here is
   * counted again. `random` gives numbers in [0, 1).
   */
  public async recordOutcomes(
    outcomes: readonly LaneOutcome[],
    now: Date,
    random: () => number,
  ): Promise<LaneChange[]> {
    return this.db.inTransaction(async (tx) => {
      const found = await tx.query<LaneTrouble & Lane>(
        `select l.partner_id::float8 as "partnerId", l.host, l.failures, l.last_failure_at as "lastFailureAt", l.pauses, l.held_until as "heldUntil", l.is_probed as "isProbed"
           from unnest($1::bigint[], $2::text[]) as lane (partner_id, host) join delivery_lanes l on l.partner_id = lane.partner_id and l.host = lane.host
          order by l.partner_id, l.host for update of l`,
        [outcomes.map(({ partnerId }) => partnerId), outcomes.map(({ host }) => host)],
      );
      const outcomeOf = new Map(outcomes.map((outcome) => [laneKey(outcome), outcome]));
      const judged = found.flatMap((before) => {
        const outcome = outcomeOf.get(laneKey(before));
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
   * Looks at the lanes of what is pending, from after `last` on, and puts right those that would be claimed too late or never. Whoever makes a delivery
   * due says so to its lane in the same commit, so this finds something only after a fault of ours.
   */
  public async sweep(last: Lane | null): Promise<SweptPage> {
    const [page] = await this.db.query<{ count: number; partnerId: number; host: string; mended: number }>(SWEEP_SQL, [
      last?.partnerId ?? 0,
      last?.host ?? '',
      SWEPT_AT_ONCE,
    ]);
    if (page === undefined) return { last: null, mended: 0 };
    return {
      last: page.count < SWEPT_AT_ONCE ? null : { partnerId: page.partnerId, host: page.host },
      mended: page.mended,
    };
  }

  /** Forgets some of the lanes in which nothing was pending for long. */
  public async forget(now: Date): Promise<void> {
    const before = new Date(now.getTime() - FORGOTTEN_AFTER_MS);
    await this.db.query(
      `delete from delivery_lanes l using (
         select partner_id, host from delivery_lanes where due_at is null and served_at < $1 order by served_at limit $2 for update skip locked
       ) idle where l.partner_id = idle.partner_id and l.host = idle.host and l.due_at is null`,
      [before, FORGOTTEN_AT_ONCE],
    );
  }

  public async overview(): Promise<LaneOverview> {
    const [row] = await this.db.query<LaneOverview>(
      `select (select min(turn_at) from delivery_lanes where due_at is not null and held_until is null) as "waitingSince",
              (select min(due_at) from delivery_lanes where due_at is not null and held_until is not null) as "heldSince",
              (select count(*)::integer from delivery_lanes where due_at is not null and held_until is not null) as "heldLanes"`,
    );
    return row!;
  }
}

const NO_TROUBLE = { failures: 0, lastFailureAt: null, pauses: 0, heldUntil: null, isProbed: false };

async function keep(tx: Transaction, troubles: readonly (Lane & (LaneTrouble | typeof NO_TROUBLE))[]): Promise<void> {
  await tx.query(
    `update delivery_lanes l set failures = g.failures, last_failure_at = g.last_failure_at, pauses = g.pauses, held_until = g.held_until, is_probed = g.is_probed
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

// From lane to lane by their index: what a lane holds is not read, only its first. Lanes that say so already are not locked.
const SWEEP_SQL = `
with recursive lane as (
  (select d.partner_id, d.host, d.next_attempt_at, 1 as place from deliveries d
    where d.state = 'pending' and (d.partner_id, d.host) > ($1::bigint, $2::text)
    order by d.partner_id, d.host, d.next_attempt_at, d.id limit 1)
  union all
  select next.partner_id, next.host, next.next_attempt_at, lane.place + 1
    from lane cross join lateral (
      select d.partner_id, d.host, d.next_attempt_at from deliveries d
       where d.state = 'pending' and (d.partner_id, d.host) > (lane.partner_id, lane.host)
       order by d.partner_id, d.host, d.next_attempt_at, d.id limit 1
    ) next
   where lane.place < $3
), mended as (
  insert into delivery_lanes (partner_id, host, due_at)
  select lane.partner_id, lane.host, lane.next_attempt_at from lane
   where not exists (
     select from delivery_lanes l where l.partner_id = lane.partner_id and l.host = lane.host and l.due_at <= lane.next_attempt_at
   )
   order by lane.partner_id, lane.host
  ${LANE_IS_DUE}
  returning 1
)
select lane.place as "count", lane.partner_id::float8 as "partnerId", lane.host as "host", (select count(*)::integer from mended) as "mended"
  from lane order by lane.place desc limit 1`;
