import type { Queryable } from '../connection/queryable.js';

export interface SealHead {
  readonly chain: string;
  readonly epoch: number;
  readonly number: number;
  /** SHA-256 as hex. */
  readonly hash: string;
}

/** Sealing 10,000 postings takes PostgreSQL about 0.2 s of a processor. */
const MOST_ROWS = 10_000;
/** Of one chain in one run; the next run goes on. */
const MOST_BLOCKS = 60;

/** Seals what is committed, in every chain of the schema. Returns each chain's head. */
export async function sealRecords(db: Queryable): Promise<SealHead[]> {
  for (const { chain } of await db.query<{ chain: string }>('select chain from seal_chains order by chain')) {
    for (let blocks = 0; blocks < MOST_BLOCKS; blocks += 1) {
      const [block] = await db.query<{ row_count: number }>('select * from seal_next($1, $2)', [chain, MOST_ROWS]);
      if (block === undefined || block.row_count < MOST_ROWS) break;
    }
  }
  return sealHeads(db);
}

export function sealHeads(db: Queryable): Promise<SealHead[]> {
  return db.query<SealHead>(
    `select c.chain, b.epoch, b.number::float8 as number, encode(b.hash, 'hex') as hash
       from seal_chains c
       cross join lateral (select * from seal_blocks b where b.chain = c.chain order by b.number desc limit 1) b
      order by c.chain`,
  );
}
