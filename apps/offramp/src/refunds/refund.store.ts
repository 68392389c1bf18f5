import { Inject, Injectable } from '@nestjs/common';
import { Database, type Transaction } from '@vuka/persistence';
import { decodeMoney, encodeMinor } from '@vuka/domain';

import type {
  FateKnown,
  LiveRefundState,
  LiveVersion,
  LockedRefund,
  NewRefund,
  NextTurn,
  RefundEnding,
  RefundInHand,
} from './refund-in-hand.js';
import { SUSPENDED } from './refund-troubles.js';

/** For this long payments may not know that a deposit vanished, because events may lag by an outage. */
export const DEBTS_COME_WITHIN_MS = 3 * 24 * 60 * 60_000;

/** SQL on reverted_deposits: the value was used, so the partner may owe for it. */
const OWED = `(state in ('consumed', 'credited') or used_minor > 0)`;

export interface RoomForRefunds {
  readonly chain: string;
  readonly free: number;
}

export interface RefundView {
  readonly refund_id: number;
  readonly partner_id: number;
  readonly chain: string;
  readonly asset: string;
  readonly amount_minor: string;
  readonly decimals: number;
  readonly address: string;
  readonly state: string;
  readonly trouble: string | null;
  readonly transaction_hash: string | null;
  readonly created_at: Date;
}

type Row = Omit<RefundInHand, 'refundId' | 'partnerId' | 'depositId' | 'amount' | 'costAllowedMinor' | 'versions'> & {
  refundId: string; partnerId: string; depositId: string; asset: string; amountMinor: string; costAllowedMinor: string | null; versions: readonly VersionRow[] | null;
}; // prettier-ignore
type VersionRow = Omit<LiveVersion, 'place' | 'createdAt' | 'signedAt'> & {
  place: string | null;
  createdAt: string;
  signedAt: string | null;
};

@Injectable()
export class RefundStore {
  public constructor(@Inject(Database) private readonly db: Pick<Database, 'query'>) {}

  /**
   * Until the transaction ends no deposit of the partner vanishes and no refund is added. Take it before any row lock.
   */
  public static async lockPartner(tx: Transaction, partnerId: number): Promise<void> {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('refunds ' || $1::text, 0))`, [partnerId]);
  }

  /** Lock order: refunds before deposits. Under `lockPartner` these are all open refunds. */
  public static async lockOpen(tx: Transaction, partnerId: number): Promise<void> {
    await tx.query(
      'select 1 from refunds where partner_id = $1 and next_due_at is not null order by refund_id for update',
      [partnerId],
    );
  }

  /** The partner may owe for the deposit: people decide on refunds that are not signed. */
  public static async withhold(
    tx: Transaction,
    { depositId, partnerId }: { readonly depositId: number; readonly partnerId: number },
    now: Date,
  ): Promise<void> {
    await tx.query(
      `update refunds set withheld_since = $3 where partner_id = $2 and next_due_at is not null
       and exists (select 1 from reverted_deposits where id = $1 and ${OWED})`,
      [depositId, partnerId, now],
    );
  }

  /** Withheld if a used deposit vanished lately. false: it exists, or the deposit has another refund. */
  public static async insert(tx: Transaction, refund: NewRefund): Promise<boolean> {
    const rows = await tx.query(
      `insert into refunds (refund_id, partner_id, deposit_id, deposit_was, chain, asset, decimals, amount_minor, address, state, next_due_at, correlation_id, causation_id, created_at, withheld_since)
       select $1, $2, $3, $4, $5, $6, $7, $8, $9, 'queued', $12, $10, $11, $12,
              (select max(reverted_at) from reverted_deposits where partner_id = $2 and ${OWED} and reverted_at > $13)
       on conflict do nothing
       returning refund_id`,
      [
        refund.refundId, refund.partnerId, refund.depositId, refund.depositWas, refund.chain, refund.amount.currency, refund.decimals, encodeMinor(refund.amount), refund.address,
        refund.correlationId, refund.causationId, refund.createdAt, new Date(refund.createdAt.getTime() - DEBTS_COME_WITHIN_MS),
      ], // prettier-ignore
    );
    return rows.length > 0;
  }

  /** false: granted before, or ended. */
  public static async grant(tx: Transaction, refundId: number, now: Date): Promise<boolean> {
    const rows = await tx.query(
      'update refunds set granted_at = $2, next_due_at = $2 where refund_id = $1 and granted_at is null and next_due_at is not null returning refund_id',
      [refundId, now],
    );
    return rows.length > 0;
  }

  /** At most `free` per chain, the longest due first. Skips rows that another process has locked. */
  public async claim(now: Date, leaseUntil: Date, room: readonly RoomForRefunds[]): Promise<RefundInHand[]> {
    const rows = await this.db.query<Row>(
      CLAIM_SQL,
      [room.map(({ chain }) => chain), room.map(({ free }) => free), now, leaseUntil],
      { name: 'offramp_claim_refunds' },
    );
    return rows.map(toRefund);
  }

  public async open(limit: number): Promise<RefundView[]> {
    const rows = await this.db.query<
      Omit<RefundView, 'refund_id' | 'partner_id'> & { refund_id: string; partner_id: string }
    >(
      `select refund_id::text, partner_id::text, chain, asset, amount_minor::text, decimals, address, state, trouble, transaction_hash, created_at
       from refunds where next_due_at is not null order by created_at, refund_id limit $1`,
      [limit],
    );
    return rows.map((row) => ({ ...row, refund_id: Number(row.refund_id), partner_id: Number(row.partner_id) }));
  }

  public async wakeSuspended(partnerId: number, now: Date): Promise<void> {
    await this.db.query(
      `update refunds r set next_due_at = $2 from (
         select refund_id from refunds where partner_id = $1 and next_due_at > $2 and split_part(trouble, ':', 1) = $3 order by refund_id for update) w
       where r.refund_id = w.refund_id`,
      [partnerId, now, SUSPENDED],
    );
  }

  public async named(
    refundId: number,
  ): Promise<
    | (Pick<
        NewRefund,
        'refundId' | 'partnerId' | 'depositId' | 'depositWas' | 'chain' | 'correlationId' | 'causationId'
      > & { readonly fence: null })
    | undefined
  > {
    const [row] = await this.db.query<{
      partnerId: string;
      depositId: string;
      depositWas: string | null;
      chain: string;
      correlationId: string;
      causationId: string;
    }>(
      `select chain, partner_id as "partnerId", deposit_id as "depositId", deposit_was as "depositWas", correlation_id as "correlationId", causation_id as "causationId"
       from refunds where refund_id = $1`,
      [refundId],
    );
    return row && { ...row, refundId, partnerId: Number(row.partnerId), depositId: Number(row.depositId), fence: null };
  }

  /** Changes nothing if another turn has begun. */
  public static async again(
    tx: Transaction,
    { refundId, fence }: Pick<RefundInHand, 'refundId' | 'fence'>,
    { nextDueAt, trouble, isRefused = false, known = null, isUnsure = false, costMinor }: NextTurn,
    now: Date,
  ): Promise<void> {
    await tx.query(
      `update refunds set next_due_at = $3, trouble = $4, troubled_since = case when $4::text is null then null else coalesce(troubled_since, $6) end,
              refused_since = case when $5 then coalesce(refused_since, $6) end, fate_known_at = case when $7::text is null then fate_known_at else $6 end,
              unsure_since = case when $8 then coalesce(unsure_since, $6) when $7 = 'seen' then null else unsure_since end,
              cost_minor = coalesce($9::numeric, cost_minor)
       where refund_id = $1 and fence = $2 and next_due_at is not null`,
      [
        refundId,
        fence,
        nextDueAt,
        trouble?.slice(0, 300) ?? null,
        isRefused,
        now,
        known,
        isUnsure,
        costMinor?.toString() ?? null,
      ],
    );
  }

  /** Lock before any write. `fence` null: any turn. undefined: ended, or another turn has begun. */
  public static async lock(tx: Transaction, refundId: number, fence: number | null): Promise<LockedRefund | undefined> {
    const [row] = await tx.query<LockedRefund>(
      `select state, chain, trouble, screening_hit as "isHit", cleared_at is not null as "isCleared", withheld_since is not null as "isWithheld", unsure_since is not null as "isUnsure", granted_at is not null as "isGranted", ends_as as "endsAs", last_sequence as "sequence", signed_at as "signedAt" from refunds
       where refund_id = $1 and ($2::integer is null or fence = $2) and next_due_at is not null for update`,
      [refundId, fence],
    );
    return row;
  }

  /** The fence counts up, so an earlier turn can record nothing more. */
  public static async move(
    tx: Transaction,
    refundId: number,
    to: {
      state: LiveRefundState;
      sequence: number;
      nextDueAt: Date;
      transactionHash?: string;
      signedAt?: Date;
      broadcastAt?: Date;
      known?: { readonly how: FateKnown; readonly at: Date } | null;
    },
  ): Promise<void> {
    await tx.query(
      `update refunds set state = $2, last_sequence = $3, next_due_at = $4, fence = fence + 1, trouble = null, troubled_since = null, refused_since = null,
              transaction_hash = coalesce($5, transaction_hash), signed_at = coalesce(signed_at, $6), broadcast_at = coalesce(broadcast_at, $7), fate_known_at = coalesce($8, fate_known_at),
              unsure_since = case when $2 = 'queued' or $9 then null else unsure_since end, dead_agreed_at = case when $2 = 'queued' then null else dead_agreed_at end
       where refund_id = $1`,
      [
        refundId,
        to.state,
        to.sequence,
        to.nextDueAt,
        to.transactionHash ?? null,
        to.signedAt ?? null,
        to.broadcastAt ?? null,
        to.known?.at ?? null,
        to.known?.how === 'seen',
      ],
    );
  }

  public static async note(tx: Transaction, refundId: number, note: string): Promise<void> {
    await tx.query(`update refunds set note = concat_ws(' | ', note, $2::text) where refund_id = $1`, [refundId, note]);
  }

  public static async mark(tx: Transaction, refundId: number): Promise<void> {
    await tx.query('update refunds set screening_hit = true where refund_id = $1', [refundId]);
  }

  public static async clear(tx: Transaction, refundId: number, now: Date): Promise<void> {
    await tx.query('update refunds set cleared_at = $2, next_due_at = $2 where refund_id = $1', [refundId, now]);
  }

  public static async releaseClaim(tx: Transaction, refundId: number, now: Date): Promise<void> {
    await tx.query('update refunds set withheld_since = null, next_due_at = $2 where refund_id = $1', [refundId, now]);
  }

  /** Twice the cost, because fees change until it is signed. */
  public static async allowCost(tx: Transaction, refundId: number, now: Date): Promise<void> {
    await tx.query('update refunds set cost_allowed_minor = 2 * cost_minor, next_due_at = $2 where refund_id = $1', [
      refundId,
      now,
    ]);
  }

  /** The next turn may then believe a chain that says the same. */
  public static async agreeDead(tx: Transaction, refundId: number, now: Date): Promise<void> {
    await tx.query('update refunds set dead_agreed_at = $2, next_due_at = $2 where refund_id = $1', [refundId, now]);
  }

  /** It waits for proof that it was never sent. */
  public static async beginEnding(tx: Transaction, refundId: number, endsAs: RefundEnding, now: Date): Promise<void> {
    await tx.query(
      'update refunds set ends_as = $2, ends_since = coalesce(ends_since, $3), next_due_at = $3 where refund_id = $1',
      [refundId, endsAs, now],
    );
  }

  public static async end(
    tx: Transaction,
    refundId: number,
    to: { state: 'confirmed' | 'failed'; reason: string | null; sequence: number; transactionHash?: string; now: Date },
  ): Promise<void> {
    await tx.query(
      `update refunds set state = $2, reason = $3, last_sequence = $4, transaction_hash = coalesce($5, transaction_hash), next_due_at = null, ended_at = $6,
              trouble = null, troubled_since = null, refused_since = null
       where refund_id = $1`,
      [refundId, to.state, to.reason, to.sequence, to.transactionHash ?? null, to.now],
    );
  }
}

function toRefund({ versions, asset, amountMinor, ...row }: Row): RefundInHand {
  return {
    ...row,
    refundId: Number(row.refundId),
    partnerId: Number(row.partnerId),
    depositId: Number(row.depositId),
    amount: decodeMoney(amountMinor, asset),
    costAllowedMinor: row.costAllowedMinor === null ? null : BigInt(row.costAllowedMinor),
    versions: (versions ?? []).map(({ place, createdAt, signedAt, ...version }) => ({
      ...version,
      place: place === null ? null : BigInt(place),
      createdAt: new Date(createdAt),
      signedAt: signedAt === null ? null : new Date(signedAt),
    })),
  };
}

// Claiming sets next_due_at to the end of the lease.
const CLAIM_SQL = `
with room as (
  select * from unnest($1::text[], $2::integer[]) as room (chain, free)
), chosen as (
  select d.refund_id from room cross join lateral (
    select refund_id from refunds where chain = room.chain and next_due_at <= $3 and (granted_at is not null or state in ('signed', 'broadcast')) order by next_due_at, refund_id limit room.free
  ) d
), due as (
  select refund_id from refunds where refund_id in (select refund_id from chosen) and next_due_at <= $3 order by refund_id for update skip locked
)
update refunds r set fence = r.fence + 1, next_due_at = $4
from due where r.refund_id = due.refund_id
returning r.refund_id as "refundId", r.partner_id as "partnerId", r.deposit_id as "depositId", r.deposit_was as "depositWas", r.chain as "chain", r.asset as "asset", r.decimals as "decimals",
          r.amount_minor::text as "amountMinor", r.address as "address", r.state as "state", r.fence as "fence", r.refused_since as "refusedSince",
          r.troubled_since as "troubledSince", r.signed_at as "signedAt", r.cleared_at is not null as "isCleared", r.cost_allowed_minor::text as "costAllowedMinor", r.fate_known_at as "fateKnownAt", r.unsure_since as "unsureSince", r.dead_agreed_at as "deadAgreedAt", r.ends_as as "endsAs", r.created_at as "createdAt", r.correlation_id as "correlationId", r.causation_id as "causationId",
          (select jsonb_agg(jsonb_build_object('version', t.version, 'wallet', t.wallet, 'place', t.place::text, 'unsigned', t.unsigned, 'state', t.state, 'raw', t.raw,
                                               'transactionId', t.transaction_hash, 'isExported', t.exported_at is not null, 'createdAt', t.created_at, 'signedAt', t.signed_at) order by t.version)
           from refund_transfers t where t.refund_id = r.refund_id and t.state in ('prepared', 'signed')) as "versions"`;
