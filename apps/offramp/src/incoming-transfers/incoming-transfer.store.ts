import { Inject, Injectable } from '@nestjs/common';
import { Database, type Transaction } from '@vuka/persistence';

export interface NewIncomingTransfer {
  readonly transactionHash: string;
  readonly address: string;
  readonly ordinal: number;
  readonly token: string;
  /** null: the token is not listed. */
  readonly symbol: string | null;
  readonly amountMinor: bigint;
  readonly sender: string;
  /** Worth less than a cent. */
  readonly isDust: boolean;
  readonly block: { readonly number: number; readonly hash: string; readonly time: Date };
}

export interface UnreadableIncomingTransfer {
  readonly transactionHash: string;
  readonly address: string;
  readonly ordinal: string;
  readonly reason: string;
  readonly told: object;
}

export interface UnclaimedIncomingTransfer {
  readonly id: number;
  readonly chain: string;
  readonly transactionHash: string;
  readonly address: string;
  /** null: nobody's, such as a Stellar payment that names no partner. */
  readonly partnerId: number | null;
  readonly token: string;
  readonly symbol: string | null;
  readonly amountMinor: string;
  readonly sender: string;
  readonly blockTime: Date;
  readonly seenAt: Date;
}

export interface UnclaimedCount {
  readonly chain: string;
  readonly count: number;
  readonly oldestAt: Date;
}

type UnclaimedRow = Omit<UnclaimedIncomingTransfer, 'id' | 'partnerId'> & { id: string; partnerId: string | null };

/** Senders usually claim sooner. People are alerted once. */
export const UNCLAIMED_AFTER_MS = 30 * 60_000;
/** The query runs at every scrape. */
const MOST_COUNTED = 10_000;

/** In its block, not a deposit, and not awaited by a claim. */
const UNCLAIMED = `a.claimed_at is null and a.reverted_at is null
  and not exists (select 1 from deposits d where d.chain = a.chain and d.transaction_hash = a.transaction_hash and d.address = a.address)
  and not exists (select 1 from claims c where c.chain = a.chain and c.transaction_hash = a.transaction_hash and c.next_check_at is not null)`;

/** Listed tokens and their lookalikes. */
@Injectable()
export class IncomingTransferStore {
  public constructor(@Inject(Database) private readonly db: Pick<Database, 'query'>) {}

  /** A transfer that a reorganisation moved gets its new block. Returns new and moved ones. */
  public static async keep(
    tx: Transaction,
    chain: string,
    incomingTransfers: readonly NewIncomingTransfer[],
    now: Date,
  ): Promise<readonly NewIncomingTransfer[]> {
    // Postgres refuses duplicates in one upsert.
    const byPlace = new Map(incomingTransfers.map((one) => [placeOf(one), one]));
    const once = [...byPlace.values()];
    if (once.length === 0) return [];
    const written = await tx.query<Pick<NewIncomingTransfer, 'transactionHash' | 'address' | 'ordinal'>>(KEEP_SQL, [
      chain, once.map((one) => one.transactionHash), once.map((one) => one.address), once.map((one) => one.ordinal), once.map((one) => one.token), once.map((one) => one.symbol),
      once.map((one) => one.amountMinor.toString()), once.map((one) => one.sender), once.map((one) => one.block.number), once.map((one) => one.block.hash),
      once.map((one) => one.block.time), now, once.map((one) => one.isDust),
    ]); // prettier-ignore
    return written.flatMap((one) => byPlace.get(placeOf(one)) ?? []);
  }

  public static async setAside(
    tx: Transaction,
    chain: string,
    { transactionHash, address, ordinal, reason, told }: UnreadableIncomingTransfer,
    now: Date,
  ): Promise<boolean> {
    const rows = await tx.query(
      `insert into quarantined_incoming_transfers (chain, transaction_hash, address, ordinal, reason, told, seen_at) values ($1, $2, $3, $4, $5, $6::jsonb, $7)
       on conflict on constraint quarantined_incoming_transfers_key do nothing returning id`,
      [chain, transactionHash, address, ordinal, reason, JSON.stringify(told), now],
    );
    return rows.length > 0;
  }

  /** Until they are seen again. `ofOrdersOver`: those of orders whose watch ended by `overBy`; false: all others. */
  public static async takeBack(
    tx: Transaction,
    chain: string,
    {
      aboveBlock,
      ofOrdersOver,
      overBy,
      now,
    }: { readonly aboveBlock: number; readonly ofOrdersOver: boolean; readonly overBy: Date; readonly now: Date },
  ): Promise<number> {
    const rows = await tx.query(
      `update incoming_transfers a set reverted_at = $3, claimed_at = null where a.chain = $1 and a.block_number > $2 and a.reverted_at is null
         and $4 = exists (select 1 from order_watches w where w.address = a.address and w.watch_until <= $5)
       returning a.id`,
      [chain, aboveBlock, now, ofOrdersOver, overBy],
    );
    return rows.length;
  }

  /** Its deposit is gone. */
  public static async unclaim(tx: Transaction, chain: string, transactionHash: string, address: string): Promise<void> {
    await tx.query(
      'update incoming_transfers set claimed_at = null where chain = $1 and transaction_hash = $2 and address = $3 and claimed_at is not null',
      [chain, transactionHash, address],
    );
  }

  /** Oldest first. `dust`: with amounts below a cent. */
  public async unclaimed(before: Date, limit: number, { dust = false } = {}): Promise<UnclaimedIncomingTransfer[]> {
    const rows = await this.db.query<UnclaimedRow>(
      `select a.id as "id", a.chain as "chain", a.transaction_hash as "transactionHash", a.address as "address", g.partner_id as "partnerId", a.token as "token",
              a.symbol as "symbol", a.amount_minor::text as "amountMinor", a.sender as "sender", a.block_time as "blockTime", a.seen_at as "seenAt"
       from incoming_transfers a left join deposit_addresses g on g.address = a.address
       where a.seen_at <= $1 and a.is_dust = ${String(dust)} and ${UNCLAIMED} order by a.seen_at, a.id limit $2`,
      [before, limit],
    );
    return rows.map(({ id, partnerId, ...row }) => ({
      ...row,
      id: Number(id),
      partnerId: partnerId === null ? null : Number(partnerId),
    }));
  }

  public unclaimedByChain(before: Date): Promise<UnclaimedCount[]> {
    return this.db.query<UnclaimedCount>(
      `with oldest as (select a.chain, a.seen_at from incoming_transfers a where a.seen_at <= $1 and not a.is_dust and ${UNCLAIMED} order by a.seen_at, a.id limit ${MOST_COUNTED})
       select chain as "chain", count(*)::integer as "count", min(seen_at) as "oldestAt" from oldest group by chain order by chain`,
      [before],
    );
  }

  public async tellUnclaimed(before: Date, now: Date): Promise<UnclaimedCount[]> {
    return this.db.query<UnclaimedCount>(
      `with told as (
         update incoming_transfers set told_at = $2
         where id in (select a.id from incoming_transfers a where a.seen_at <= $1 and not a.is_dust and a.told_at is null and a.symbol is not null and ${UNCLAIMED} order by a.seen_at, a.id limit 10000)
         returning chain, seen_at
       ) select chain as "chain", count(*)::integer as "count", min(seen_at) as "oldestAt" from told group by chain order by chain`,
      [before, now],
    );
  }

  /** Keeps the scan for unclaimed ones small. true: there may be more. */
  public async noteClaimed(now: Date, limit: number): Promise<boolean> {
    const rows = await this.db.query(
      `update incoming_transfers set claimed_at = $1 where id in (
         select a.id from incoming_transfers a where a.claimed_at is null and a.reverted_at is null and not a.is_dust
           and exists (select 1 from deposits d where d.chain = a.chain and d.transaction_hash = a.transaction_hash and d.address = a.address)
         order by a.seen_at, a.id limit $2)
       returning id`,
      [now, limit],
    );
    return rows.length >= limit;
  }

  public setAsideByChain(): Promise<{ chain: string; count: number }[]> {
    return this.db.query(
      'select chain, count(*)::integer as "count" from quarantined_incoming_transfers group by chain order by chain',
    );
  }
}

const placeOf = ({
  transactionHash,
  address,
  ordinal,
}: Pick<NewIncomingTransfer, 'transactionHash' | 'address' | 'ordinal'>): string =>
  `${transactionHash} ${address} ${ordinal}`;

const KEEP_SQL = `
insert into incoming_transfers as a (chain, transaction_hash, address, ordinal, token, symbol, amount_minor, sender, block_number, block_hash, block_time, seen_at, is_dust)
select $1, transaction_hash, address, ordinal, token, symbol, amount_minor, sender, block_number, block_hash, block_time, $12, is_dust
from unnest($2::text[], $3::text[], $4::integer[], $5::text[], $6::text[], $7::numeric[], $8::text[], $9::bigint[], $10::text[], $11::timestamptz[], $13::boolean[])
  as new (transaction_hash, address, ordinal, token, symbol, amount_minor, sender, block_number, block_hash, block_time, is_dust)
order by transaction_hash, address, ordinal
on conflict on constraint incoming_transfers_transfer_key do update
  set token = excluded.token, symbol = excluded.symbol, amount_minor = excluded.amount_minor, sender = excluded.sender, block_number = excluded.block_number,
      block_hash = excluded.block_hash, block_time = excluded.block_time, is_dust = excluded.is_dust, reverted_at = null
  where a.block_hash <> excluded.block_hash or a.reverted_at is not null
returning transaction_hash as "transactionHash", address as "address", ordinal as "ordinal"`;
