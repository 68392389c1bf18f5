import { decodeMoney, encodeMinor, type ArrivedDeposit, type Money } from '@vuka/domain';
import type { Queryable, Transaction } from '@vuka/persistence';

export type DepositState = 'unapplied' | 'consumed';

/** One token of one transfer, or the part of it that a quote prices. */
export interface NewDeposit {
  readonly received: Money;
  readonly decimals: number;
  readonly token: string;
  /** The part above the quote is a deposit of its own. */
  readonly isBeyondQuote?: boolean;
  readonly state: DepositState;
  /** Absent: it belongs to a pay. */
  readonly used?: Money;
}

export interface ArrivedTransfer {
  readonly claimId: number;
  readonly partnerId: number;
  readonly chain: string;
  readonly transactionHash: string;
  readonly address: string;
  readonly screeningHit: boolean;
  readonly rate: string;
  readonly block: { readonly number: number; readonly hash: string; readonly time: Date };
  readonly ruleVersion: number;
  readonly evidence: object;
  /** null: its block may still vanish. */
  readonly finalizedAt: Date | null;
}

export interface UnappliedDeposit extends ArrivedDeposit {
  readonly address: string;
  readonly partnerId: number;
  readonly claimId: number;
  /** null: it belongs to a pay. */
  readonly orderNumber: number | null;
  /** Not used by its order. */
  readonly left: Money;
  /** The claim's. */
  readonly currency: string;
  readonly screeningHit: boolean;
  readonly createdAt: Date;
  readonly correlationId: string;
  readonly causationId: string;
}

export interface UnappliedWanted {
  /** Last id of the page before. */
  readonly after?: number;
  /** Only final deposits in these currencies that need no person. */
  readonly creditableIn?: readonly string[];
  readonly limit: number;
}

export class DepositStore {
  public constructor(private readonly db: Queryable) {}

  public static async isTaken(
    tx: Transaction,
    {
      chain,
      transactionHash,
      address,
      claimId,
    }: Pick<ArrivedTransfer, 'chain' | 'transactionHash' | 'address' | 'claimId'>,
  ): Promise<boolean> {
    const rows = await tx.query(
      'select 1 from deposits where chain = $1 and transaction_hash = $2 and address = $3 and claim_id <> $4 limit 1',
      [chain, transactionHash, address, claimId],
      { name: 'offramp_deposit_taken' },
    );
    return rows.length > 0;
  }

  /** Ids in the given order. null: another claim has just committed this transfer; roll back. */
  public static async insert(
    tx: Transaction,
    transfer: ArrivedTransfer,
    deposits: readonly NewDeposit[],
    now: Date,
  ): Promise<number[] | null> {
    const ids: number[] = [];
    // The same order everywhere prevents deadlocks.
    const placeOf = ({ received, isBeyondQuote = false }: NewDeposit): string =>
      `${received.currency} ${String(isBeyondQuote)}`;
    const sorted = [...deposits].sort((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
    for (const deposit of sorted) {
      const rows = await tx.query<{ id: string }>(INSERT_SQL, [
        transfer.chain, transfer.transactionHash, transfer.address, deposit.received.currency, deposit.token, deposit.decimals, encodeMinor(deposit.received),
        transfer.partnerId, transfer.claimId, deposit.state, transfer.screeningHit, transfer.rate, transfer.block.number, transfer.block.hash,
        transfer.block.time, transfer.ruleVersion, JSON.stringify(transfer.evidence), now, transfer.finalizedAt, transfer.finalizedAt === null ? now : null,
        deposit.used === undefined ? null : encodeMinor(deposit.used), deposit.isBeyondQuote ?? false,
      ], { name: 'offramp_insert_deposit' }); // prettier-ignore
      const [row] = rows;
      if (row === undefined) return null;
      ids[deposits.indexOf(deposit)] = Number(row.id);
    }
    return ids;
  }

  /** Oldest first. */
  public async unapplied({ after = 0, creditableIn, limit }: UnappliedWanted): Promise<UnappliedDeposit[]> {
    const rows = await this.db.query<UnappliedRow>(UNAPPLIED_SQL, [after, creditableIn ?? null, limit]);
    return rows.map(({ leftMinor, partnerId, claimId, orderNumber, ...row }) => ({
      ...toArrived(row),
      partnerId: Number(partnerId),
      claimId: Number(claimId),
      orderNumber: orderNumber === null ? null : Number(orderNumber),
      left: decodeMoney(leftMinor, row.asset),
    }));
  }

  /**
   * The rest becomes unapplied, unless it is being refunded. Also updates a reverted deposit. Without the order's lock
   * it would miss a deposit that is being moved. false: not a deposit of the order.
   */
  public static async use(
    tx: Transaction,
    {
      depositId,
      orderNumber,
      used,
    }: { readonly depositId: number; readonly orderNumber: number; readonly used: Money },
  ): Promise<boolean> {
    const rows = await tx.query(USE_SQL, [depositId, orderNumber, encodeMinor(used)], { name: 'offramp_use_deposit' });
    return rows.length > 0;
  }

  /**
   * Returns the earlier state; undefined: its chain has reverted it. An order's deposit counts as `unapplied`, as only
   * its unused rest is refunded.
   */
  public static async beginRefund(tx: Transaction, id: number): Promise<string | undefined> {
    const [row] = await tx.query<{ was: string }>(
      `with found as (select id, state from deposits where id = $1 and state in ('unapplied', 'consumed', 'credited') for update)
       update deposits d set state = 'refunding', settled_at = null from found where d.id = found.id
       returning case when d.used_minor is null then found.state else 'unapplied' end as "was"`,
      [id],
    );
    return row?.was;
  }

  /** Locks the deposit. `gone`: reverted. `may_vanish`: not final. `screened`: final, but screening marks a sender. */
  public static async lockRefunding(
    tx: Transaction,
    id: number,
  ): Promise<'stays' | 'may_vanish' | 'gone' | 'screened'> {
    const [row] = await tx.query<{ stays: boolean; isHit: boolean }>(
      `select finalized_at is not null as "stays", screening_hit as "isHit" from deposits where id = $1 and state = 'refunding' for update`,
      [id],
    );
    if (row === undefined) return 'gone';
    if (!row.stays) return 'may_vanish';
    return row.isHit ? 'screened' : 'stays';
  }

  /**
   * After a failed refund a pay's deposit goes to the wallet (`consumed`). All else waits again, even if credited here:
   * payments posts no credit after it has decided on a refund.
   */
  public static async endRefund(
    tx: Transaction,
    id: number,
    state: 'refunded' | 'unapplied' | 'consumed',
    now: Date,
  ): Promise<void> {
    await tx.query(
      `update deposits set state = $2, settled_at = case when $2 = 'refunded' then $3::timestamptz end where id = $1 and state = 'refunding'`,
      [id, state, now],
    );
  }

  /** false: not unapplied any more. */
  public static async credit(tx: Transaction, id: number, rate: string, now: Date): Promise<boolean> {
    const rows = await tx.query(
      `update deposits set state = 'credited', rate = $2, settled_at = $3 where id = $1 and state = 'unapplied' returning id`,
      [id, rate, now],
    );
    return rows.length > 0;
  }
}

export interface ArrivedRow {
  id: string;
  chain: string;
  asset: string;
  decimals: number;
  receivedMinor: string;
  transactionHash: string;
  blockNumber: string;
  blockTime: Date;
}

export function toArrived<R extends ArrivedRow>({
  id,
  asset,
  receivedMinor,
  blockNumber,
  ...row
}: R): ArrivedDeposit & Omit<R, 'id' | 'asset' | 'receivedMinor' | 'blockNumber'> {
  return {
    ...row,
    depositId: Number(id),
    received: decodeMoney(receivedMinor, asset),
    blockNumber: Number(blockNumber),
  };
}

type UnappliedRow = ArrivedRow &
  Omit<UnappliedDeposit, keyof ArrivedDeposit | 'partnerId' | 'claimId' | 'orderNumber' | 'left'> & {
    partnerId: string;
    claimId: string;
    orderNumber: string | null;
    leftMinor: string;
  };

const INSERT_SQL = `
insert into deposits (chain, transaction_hash, address, asset, token, decimals, received_minor, partner_id, claim_id, state, screening_hit, rate,
                      block_number, block_hash, block_time, rule_version, evidence, created_at, finalized_at, recheck_at, used_minor, beyond_quote)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17::jsonb, $18, $19, $20, $21, $22)
on conflict on constraint deposits_transfer_key do nothing
returning id`;

const USE_SQL = `
with there as (
  update deposits d set used_minor = $3, state = case when d.state = 'consumed' and $3::numeric < d.received_minor then 'unapplied' else d.state end
  from claims c where d.id = $1 and c.transaction_id = d.claim_id and c.order_number = $2
  returning d.id
), gone as (
  update reverted_deposits r set used_minor = $3
  from claims c where r.id = $1 and c.transaction_id = r.claim_id and c.order_number = $2
  returning r.id
)
select id from there union all select id from gone`;

const UNAPPLIED_SQL = `
select d.id as "id", d.chain as "chain", d.transaction_hash as "transactionHash", d.address as "address", d.asset as "asset", d.decimals as "decimals",
       d.received_minor::text as "receivedMinor", d.partner_id as "partnerId", d.claim_id as "claimId", c.currency as "currency",
       d.screening_hit as "screeningHit", d.block_number as "blockNumber", d.block_time as "blockTime", d.created_at as "createdAt",
       c.order_number as "orderNumber", (d.received_minor - coalesce(d.used_minor, 0))::text as "leftMinor",
       c.correlation_id as "correlationId", c.causation_id as "causationId"
from deposits d join claims c on c.transaction_id = d.claim_id
where d.state = 'unapplied' and d.id > $1
  and ($2::text[] is null or (not d.screening_hit and d.finalized_at is not null and c.currency = any ($2::text[])))
order by d.id
limit $3`;
