import { createHash } from 'node:crypto';

import type { Queryable } from '../connection/queryable.js';
import type { SealedChain } from './sealed-chain.js';

/** `rows_missing`: a posting without legs; its partition may have been dropped. */
export type BlockFault = 'rows' | 'rows_missing' | 'hash' | 'order';

/** In a chain: transaction id and id of a row, as text. */
export interface SealPlace {
  readonly xid: string;
  readonly id: string;
}

export interface SealedBlock {
  readonly number: number;
  readonly epoch: number;
  readonly hash: string;
  readonly root: string;
  readonly rows: number;
  /** Exclusive. */
  readonly from: SealPlace;
  readonly to: SealPlace;
  readonly sealedAt: Date;
  readonly fault: BlockFault | null;
}

export interface BlocksWanted {
  /** Number of the last block that was read; 0 for the first. */
  readonly after: number;
  readonly most: number;
}

interface BlockRow {
  readonly schema: string;
  readonly chain: string;
  readonly number: string;
  readonly epoch: number;
  readonly from_xid: string;
  readonly from_id: string;
  readonly to_xid: string;
  readonly to_id: string;
  readonly row_count: number;
  readonly root: string;
  readonly previous: string;
  readonly hash: string;
  readonly micros: string;
  readonly sealed_at: Date;
}

/** A call takes seconds at most. */
const MOST_ROWS_READ = 50_000;

const FIRST = { number: '0', to_xid: '0', to_id: '0', hash: '0'.repeat(64) } as const;

const BLOCKS_SQL = `
select current_schema() as schema, chain, number, epoch, from_xid, from_id, to_xid, to_id, row_count, encode(root, 'hex') as root,
       encode(previous, 'hex') as previous, encode(hash, 'hex') as hash, sealed_at,
       (extract(epoch from sealed_at) * 1000000)::bigint::text as micros
  from seal_blocks where chain = $1 and number >= $2 order by number limit $3`;

/**
 * Blocks after one, each computed anew from its rows by this process, not by the database. At least one, if there is
 * one; none at the end.
 */
export async function readSealedBlocks(
  db: Queryable,
  chain: SealedChain,
  { after, most }: BlocksWanted,
): Promise<SealedBlock[]> {
  const found = await db.query<BlockRow>(BLOCKS_SQL, [chain.name, after, most + 1]);
  const isThere = after === 0 || found[0]?.number === String(after);
  let before: Pick<BlockRow, 'number' | 'to_xid' | 'to_id' | 'hash'> | undefined = FIRST;
  if (after > 0) before = isThere ? found.shift() : undefined;
  const blocks: SealedBlock[] = [];
  let read = 0;
  for (const row of found.slice(0, most)) {
    if (read >= MOST_ROWS_READ) break;
    const computed = await computeRoot(db, chain, row);
    blocks.push(toBlock(row, faultOf(row, before, computed)));
    read += computed.count;
    before = row;
  }
  return blocks;
}

interface ComputedRoot {
  readonly root: string;
  readonly count: number;
  readonly isMissing: boolean;
}

async function computeRoot(db: Queryable, chain: SealedChain, block: BlockRow): Promise<ComputedRoot> {
  const rows = await db.query<{ line: string }>(
    `select line from (${chain.rows}) r where xid >= $1 and xid <= $3 and (xid, id) > ($1, $2) and (xid, id) <= ($3, $4)
      order by xid, id`,
    [block.from_xid, block.from_id, block.to_xid, block.to_id],
  );
  return {
    root: rootOf(rows.map(({ line }) => digestOf(line))),
    count: rows.length,
    isMissing: rows.some(({ line }) => line.endsWith(', null]')),
  };
}

export function digestOf(line: string): Buffer {
  return createHash('sha256').update(line, 'utf8').digest();
}

/** Over the digests of a block's rows, in their order. */
export function rootOf(digests: readonly Buffer[]): string {
  const hash = createHash('sha256');
  for (const digest of digests) hash.update(digest);
  return hash.digest('hex');
}

function faultOf(
  row: BlockRow,
  before: Pick<BlockRow, 'number' | 'to_xid' | 'to_id' | 'hash'> | undefined,
  computed: ComputedRoot,
): BlockFault | null {
  const continues =
    before !== undefined &&
    BigInt(row.number) === BigInt(before.number) + 1n &&
    row.previous === before.hash &&
    row.from_xid === before.to_xid &&
    row.from_id === before.to_id;
  if (!continues) return 'order';
  if (row.hash !== hashOf(row)) return 'hash';
  if (row.root === computed.root && row.row_count === computed.count) return null;
  return computed.isMissing ? 'rows_missing' : 'rows';
}

/** As seal_hash (seal.sql). */
function hashOf(row: BlockRow): string {
  const text = [
    'vuka.seal.1',
    row.schema,
    row.chain,
    row.number,
    row.epoch,
    row.from_xid,
    row.from_id,
    row.to_xid,
    row.to_id,
    row.row_count,
    row.root,
    row.previous,
    row.micros,
  ].join('|');
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

function toBlock(row: BlockRow, fault: BlockFault | null): SealedBlock {
  return {
    number: Number(row.number),
    epoch: row.epoch,
    hash: row.hash,
    root: row.root,
    rows: row.row_count,
    from: { xid: row.from_xid, id: row.from_id },
    to: { xid: row.to_xid, id: row.to_id },
    sealedAt: row.sealed_at,
    fault,
  };
}
