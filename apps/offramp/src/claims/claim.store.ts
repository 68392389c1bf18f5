import { Inject, Injectable } from '@nestjs/common';
import { decodeMoney, encodeMinor, type Money } from '@vuka/domain';
import { inboxMarkSql } from '@vuka/messaging';
import { Database, type Queryable, type Transaction } from '@vuka/persistence';

export interface HeldQuote {
  readonly asset: string;
  readonly rate: string;
  readonly expiresAt: Date;
}

export interface NewClaim {
  readonly transactionId: number;
  readonly partnerId: number;
  readonly chain: string;
  readonly transactionHash: string;
  readonly asset: string | null;
  readonly amount: Money;
  readonly quoteId: string | null;
  readonly quote: HeldQuote | null;
  readonly quoteNotApplied: 'used' | 'unknown' | 'expired' | null;
  readonly rate: string | null;
  readonly acceptedAt: Date;
  readonly deadline: Date;
  readonly correlationId: string;
  readonly causationId: string;
  readonly createdAt: Date;
}

export interface ClaimToCheck extends Omit<NewClaim, 'quoteId' | 'createdAt'> {
  readonly fence: number;
  readonly seenAt: Date | null;
  /** null: it belongs to a pay. */
  readonly orderNumber: number | null;
  /** Text of the last "seen" event of an order's claim. null: none. */
  readonly toldSight: string | null;
}

export type OrderClaim = ClaimToCheck & { readonly orderNumber: number };

export interface ClaimToTell {
  /** Of the next event. */
  readonly sequence: number;
  readonly correlationId: string;
  readonly causationId: string;
}

export interface RoomOnChain {
  readonly chain: string;
  readonly free: number;
  /** By partner: who has fewer comes first. */
  readonly busy: ReadonlyMap<number, number>;
}

export interface CheckAgain {
  readonly nextCheckAt: Date;
  readonly rate: string | null;
  /** null: the check had a result. */
  readonly trouble: string | null;
  /** Only the exposure limit holds it back. */
  readonly exposed: boolean;
}

export type ClosedState = 'verified' | 'unusable' | 'unapplied';

type Row = Omit<ClaimToCheck, 'transactionId' | 'partnerId' | 'amount' | 'quote' | 'orderNumber'> & {
  transactionId: string;
  partnerId: string;
  currency: string;
  amountMinor: string;
  orderNumber: string | null;
  quoteAsset: string | null;
  quoteRate: string | null;
  quoteExpiresAt: Date | null;
};

@Injectable()
export class ClaimStore {
  public constructor(@Inject(Database) private readonly db: Pick<Database, 'query'>) {}

  /** false: the event was handled before. */
  public static async mark(
    tx: Transaction,
    group: string,
    event: { readonly id: string; readonly occurredAt: string },
  ): Promise<boolean> {
    return (await tx.query(inboxMarkSql, [group, event.id, event.occurredAt], { name: 'inbox-mark' })).length > 0;
  }

  /** false: this transaction has a claim already. */
  public static async insert(tx: Transaction, claim: NewClaim): Promise<boolean> {
    const rows = await tx.query(INSERT_SQL, [
      claim.transactionId, claim.partnerId, claim.chain, claim.transactionHash, claim.asset, claim.amount.currency, encodeMinor(claim.amount), claim.quoteId,
      claim.quote?.asset ?? null, claim.quote?.rate ?? null, claim.quote?.expiresAt ?? null, claim.quoteNotApplied, claim.rate, claim.acceptedAt, claim.deadline,
      claim.correlationId, claim.causationId, claim.createdAt,
    ], { name: 'offramp_insert_claim' }); // prettier-ignore
    return rows.length > 0;
  }

  /** At most `free` per chain, in turn by partner. Skips rows that another process has locked. */
  public async claim(now: Date, leaseUntil: Date, room: readonly RoomOnChain[]): Promise<ClaimToCheck[]> {
    const busy = room.flatMap(({ chain, busy: byPartner }) =>
      [...byPartner].map(([partnerId, checks]) => ({ chain, partnerId, checks })),
    );
    const rows = await this.db.query<Row>(CLAIM_SQL, [
      room.map(({ chain }) => chain), room.map(({ free }) => free), now, leaseUntil,
      busy.map(({ chain }) => chain), busy.map(({ partnerId }) => partnerId), busy.map(({ checks }) => checks),
    ], { name: 'offramp_claim_claims' }); // prettier-ignore
    return rows.map(toClaim);
  }

  /** Changes nothing if another check has begun. */
  public async checkAgain(
    { transactionId, fence }: Pick<ClaimToCheck, 'transactionId' | 'fence'>,
    { nextCheckAt, rate, trouble, exposed }: CheckAgain,
    now: Date,
  ): Promise<void> {
    await this.db.query(
      `update claims set next_check_at = $3, rate = coalesce(rate, $4), trouble = $5,
              troubled_since = case when $5::text is null then null else coalesce(troubled_since, $6) end,
              exposed_since = case when $7 then coalesce(exposed_since, $6) when $5::text is null then null else exposed_since end,
              checked_at = case when $5::text is null then coalesce(checked_at, $6) else checked_at end
       where transaction_id = $1 and fence = $2 and next_check_at is not null`,
      [transactionId, fence, nextCheckAt, rate, trouble, now, exposed],
      { name: 'offramp_check_again' },
    );
  }

  /** Lock before any write. Returns the last sequence; undefined: lease lapsed, or claim ended. */
  public static async lock(tx: Transaction, transactionId: number, fence: number): Promise<number | undefined> {
    const rows = await tx.query<{ sequence: number }>(
      `select last_sequence as "sequence" from claims where transaction_id = $1 and fence = $2 and next_check_at is not null for update`,
      [transactionId, fence],
      { name: 'offramp_lock_claim' },
    );
    return rows[0]?.sequence;
  }

  /** null: it belongs to a pay. */
  public static async orderOf(db: Queryable, transactionId: number): Promise<number | null> {
    const [row] = await db.query<{ orderNumber: string | null }>(
      'select order_number::text as "orderNumber" from claims where transaction_id = $1',
      [transactionId],
    );
    return row === undefined || row.orderNumber === null ? null : Number(row.orderNumber);
  }

  public static async lockToTell(tx: Transaction, transactionId: number): Promise<ClaimToTell> {
    const [row] = await tx.query<ClaimToTell>(
      'select last_sequence + 1 as "sequence", correlation_id as "correlationId", causation_id as "causationId" from claims where transaction_id = $1 for update',
      [transactionId],
    );
    if (row === undefined) throw new Error(`no claim ${transactionId}`);
    return row;
  }

  public static async seen(
    tx: Transaction,
    transactionId: number,
    sequence: number,
    now: Date,
    { nextCheckAt, rate, exposed }: CheckAgain,
  ): Promise<void> {
    await tx.query(
      `update claims set state = 'seen', seen_at = $2, next_check_at = $3, rate = coalesce(rate, $4), last_sequence = $5, trouble = null, troubled_since = null,
              exposed_since = case when $6 then $2::timestamptz end
       where transaction_id = $1`,
      [transactionId, now, nextCheckAt, rate, sequence, exposed],
    );
  }

  public static async sighted(
    tx: Transaction,
    transactionId: number,
    {
      sight,
      now,
      nextCheckAt,
      exposed,
    }: { readonly sight: string; readonly now: Date; readonly nextCheckAt: Date; readonly exposed: boolean },
  ): Promise<void> {
    await tx.query(
      `update claims set state = 'seen', seen_at = coalesce(seen_at, $3), checked_at = coalesce(checked_at, $3), told_sight = $2, next_check_at = $4, trouble = null,
              troubled_since = null, exposed_since = case when $5 then coalesce(exposed_since, $3) end
       where transaction_id = $1`,
      [transactionId, sight, now, nextCheckAt, exposed],
    );
  }

  public static async end(
    tx: Transaction,
    transactionId: number,
    ended: { state: ClosedState; reason: string | null; rate: string | null; sequence: number; now: Date },
  ): Promise<void> {
    await tx.query(
      `update claims set state = $2, reason = $3, rate = coalesce(rate, $4), last_sequence = $5, judged_at = $6,
              next_check_at = null, trouble = null, troubled_since = null, exposed_since = null
       where transaction_id = $1`,
      [transactionId, ended.state, ended.reason, ended.rate, ended.sequence, ended.now],
    );
  }

  public static async told(tx: Transaction, transactionId: number, sequence: number): Promise<void> {
    await tx.query('update claims set last_sequence = $2 where transaction_id = $1', [transactionId, sequence]);
  }
}

function toClaim({ quoteAsset, quoteRate, quoteExpiresAt, currency, amountMinor, ...row }: Row): ClaimToCheck {
  const quote =
    quoteAsset !== null && quoteRate !== null && quoteExpiresAt !== null
      ? { asset: quoteAsset, rate: quoteRate, expiresAt: quoteExpiresAt }
      : null;
  const orderNumber = row.orderNumber === null ? null : Number(row.orderNumber);
  return {
    ...row,
    transactionId: Number(row.transactionId),
    partnerId: Number(row.partnerId),
    amount: decodeMoney(amountMinor, currency),
    orderNumber,
    quote,
  };
}

const INSERT_SQL = `
insert into claims (transaction_id, partner_id, chain, transaction_hash, asset, currency, amount_minor, quote_id, quote_asset, quote_rate, quote_expires_at,
                    quote_passed_over, rate, accepted_at, deadline, state, next_check_at, correlation_id, causation_id, created_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, 'open', $18, $16, $17, $18)
on conflict (transaction_id) do nothing
returning transaction_id`;

// Claiming sets next_check_at to the lease's end, so one index finds due and abandoned claims. Partners are found by
// index steps, so a backlog does not slow it down. Chosen rows are checked again once locked.
const CLAIM_SQL = `
with recursive room as (
  select * from unnest($1::text[], $2::integer[]) as room (chain, free)
), asking (chain, free, partner_id) as (
  select chain, free, (select min(partner_id) from claims where claims.chain = room.chain and next_check_at is not null) from room
  union all
  select chain, free, (select min(claims.partner_id) from claims
                       where claims.chain = asking.chain and claims.partner_id > asking.partner_id and next_check_at is not null)
  from asking where partner_id is not null
), waiting as (
  select asking.chain, asking.free, c.transaction_id, c.next_check_at,
         coalesce(busy.checks, 0) + row_number() over (partition by asking.chain, asking.partner_id order by c.next_check_at, c.transaction_id) as turn
  from asking
  left join unnest($5::text[], $6::bigint[], $7::integer[]) as busy (chain, partner_id, checks)
    on busy.chain = asking.chain and busy.partner_id = asking.partner_id
  cross join lateral (
    select transaction_id, next_check_at from claims
    where chain = asking.chain and partner_id = asking.partner_id and next_check_at <= $3
    order by next_check_at, transaction_id
    limit asking.free
  ) c
), chosen as (
  select transaction_id, free, row_number() over (partition by chain order by turn, next_check_at, transaction_id) as place from waiting
), due as (
  select transaction_id from claims
  where transaction_id in (select transaction_id from chosen where place <= free) and next_check_at <= $3
  order by transaction_id
  for update skip locked
)
update claims set fence = claims.fence + 1, next_check_at = $4
from due where claims.transaction_id = due.transaction_id
returning claims.transaction_id::text as "transactionId", claims.partner_id::text as "partnerId", claims.chain as "chain",
          claims.transaction_hash as "transactionHash", claims.asset as "asset", claims.currency as "currency", claims.amount_minor::text as "amountMinor",
          claims.quote_asset as "quoteAsset", claims.quote_rate as "quoteRate", claims.quote_expires_at as "quoteExpiresAt",
          claims.quote_passed_over as "quoteNotApplied", claims.rate as "rate", claims.accepted_at as "acceptedAt", claims.deadline as "deadline",
          claims.correlation_id as "correlationId", claims.causation_id as "causationId", claims.fence as "fence", claims.seen_at as "seenAt",
          claims.order_number::text as "orderNumber", claims.told_sight as "toldSight"`;
