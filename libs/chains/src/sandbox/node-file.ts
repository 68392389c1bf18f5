import { fileURLToPath } from 'node:url';

import type { ChainFamily } from '@vuka/domain';

/** A separate process, so that nobody else loads its libraries. */
export function sandboxNodeFile(family: Exclude<ChainFamily, 'evm'>): string {
  return fileURLToPath(new URL(`../../dist/sandbox/${family}/main.js`, import.meta.url));
}
