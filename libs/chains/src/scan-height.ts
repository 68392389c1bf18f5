import type { ChainFamily } from '@vuka/domain';

import type { ScanCursor } from './deposit-reader.js';

/** Last block, slot or ledger scanned completely; null while older ones are open. */
export function scannedHeight(family: ChainFamily, cursor: ScanCursor): number | null {
  switch (family) {
    case 'evm':
      return Number(cursor.split(' ')[0]);
    case 'solana': {
      const [from, , , , open, later] = JSON.parse(cursor) as [
        number,
        number | null,
        string | null,
        boolean,
        readonly unknown[],
        readonly unknown[],
      ];
      return open.length + later.length > 0 ? null : from;
    }
    case 'stellar':
      // A partly scanned ledger does not count.
      return Number((BigInt(cursor) + 1n) >> 32n) - 1;
  }
}
