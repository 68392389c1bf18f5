import type { UnsignedTransfer } from '@vuka/chains';
import { tokenAsset, type Chain } from '@vuka/domain';
import type { Queryable } from '@vuka/persistence';

/** Perhaps on one side only: chain or ledger. */
export interface MovementView {
  readonly id: number;
  readonly chain: string;
  readonly asset: string;
  readonly amount_minor: bigint;
  readonly on_chain: boolean;
}

export interface SignedVersion {
  readonly refundId: number;
  readonly asset: string;
  readonly amountMinor: bigint;
  readonly unsigned: UnsignedTransfer;
  readonly transactionId: string;
}

/** Their events may be under way; the comparison of deposits covers older ones. */
const NEWEST_DEPOSITS = 1_000;
const NEWEST_REFUNDS = 500;
/** A healthy scan moves every few seconds. */
const SCAN_STANDS_STILL_MS = 120_000;
export const MOST_SIGNED = 200;

type Row = { id: string; asset: string; minor: string; on_chain: boolean };

/** Use it in one snapshot. */
export class HoldingFacts {
  public constructor(
    private readonly db: Queryable,
    private readonly chain: Pick<Chain, 'name' | 'family'>,
  ) {}

  public async addresses(limit: number): Promise<string[]> {
    const rows = await this.db.query<{ address: string }>(
      `select address from deposit_addresses where family = $1 and purpose = 'partner'
       union select address from (select distinct address from deposits where chain = $2 union select distinct address from incoming_transfers where chain = $2) x limit $3`,
      [this.chain.family, this.chain.name, limit],
    );
    return rows.map(({ address }) => address);
  }

  /** null: the scan has not begun, or stands still. */
  public async cursor(now: Date): Promise<string | null> {
    const [row] = await this.db.query<{ cursor: string | null }>(
      'select cursor from scan_cursors where chain = $1 and troubled_since is null and moved_at > $2',
      [this.chain.name, new Date(now.getTime() - SCAN_STANDS_STILL_MS)],
    );
    return row?.cursor ?? null;
  }

  /** Minor units by asset, without a deposit. */
  public async unrecorded(height: number): Promise<ReadonlyMap<string, bigint>> {
    const rows = await this.db.query<{ symbol: string; minor: string }>(
      `select a.symbol, sum(a.amount_minor)::text as minor from incoming_transfers a
       where a.chain = $1 and a.claimed_at is null and a.reverted_at is null and a.symbol is not null and a.block_number <= $2
         and not exists (select 1 from deposits d where d.chain = a.chain and d.transaction_hash = a.transaction_hash and d.address = a.address and d.asset = a.symbol || '@' || a.chain)
       group by a.symbol`,
      [this.chain.name, height],
    );
    return new Map(rows.map(({ symbol, minor }) => [tokenAsset(this.chain, { symbol }), BigInt(minor)]));
  }

  /** Blocks above `from`, up to `to`. */
  public async cameBetween(from: number, to: number): Promise<boolean> {
    const [row] = await this.db.query<{ came: boolean }>(
      'select exists (select 1 from incoming_transfers where chain = $1 and block_number > $2 and block_number <= $3) as came',
      [this.chain.name, from, to],
    );
    return row?.came ?? false;
  }

  public async deposits(height: number): Promise<MovementView[]> {
    const rows = await this.db.query<Row>(
      `(select id::text, asset, received_minor::text as minor, block_number <= $2 as on_chain from deposits where chain = $1 order by deposits.id desc limit $3)
       union all (select id::text, asset, received_minor::text, false from reverted_deposits where chain = $1 order by reverted_deposits.id desc limit $3)`,
      [this.chain.name, height, NEWEST_DEPOSITS],
    );
    return rows.map((row) => this.movement(row));
  }

  public async finalRefunds(): Promise<MovementView[]> {
    const rows = await this.db.query<Row>(
      `select refund_id::text as id, asset, amount_minor::text as minor, true as on_chain from refunds where chain = $1 and state = 'confirmed' order by refunds.refund_id desc limit $2`,
      [this.chain.name, NEWEST_REFUNDS],
    );
    return rows.map((row) => this.movement(row));
  }

  /** At most MOST_SIGNED + 1. */
  public async signed(): Promise<SignedVersion[]> {
    const rows = await this.db.query<{
      id: string;
      asset: string;
      minor: string;
      unsigned: UnsignedTransfer;
      hash: string;
    }>(
      `select r.refund_id::text as id, r.asset, r.amount_minor::text as minor, t.unsigned, t.transaction_hash as hash from refund_transfers t join refunds r on r.refund_id = t.refund_id
       where t.chain = $1 and t.state = 'signed' and r.state <> 'confirmed' order by r.refund_id, t.version limit $2`,
      [this.chain.name, MOST_SIGNED + 1],
    );
    return rows.map(({ id, asset, minor, unsigned, hash }) => ({
      refundId: Number(id),
      asset,
      amountMinor: BigInt(minor),
      unsigned,
      transactionId: hash,
    }));
  }

  private movement({ id, asset, minor, on_chain }: Row): MovementView {
    return { id: Number(id), chain: this.chain.name, asset, amount_minor: BigInt(minor), on_chain };
  }
}
