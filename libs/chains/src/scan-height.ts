import type { ChainFamily } from '@vuka/domain';

import type { ScanCursor } from './deposit-reader.js';

/** Up to which block (Solana: slot, Stellar: ledger) a scan has looked through everything; null where something below is still to be read. */
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
      // A place within a ledger is not all of it.
      return Number((BigInt(cursor) + 1n) >> 32n) - 1;
  }
}
