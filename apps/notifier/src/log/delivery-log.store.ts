import { Inject, Injectable } from '@nestjs/common';
import { LISTS_DATABASE } from '@vuka/service-host';
import type { Queryable } from '@vuka/persistence';

export const DELIVERY_STATES = ['pending', 'delivered', 'exhausted', 'superseded', 'ended'] as const;
export type StoredDeliveryState = (typeof DELIVERY_STATES)[number];

export interface LoggedPost {
  /** From 1. */
  readonly attempt: number;
  readonly startedAt: Date;
  readonly durationMs: number;
  /** null: no answer, and `error` says why. */
  readonly status: number | null;
  readonly error: string | null;
}

export interface LoggedDelivery {
  readonly id: number;
  readonly occurredAt: Date;
  readonly transactionId: number;
  readonly sequence: number;
  readonly partnerId: number;
  readonly event: string;
  /** Of the transaction or order; '' if unknown. */
  readonly code: string;
  /** `code` is of an order. null (tests, old rows): the event decides. */
  readonly isOrder: boolean | null;
  readonly callbackUrl: string;
  readonly host: string;
  /** null: expired. */
  readonly body: string | null;
  readonly state: StoredDeliveryState;
  readonly attempts: number;
  readonly createdAt: Date;
  readonly nextAttemptAt: Date | null;
  readonly settledAt: Date | null;
  /** The last ones, oldest first. */
  readonly posts: readonly LoggedPost[];
}

export interface LogPlace {
  readonly createdAt: Date;
  readonly id: number;
}

/** Filters; null: any. */
export interface LogFilter {
  readonly partnerId: number;
  readonly states: readonly StoredDeliveryState[];
  readonly event: string | null;
  /** `from` inclusive, `before` exclusive; creation times. */
  readonly from: Date | null;
  readonly before: Date | null;
}

export interface LogPage extends LogFilter {
  /** Of a transaction or order. */
  readonly code: string | null;
  readonly behind: LogPlace | null;
  readonly limit: number;
}

/** More than a schedule has. */
const MOST_POSTS = 50;
export const EARLIEST = new Date(0);
export const LATEST = new Date('9999-01-01T00:00:00Z');

/** Each query is for one partner. */
@Injectable()
export class DeliveryLogStore {
  constructor(@Inject(LISTS_DATABASE) private readonly db: Queryable) {}

  /** Newest first. */
  public async page(page: LogPage): Promise<LoggedDelivery[]> {
    const { partnerId, states, event, code, from, before, behind, limit } = page;
    const { createdAt, id } = behind ?? { createdAt: before ?? LATEST, id: 0 };
    const rows = await this.db.query<Omit<LoggedDelivery, 'posts'>>(code === null ? PAGE_SQL : PAGE_OF_CODE_SQL, [
      partnerId,
      states,
      event,
      from ?? EARLIEST,
      createdAt,
      id,
      limit,
      ...(code === null ? [] : [code]),
    ]);
    return this.withPosts(rows);
  }

  public async one(partnerId: number, id: number): Promise<LoggedDelivery | undefined> {
    const rows = await this.db.query<Omit<LoggedDelivery, 'posts'>>(
      `select ${COLUMNS} from deliveries d where id = $1 and partner_id = $2`,
      [id, partnerId],
    );
    return (await this.withPosts(rows))[0];
  }

  private async withPosts(rows: readonly Omit<LoggedDelivery, 'posts'>[]): Promise<LoggedDelivery[]> {
    const posts =
      rows.length === 0
        ? []
        : await this.db.query<LoggedPost & { deliveryId: number }>(POSTS_SQL, [
            rows.map(({ id }) => id),
            rows.map(({ occurredAt }) => occurredAt),
            rows.map(({ attempts }) => attempts - MOST_POSTS),
          ]);
    return rows.map((row) => ({
      ...row,
      posts: posts.filter(({ deliveryId }) => deliveryId === row.id).map(({ deliveryId: _, ...post }) => post),
    }));
  }
}

const COLUMNS = `
id::float8 as "id", occurred_at as "occurredAt", transaction_id::float8 as "transactionId", sequence as "sequence", partner_id::float8 as "partnerId",
event_type as "event", code as "code", is_order as "isOrder", callback_url as "callbackUrl", host as "host", body as "body", state as "state", attempts as "attempts",
created_at as "createdAt", next_attempt_at as "nextAttemptAt", settled_at as "settledAt"`;

// By state, as the index: reads at most one page per state.
const PAGE_SQL = `
select ${COLUMNS} from (
  select d.* from unnest($2::text[]) as wanted (state) cross join lateral (
    select * from deliveries
    where partner_id = $1 and state = wanted.state and created_at >= $4 and (created_at, id) < ($5, $6::bigint) and ($3::text is null or event_type = $3)
    order by created_at desc, id desc
    limit $7
  ) d
) d
order by d.created_at desc, d.id desc
limit $7`;

const PAGE_OF_CODE_SQL = `
select ${COLUMNS} from deliveries d
where partner_id = $1 and code = $8 and state = any ($2::text[]) and created_at >= $4 and (created_at, id) < ($5, $6::bigint)
  and ($3::text is null or event_type = $3)
order by created_at desc, id desc
limit $7`;

const POSTS_SQL = `
select a.delivery_id::float8 as "deliveryId", a.attempt, a.started_at as "startedAt", a.duration_ms as "durationMs", a.status, a.error
from unnest($1::bigint[], $2::timestamptz[], $3::integer[]) as d (id, occurred_at, older)
join delivery_attempts a on a.delivery_id = d.id and a.occurred_at = d.occurred_at and a.attempt > d.older
order by a.delivery_id, a.attempt`;
