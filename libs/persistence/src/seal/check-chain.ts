import type { BlockFault, BlocksWanted, SealedBlock } from './read-sealed-blocks.js';
import type { SealArchive } from './seal-archive.js';

/** As a file outside the database has it. */
export interface KeptBlock {
  readonly epoch: number;
  readonly hash: string;
}

export interface ChainFault {
  readonly block: number;
  readonly epoch: number;
  readonly sealed_at: string | null;
  readonly what: string;
}

export interface CheckedChain {
  readonly head: SealedBlock | null;
  readonly rows: number;
  /** In the chain, not in the file. */
  readonly fresh: readonly SealedBlock[];
  /** At most 20. */
  readonly faults: readonly ChainFault[];
}

export type ReadBlocks = (wanted: BlocksWanted) => Promise<readonly SealedBlock[]>;

const PAGE = 200;
const MOST_FAULTS = 20;

const WHAT: Readonly<Record<BlockFault, string>> = {
  rows: 'its rows are not those that were sealed',
  rows_missing:
    'legs of its postings are not there: somebody deleted them, or their partition was dropped and its export (--archive) was not given',
  hash: 'its hash is not that of its content',
  order: 'it does not continue the block before it',
};

/**
 * Reads the chain from its first block, and compares it with the blocks that a file outside the database knows. Whoever
 * rewrites a row and every block after it is found out by the first block that differs.
 */
export async function checkChain(
  read: ReadBlocks,
  kept: ReadonlyMap<number, KeptBlock>,
  archive: SealArchive | null = null,
): Promise<CheckedChain> {
  const faults: ChainFault[] = [];
  const fresh: SealedBlock[] = [];
  let head: SealedBlock | null = null;
  let rows = 0;
  let differs = false;
  for (
    let page = await read({ after: 0, most: PAGE });
    page.length > 0;
    page = await read({ after: head?.number ?? 0, most: PAGE })
  ) {
    for (const block of page) {
      // An export stands in for legs that are gone, and excuses none that were changed.
      const fault = block.fault === 'rows_missing' && archive?.has(block) === true ? null : block.fault;
      if (fault !== null) faults.push(toFault(block, WHAT[fault]));
      const known = kept.get(block.number);
      if (known === undefined) fresh.push(block);
      else if (known.hash !== block.hash && !differs) {
        differs = true;
        faults.push(toFault(block, whatDiffers(block, known, head, kept)));
      }
      rows += block.rows;
      head = block;
    }
  }
  const last = lastOf(kept);
  if (last > (head?.number ?? 0))
    faults.push({
      block: last,
      epoch: kept.get(last)?.epoch ?? 0,
      sealed_at: null,
      what: `the file knows it, and the chain ends with block ${head?.number ?? 0}`,
    });
  return { head, rows, fresh, faults: faults.slice(0, MOST_FAULTS) };
}

/** A restore continues from a block that the file knows. So can whoever rewrites all that came after it. */
function whatDiffers(
  block: SealedBlock,
  known: KeptBlock,
  before: SealedBlock | null,
  kept: ReadonlyMap<number, KeptBlock>,
): string {
  const continues = before !== null && kept.get(before.number)?.hash === before.hash;
  if (block.epoch <= known.epoch || !continues) return 'it is not the block that the file knows';
  return `epoch ${block.epoch} begins after block ${before.number}, which the file knows, in place of the blocks that it knows from here on: right only if you restored to a moment before this block`;
}

function toFault({ number, epoch, sealedAt }: SealedBlock, what: string): ChainFault {
  return { block: number, epoch, sealed_at: sealedAt.toISOString(), what };
}

function lastOf(kept: ReadonlyMap<number, KeptBlock>): number {
  let last = 0;
  for (const number of kept.keys()) last = Math.max(last, number);
  return last;
}
