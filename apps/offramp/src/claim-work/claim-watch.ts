import { Inject, Injectable } from '@nestjs/common';
import { Database, type Queryable } from '@vuka/persistence';

export interface OpenClaims {
  readonly chain: string;
  readonly state: string;
  readonly count: number;
  readonly oldestAt: Date;
}

export interface TroubledClaims {
  readonly chain: string;
  readonly count: number;
  readonly since: Date;
  /** Of the claim longest in trouble. */
  readonly trouble: string;
}

export interface ExposedClaims {
  readonly chain: string;
  readonly count: number;
}

export interface UnfinalDeposits {
  readonly chain: string;
  readonly count: number;
  readonly oldestAt: Date;
}

@Injectable()
export class ClaimWatch {
  public constructor(@Inject(Database) private readonly db: Queryable) {}

  public open(): Promise<OpenClaims[]> {
    return this.db.query<OpenClaims>(
      `select chain, state, count(*)::integer as "count", min(accepted_at) as "oldestAt"
       from claims where next_check_at is not null group by chain, state order by chain, state`,
    );
  }

  public exposed(): Promise<ExposedClaims[]> {
    return this.db.query<ExposedClaims>(
      `select chain, count(*)::integer as "count" from claims where next_check_at is not null and exposed_since is not null group by chain`,
    );
  }

  public unfinal(): Promise<UnfinalDeposits[]> {
    return this.db.query<UnfinalDeposits>(
      `select chain, count(*)::integer as "count", min(created_at) as "oldestAt" from deposits where recheck_at is not null group by chain order by chain`,
    );
  }

  public troubledSince(before: Date): Promise<TroubledClaims[]> {
    return this.db.query<TroubledClaims>(
      `select chain, count(*)::integer as "count", min(troubled_since) as "since", (array_agg(trouble order by troubled_since))[1] as "trouble"
       from claims where next_check_at is not null and troubled_since <= $1 group by chain order by chain`,
      [before],
    );
  }
}
