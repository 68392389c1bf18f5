import { Inject, Injectable } from '@nestjs/common';
import { Database, type Queryable, type Transaction } from '@vuka/persistence';
import { decodeMoney, type ArrivedDeposit, type Money } from '@vuka/domain';

import { IncomingTransferStore } from '../incoming-transfers/index.js';
import { toArrived, type ArrivedRow } from './deposit.store.js';

export interface ToldDeposit extends ArrivedDeposit {
  readonly address: string;
  readonly partnerId: number;
  readonly claimId: number;
  readonly blockHash: string;
  readonly createdAt: Date;
  readonly fence: number;
}

export interface DepositToRecheck extends ToldDeposit {
  /** All of the token in its transfer, also above a quote. */
  readonly whole: Money;
  readonly missingSince: Date | null;
  readonly untoldSince: Date | null;
}

export interface RevertedDeposit extends ToldDeposit {
  readonly token: string;
  readonly rate: string;
  /** Only a person may allow its use, even after its return. */
  readonly screeningHit: boolean;
  readonly ruleVersion: number;
  readonly revertedAt: Date;
  readonly watchUntil: Date;
}

export interface Room {
  readonly chain: string;
  readonly free: number;
}

export interface Standing {
  readonly block: { readonly number: number; readonly hash: string; readonly time: Date } | null;
  readonly missingSince: Date | null;
  readonly untoldSince: Date | null;
  /** null: it is final. */
  readonly recheckAt: Date | null;
}

type Raw<T> = ArrivedRow &
  Omit<T, keyof ArrivedDeposit | 'partnerId' | 'claimId'> & { partnerId: string; claimId: string };

const COLUMNS = `d.id::text as "id", d.chain as "chain", d.transaction_hash as "transactionHash", d.address as "address", d.asset as "asset",
  d.decimals as "decimals", d.received_minor::text as "receivedMinor", d.partner_id::text as "partnerId", d.claim_id::text as "claimId",
  d.block_number::text as "blockNumber", d.block_hash as "blockHash", d.block_time as "blockTime", d.created_at as "createdAt"`;

type Told = Omit<DepositToRecheck, 'whole'>;

/** Deposits (s) of the same transfer and token as d, including d: a quote may split one. */
const SAME_VALUE = `s.chain = d.chain and s.transaction_hash = d.transaction_hash and s.address = d.address and s.asset = d.asset`;

@Injectable()
export class RecheckStore {
  public constructor(@Inject(Database) private readonly db: Pick<Database, 'query'>) {}

  /** At most `free` transfers per chain: in turn by partner, the longest due first. */
  public async claim(now: Date, leaseUntil: Date, room: readonly Room[]): Promise<DepositToRecheck[]> {
    const rows = await this.db.query<Raw<Told> & { wholeMinor: string }>(
      CLAIM_SQL,
      [room.map(({ chain }) => chain), room.map(({ free }) => free), now, leaseUntil],
      { name: 'offramp_claim_rechecks' },
    );
    return rows.map(({ wholeMinor, ...row }) => ({
      ...parsed<Told>(row),
      whole: decodeMoney(wholeMinor, row.asset),
    }));
  }

  public async claimReverted(now: Date, leaseUntil: Date, room: readonly Room[]): Promise<RevertedDeposit[]> {
    const rows = await this.db.query<Raw<RevertedDeposit>>(
      CLAIM_REVERTED_SQL,
      [room.map(({ chain }) => chain), room.map(({ free }) => free), now, leaseUntil],
      { name: 'offramp_claim_reverted' },
    );
    return rows.map(parsed<RevertedDeposit>);
  }

  /** Changes nothing if another recheck has begun. */
  public async stands(
    { depositId, fence }: Pick<ToldDeposit, 'depositId' | 'fence'>,
    { block, missingSince, untoldSince, recheckAt }: Standing,
    now: Date,
  ): Promise<void> {
    await this.db.query(
      `update deposits set recheck_at = $3, missing_since = $4, finalized_at = case when $3::timestamptz is null then $5::timestamptz end,
              block_number = coalesce($6, block_number), block_hash = coalesce($7, block_hash), block_time = coalesce($8, block_time), untold_since = $9
       where id = $1 and recheck_fence = $2 and recheck_at is not null`,
      [
        depositId,
        fence,
        recheckAt,
        missingSince,
        now,
        block?.number ?? null,
        block?.hash ?? null,
        block?.time ?? null,
        untoldSince,
      ],
      { name: 'offramp_deposit_stands' },
    );
  }

  /**
   * Moves a deposit to reverted_deposits and unclaims its transfer. The other part of a split moves too: a transfer
   * vanishes as a whole. Sorted by id. Empty: another recheck has begun.
   */
  public static async revert(
    tx: Transaction,
    { depositId, fence }: Pick<ToldDeposit, 'depositId' | 'fence'>,
    at: { readonly now: Date; readonly watchUntil: Date; readonly nextCheckAt: Date },
  ): Promise<ToldDeposit[]> {
    const rows = await tx.query<Raw<ToldDeposit>>(
      REVERT_SQL,
      [depositId, fence, at.now, at.watchUntil, at.nextCheckAt],
      {
        name: 'offramp_deposit_reverted',
      },
    );
    const gone = rows.map(parsed<ToldDeposit>).sort((one, other) => one.depositId - other.depositId);
    for (const { chain, transactionHash, address } of gone)
      await IncomingTransferStore.unclaim(tx, chain, transactionHash, address);
    return gone;
  }

  /** null: stop. Changes nothing if another check has begun. */
  public async checkForAgain(
    { depositId, fence }: Pick<ToldDeposit, 'depositId' | 'fence'>,
    nextCheckAt: Date | null,
  ): Promise<void> {
    await this.db.query(
      'update reverted_deposits set next_check_at = $3 where id = $1 and fence = $2 and next_check_at is not null',
      [depositId, fence, nextCheckAt],
      { name: 'offramp_check_for_reverted' },
    );
  }

  /** false: another check has begun. */
  public static async returned(
    tx: Transaction,
    { depositId, fence }: Pick<ToldDeposit, 'depositId' | 'fence'>,
    as: number,
  ): Promise<boolean> {
    const rows = await tx.query(
      'update reverted_deposits set next_check_at = null, returned_as = $3 where id = $1 and fence = $2 and next_check_at is not null returning id',
      [depositId, fence, as],
    );
    return rows.length > 0;
  }

  /**
   * US cents of verified deposits that may still vanish, including those being refunded and the used part of an
   * order's.
   */
  public static async openCents(db: Queryable, partnerId: number): Promise<bigint> {
    const [row] = await db.query<{ cents: string }>(
      `select coalesce(sum(div(100 * (case when state = 'unapplied' then used_minor else received_minor end) + power(10::numeric, decimals) - 1, power(10::numeric, decimals))), 0)::text as cents
       from deposits where partner_id = $1 and finalized_at is null and (state in ('consumed', 'credited', 'refunding') or used_minor > 0)`,
      [partnerId],
      { name: 'offramp_open_cents' },
    );
    return BigInt(row?.cents ?? 0);
  }

  /** Serialises additions to a partner's exposure. */
  public static async lockExposure(tx: Transaction, partnerId: number): Promise<void> {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('exposure ' || $1::text, 0))`, [partnerId]);
  }
}

function parsed<T extends ToldDeposit>(row: Raw<T>): T {
  return { ...toArrived(row), partnerId: Number(row.partnerId), claimId: Number(row.claimId) } as unknown as T;
}

/** Fairness covers this many of the longest due. */
const PAGE = 500;

// A transfer's deposits are claimed together: one check covers them.
const CLAIM_SQL = `
with room as (
  select * from unnest($1::text[], $2::integer[]) as room (chain, free)
), waiting as (
  select room.chain, room.free, page.claim_id, page.partner_id, min(page.recheck_at) as due_at
  from room cross join lateral (
    select claim_id, partner_id, recheck_at from deposits where chain = room.chain and recheck_at <= $3 order by recheck_at, id limit ${PAGE}
  ) page group by room.chain, room.free, page.claim_id, page.partner_id
), turns as (
  select *, row_number() over (partition by chain, partner_id order by due_at, claim_id) as turn from waiting
), chosen as (
  select claim_id, free, row_number() over (partition by chain order by turn, due_at, claim_id) as place from turns
), due as (
  select id from deposits where claim_id in (select claim_id from chosen where place <= free) and recheck_at <= $3 order by id for update skip locked
)
update deposits d set recheck_fence = d.recheck_fence + 1, recheck_at = $4 from due where d.id = due.id
returning ${COLUMNS}, d.missing_since as "missingSince", d.untold_since as "untoldSince", d.recheck_fence as "fence",
  (select sum(s.received_minor) from deposits s where ${SAME_VALUE})::text as "wholeMinor"`;

const CLAIM_REVERTED_SQL = `
with room as (
  select * from unnest($1::text[], $2::integer[]) as room (chain, free)
), chosen as (
  select page.id from room cross join lateral (
    select id from reverted_deposits where chain = room.chain and next_check_at <= $3 order by next_check_at, id limit room.free) page
), due as (
  select id from reverted_deposits where id in (select id from chosen) and next_check_at <= $3 order by id for update skip locked
)
update reverted_deposits d set fence = d.fence + 1, next_check_at = $4 from due where d.id = due.id
returning ${COLUMNS}, d.token as "token", d.rate as "rate", d.screening_hit as "screeningHit", d.rule_version as "ruleVersion", d.reverted_at as "revertedAt", d.watch_until as "watchUntil", d.fence as "fence"`;

const KEPT = `id, chain, transaction_hash, address, asset, token, decimals, received_minor, used_minor, partner_id, claim_id, state, screening_hit, rate,
  block_number, block_hash, block_time, rule_version, evidence, created_at`;

const REVERT_SQL = `
with whole as (
  select s.id from deposits d join deposits s on ${SAME_VALUE} where d.id = $1 and d.recheck_fence = $2 and d.recheck_at is not null order by s.id for update
), gone as (
  delete from deposits where id in (select id from whole) returning ${KEPT}
)
insert into reverted_deposits as d (${KEPT}, reverted_at, watch_until, next_check_at) select ${KEPT}, $3, $4, $5 from gone returning ${COLUMNS}, d.fence as "fence"`;
