import { Inject, Injectable } from '@nestjs/common';
import type { SignedTransfer, UnsignedTransfer } from '@vuka/chains';
import { Database, type Queryable, type Transaction } from '@vuka/persistence';

import { isSuspendedSql } from './partner-status.store.js';
import { SCREENED, SUSPENDED, UNSURE, WITHHELD } from './refund-troubles.js';

export interface NewVersion {
  readonly refundId: number;
  readonly wallet: string;
  readonly place: bigint | null;
  readonly unsigned: UnsignedTransfer;
}

export interface ToSign {
  readonly refundId: number;
  readonly version: number;
  readonly unsigned: UnsignedTransfer;
}

export type TakenPlace = { readonly place: bigint } | { readonly awaits: number | null };

/** A wallet never has more transfers under way. */
const MOST_PLACES = 1_000;

/** A place is a nonce or sequence number. */
@Injectable()
export class TransferStore {
  public constructor(@Inject(Database) private readonly db: Queryable) {}

  /** Taken by other transfers of the wallet. `feeMinor`: native coin. */
  public async reserved(
    refundId: number,
    chain: string,
    wallet: string,
    token: string,
  ): Promise<{ tokenMinor: bigint; feeMinor: bigint }> {
    const [row] = await this.db.query<{ tokens: string; fees: string }>(
      `select coalesce(sum((unsigned ->> 'amountMinor')::numeric) filter (where unsigned ->> 'token' = $4), 0)::text as "tokens",
              coalesce(sum((unsigned ->> 'mostFeeMinor')::numeric), 0)::text as "fees"
       from refund_transfers where chain = $2 and wallet = $3 and refund_id <> $1 and state in ('prepared', 'signed')`,
      [refundId, chain, wallet, token],
    );
    return { tokenMinor: BigInt(row?.tokens ?? 0), feeMinor: BigInt(row?.fees ?? 0) };
  }

  /** Behind a free place a transfer would wait for ever. */
  public async hasGapBelow({
    chain,
    wallet,
    place,
    next,
  }: {
    chain: string;
    wallet: string;
    place: bigint;
    next: bigint;
  }): Promise<boolean> {
    const [row] = await this.db.query<{ taken: string }>(
      'select count(*) as "taken" from refund_places where chain = $1 and wallet = $2 and place >= $3 and place < $4',
      [chain, wallet, next.toString(), place.toString()],
    );
    return BigInt(row?.taken ?? 0) < place - next;
  }

  /** Oldest first, without those that people decide on. */
  public async toSign(limit: number): Promise<ToSign[]> {
    const rows = await this.db.query<Omit<ToSign, 'refundId'> & { refundId: string }>(
      `select t.refund_id as "refundId", t.version, t.unsigned from refund_transfers t join refunds r on r.refund_id = t.refund_id
       where t.state = 'prepared' and r.unsure_since is null and r.ends_as is null and (r.state in ('signed', 'broadcast') or (r.granted_at is not null and r.withheld_since is null and not ${isSuspendedSql('r.partner_id')})) and (r.trouble is null or split_part(r.trouble, ':', 1) <> all ($2::text[])) order by t.chain, t.place nulls first, t.refund_id limit $1`,
      [limit, [SCREENED, UNSURE, WITHHELD, SUSPENDED]],
    );
    return rows.map((row) => ({ ...row, refundId: Number(row.refundId) }));
  }

  /** Returns those that still wait, in the given order. */
  public async noteExported(transfers: readonly ToSign[], now: Date): Promise<ToSign[]> {
    const noted = await this.db.query<{ refundId: string; version: number }>(
      `update refund_transfers t set exported_at = coalesce(exported_at, $4)
       from unnest($1::bigint[], $2::integer[], $3::text[]) as given (refund_id, version, payload)
       where t.refund_id = given.refund_id and t.version = given.version and t.state = 'prepared' and t.unsigned ->> 'payload' = given.payload
       returning t.refund_id as "refundId", t.version as "version"`,
      [
        transfers.map(({ refundId }) => refundId),
        transfers.map(({ version }) => version),
        transfers.map(({ unsigned }) => unsigned.payload),
        now,
      ],
    );
    const waiting = new Set(noted.map(({ refundId, version }) => `${refundId} ${String(version)}`));
    return transfers.filter(({ refundId, version }) => waiting.has(`${String(refundId)} ${String(version)}`));
  }

  public async prepared(refundId: number, version: number): Promise<UnsignedTransfer | undefined> {
    const [row] = await this.db.query<{ unsigned: UnsignedTransfer }>(
      `select unsigned from refund_transfers where refund_id = $1 and version = $2 and state = 'prepared'`,
      [refundId, version],
    );
    return row?.unsigned;
  }

  public async waiting(refundId: number): Promise<UnsignedTransfer | undefined> {
    const [row] = await this.db.query<{ unsigned: UnsignedTransfer }>(
      `select unsigned from refund_transfers where refund_id = $1 and state = 'prepared'`,
      [refundId],
    );
    return row?.unsigned;
  }

  /**
   * The refund's own place, else the lowest free one from `next`. Locks the wallet.
   * `awaits`: that refund has a place but no transfer, so there might be a gap. null: MOST_PLACES are taken.
   */
  public static async takePlace(
    tx: Transaction,
    refundId: number,
    { chain, wallet, next }: { chain: string; wallet: string; next: bigint },
  ): Promise<TakenPlace> {
    await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`refund_places ${chain} ${wallet}`]);
    await tx.query('delete from refund_places where refund_id = $1 and place < $2', [refundId, next.toString()]);
    const rows = await tx.query<{ place: string; refundId: string; state: string }>(
      `select p.place::text as "place", p.refund_id as "refundId", r.state from refund_places p join refunds r on r.refund_id = p.refund_id
       where p.chain = $1 and p.wallet = $2 and p.place >= $3 order by p.place limit $4`,
      [chain, wallet, next.toString(), MOST_PLACES],
    );
    const own = rows.find((row) => Number(row.refundId) === refundId);
    if (own !== undefined) return { place: BigInt(own.place) };
    const queued = rows.find(({ state }) => state === 'queued');
    if (queued !== undefined || rows.length === MOST_PLACES)
      return { awaits: queued === undefined ? null : Number(queued.refundId) };
    const taken = new Set(rows.map(({ place }) => place));
    let place = next;
    while (taken.has(place.toString())) place += 1n;
    await tx.query('insert into refund_places (chain, wallet, place, refund_id) values ($1, $2, $3, $4)', [
      chain,
      wallet,
      place.toString(),
      refundId,
    ]);
    return { place };
  }

  public static async leavePlaces(tx: Transaction, refundId: number): Promise<void> {
    await tx.query('delete from refund_places where refund_id = $1', [refundId]);
  }

  /**
   * The unsigned refund with the lowest place below: this one would wait for it. `isTroubled`: it waits for more than
   * its signature.
   */
  public async unsignedBelow(
    refundId: number,
    { chain, wallet, place }: { chain: string; wallet: string; place: bigint },
  ): Promise<{ readonly refundId: number; readonly isTroubled: boolean } | null> {
    const [row] = await this.db.query<{ refundId: string; isTroubled: boolean }>(
      `select p.refund_id as "refundId", r.trouble is not null as "isTroubled" from refund_places p join refunds r on r.refund_id = p.refund_id
       where p.chain = $2 and p.wallet = $3 and p.place < $4 and p.refund_id <> $1 and r.state in ('queued', 'prepared') order by p.place limit 1`,
      [refundId, chain, wallet, place.toString()],
    );
    return row === undefined ? null : { refundId: Number(row.refundId), isTroubled: row.isTroubled };
  }

  public async areOfOthers(refundId: number, chain: string, transactionIds: readonly string[]): Promise<boolean> {
    const rows = await this.db.query(
      `select transaction_hash from refund_transfers where chain = $2 and transaction_hash = any ($3::text[]) and refund_id <> $1
       union select transaction_hash from refunds where chain = $2 and transaction_hash = any ($3::text[]) and refund_id <> $1`,
      [refundId, chain, [...transactionIds]],
    );
    return rows.length === new Set(transactionIds).size;
  }

  /** Only one transfer can have a place. `used`: final. `on_its_way`: signed. null: unknown. */
  public async placeOfOther(
    refundId: number,
    { chain, wallet, place }: { chain: string; wallet: string; place: bigint },
  ): Promise<'used' | 'on_its_way' | null> {
    const rows = await this.db.query<{ state: string }>(
      `select state from refund_transfers where chain = $2 and wallet = $3 and place = $4 and place is not null and refund_id <> $1 and state in ('signed', 'final', 'failed')`,
      [refundId, chain, wallet, place.toString()],
    );
    if (rows.some(({ state }) => state !== 'signed')) return 'used';
    return rows.length > 0 ? 'on_its_way' : null;
  }

  /** false: the partner's rent would exceed `most`. Locks the partner's rents. */
  public static async takeRent(
    tx: Transaction,
    rent: { refundId: number; partnerId: number; chain: string; minor: bigint },
    most: bigint | null,
    since: Date,
    now: Date,
  ): Promise<boolean> {
    const { refundId, partnerId, chain, minor } = rent;
    await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `refund_rents ${chain} ${String(partnerId)}`,
    ]);
    const [row] = await tx.query<{ spent: string }>(
      `select coalesce(sum(rent_minor), 0)::text as "spent" from refund_rents where partner_id = $1 and chain = $2 and at > $3 and refund_id <> $4`,
      [partnerId, chain, since, refundId],
    );
    if (most !== null && BigInt(row?.spent ?? 0) + minor > most) return false;
    await tx.query(
      `insert into refund_rents (refund_id, partner_id, chain, rent_minor, at) values ($1, $2, $3, $4, $5)
       on conflict (refund_id) do update set rent_minor = excluded.rent_minor, at = excluded.at`,
      [refundId, partnerId, chain, minor.toString(), now],
    );
    return true;
  }

  public static async add(
    tx: Transaction,
    { refundId, wallet, place, unsigned }: NewVersion,
    now: Date,
  ): Promise<void> {
    await tx.query(
      `insert into refund_transfers (refund_id, version, chain, wallet, place, unsigned, state, created_at)
       select $1, coalesce(max(version), 0) + 1, $2, $3, $4, $5::jsonb, 'prepared', $6 from refund_transfers where refund_id = $1`,
      [refundId, unsigned.chain, wallet, place?.toString() ?? null, JSON.stringify(unsigned), now],
    );
  }

  /** false: it no longer waits for a signature. */
  public static async sign(
    tx: Transaction,
    refundId: number,
    version: number,
    { raw, transactionId }: SignedTransfer,
    now: Date,
  ): Promise<boolean> {
    const rows = await tx.query(
      `update refund_transfers set raw = $3, transaction_hash = $4, signed_at = $5, state = 'signed' where refund_id = $1 and version = $2 and state = 'prepared' returning version`,
      [refundId, version, raw, transactionId, now],
    );
    return rows.length > 0;
  }

  /** Whether there was one. */
  public static async dropUnshown(tx: Transaction, refundId: number): Promise<boolean> {
    const rows = await tx.query(
      `delete from refund_transfers where refund_id = $1 and state = 'prepared' and exported_at is null returning version`,
      [refundId],
    );
    return rows.length > 0;
  }

  public static async voidPrepared(tx: Transaction, refundId: number): Promise<void> {
    await tx.query(`update refund_transfers set state = 'void' where refund_id = $1 and state = 'prepared'`, [
      refundId,
    ]);
  }

  /** Locks the versions. An exported version without a signature may have used the place (null: any). */
  public static async hasShownUnsigned(
    tx: Transaction,
    refundId: number,
    place: bigint | null = null,
  ): Promise<boolean> {
    const rows = await tx.query<{ isShown: boolean }>(
      `select exported_at is not null and raw is null as "isShown" from refund_transfers where refund_id = $1 and ($2::numeric is null or place = $2) order by version for update`,
      [refundId, place?.toString() ?? null],
    );
    return rows.some(({ isShown }) => isShown);
  }

  /** Locks the version. Only the chain, or people, can say that an exported version was not sent. */
  public static async isShownWaiting(tx: Transaction, refundId: number): Promise<boolean> {
    const rows = await tx.query<{ isShown: boolean }>(
      `select exported_at is not null as "isShown" from refund_transfers where refund_id = $1 and state = 'prepared' for update`,
      [refundId],
    );
    return rows.some(({ isShown }) => isShown);
  }

  /** Includes dead versions. `version` null: people reported the hash. */
  public static async ownerOf(
    tx: Transaction,
    chain: string,
    transactionId: string,
  ): Promise<{ readonly refundId: number; readonly version: number | null } | undefined> {
    const [row] = await tx.query<{ refundId: string; version: number | null }>(
      `select refund_id as "refundId", version from refund_transfers where chain = $1 and transaction_hash = $2
       union all select refund_id, null from refunds where chain = $1 and transaction_hash = $2 order by version nulls last limit 1`,
      [chain, transactionId],
    );
    return row && { refundId: Number(row.refundId), version: row.version };
  }

  /** `version` null: all signed ones. A dead version may still become final. */
  public static async settle(
    tx: Transaction,
    refundId: number,
    version: number | null,
    state: 'final' | 'failed' | 'dead',
  ): Promise<void> {
    await tx.query(
      `update refund_transfers set state = $3 where refund_id = $1 and ($2::integer is null or version = $2) and (state = 'signed' or (state = 'dead' and $2 is not null and $3 = 'final'))`,
      [refundId, version, state],
    );
  }
}
