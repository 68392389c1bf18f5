import { Inject, Injectable } from '@nestjs/common';
import { Database, type Queryable } from '@vuka/persistence';

export interface OpenRefunds {
  readonly chain: string;
  readonly state: string;
  readonly count: number;
  readonly oldestAt: Date;
}

export interface TroubledRefunds {
  readonly chain: string;
  /** Of the one that waits longest. */
  readonly trouble: string;
  /** Prefix from refund-troubles.ts; null: any other trouble. */
  readonly kind: string | null;
  readonly count: number;
  readonly since: Date;
}

@Injectable()
export class RefundWatch {
  public constructor(@Inject(Database) private readonly db: Queryable) {}

  /** `oldestAt`: since when it waits for signature, finality, or (`ending`) proof. */
  public open(): Promise<OpenRefunds[]> {
    return this.db.query<OpenRefunds>(
      `select chain, state, count(*)::integer as "count", min(since) as "oldestAt"
       from (select chain, case when ends_as is not null then 'ending' else state end as state,
                    case when ends_as is not null then ends_since when state in ('signed', 'broadcast') then signed_at else created_at end as since
             from refunds where next_due_at is not null) r
       group by chain, state order by chain, state`,
    );
  }

  /** In trouble since before `before`; `kinds`, which only people end, at any age. */
  public troubledSince(before: Date, kinds: readonly string[]): Promise<TroubledRefunds[]> {
    return this.db.query<TroubledRefunds>(
      `select chain, kind, count(*)::integer as "count", min(troubled_since) as "since",
              (array_agg(trouble order by troubled_since))[1] as "trouble"
       from (select r.*, case when split_part(trouble, ':', 1) = any ($2::text[]) then split_part(trouble, ':', 1) end as kind from refunds r) r
       where next_due_at is not null and trouble is not null and (troubled_since <= $1 or kind is not null)
       group by chain, kind order by chain, kind`,
      [before, kinds],
    );
  }
}
