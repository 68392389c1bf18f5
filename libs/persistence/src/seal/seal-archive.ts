import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

import { digestOf, rootOf, type SealedBlock, type SealPlace } from './read-sealed-blocks.js';

interface ArchivedRow {
  readonly xid: bigint;
  readonly id: bigint;
  readonly digest: Buffer;
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** An export of sealed rows: `copy (select xid, id, line from sealed_ledger …) to …`, in PostgreSQL's text format. */
export class SealArchive {
  private constructor(private readonly rows: readonly ArchivedRow[]) {}

  /** Throws with file and line where a line is none of an export. */
  static async read(files: readonly string[]): Promise<SealArchive> {
    const rows: ArchivedRow[] = [];
    for (const file of files) {
      let number = 0;
      for await (const text of createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Infinity })) {
        number += 1;
        const [, xid, id, line] = /^(\d+)\t(\d+)\t([^\t]+)$/.exec(text) ?? [];
        if (xid === undefined || id === undefined || line === undefined)
          throw new Error(`line ${number} of ${file} is not a line of an export`);
        rows.push({ xid: BigInt(xid), id: BigInt(id), digest: digestOf(unescaped(line)) });
      }
    }
    return new SealArchive(rows.sort((a, b) => compare(a, b)));
  }

  /** Whether it has the rows of this block, all of them and as they were sealed. */
  has({ from, to, root, rows: count }: SealedBlock): boolean {
    const first = this.firstAfter(from);
    const rows = this.rows.slice(first, this.firstAfter(to));
    return rows.length === count && rootOf(rows.map(({ digest }) => digest)) === root;
  }

  private firstAfter(place: SealPlace): number {
    const wanted = { xid: BigInt(place.xid), id: BigInt(place.id) };
    let [low, high] = [0, this.rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(this.rows[middle] as ArchivedRow, wanted) > 0) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

type Placed = Pick<ArchivedRow, 'xid' | 'id'>;

function compare(a: Placed, b: Placed): number {
  if (a.xid !== b.xid) return a.xid < b.xid ? -1 : 1;
  if (a.id === b.id) return 0;
  return a.id < b.id ? -1 : 1;
}

const unescaped = (text: string): string => text.replace(/\\(.)/g, (_all, letter: string) => ESCAPES[letter] ?? letter);
