import { fileURLToPath } from 'node:url';

import type { ChainFamily } from '@vuka/domain';

/** The built program of a node of the sandbox's own, in a process of its own: what it loads nobody else does. */
export function sandboxNodeFile(family: Exclude<ChainFamily, 'evm'>): string {
  return fileURLToPath(new URL(`../../dist/sandbox/${family}/main.js`, import.meta.url));
}
