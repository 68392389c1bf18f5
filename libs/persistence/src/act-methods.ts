import { reads } from '@vuka/contracts';
import { z } from 'zod';

import { listAuditEntries } from './audit-entries.js';
import type { Queryable } from './connection/queryable.js';
import { AUDIT_CHAIN, readSealedBlocks, sealHeads, type SealedChain } from './seal/index.js';

const page = z.strictObject({
  partnerId: z.int().positive().exactOptional(),
  by: z.string().max(80).exactOptional(),
  before: z.int().positive().exactOptional(),
  limit: z.int().positive().max(500),
});

const blocks = z.strictObject({
  chain: z.string().max(40),
  after: z.int().nonnegative(),
  most: z.int().positive().max(500),
});

/** Of its chains, each block computed anew from its rows. Unknown chains have none. */
export const sealMethods = (db: Queryable, chains: readonly SealedChain[] = [AUDIT_CHAIN]) => ({
  sealHeads: reads([], () => sealHeads(db)),
  sealedBlocks: reads([blocks], async ({ chain: name, ...wanted }) => {
    const chain = chains.find((one) => one.name === name);
    return chain === undefined ? [] : readSealedBlocks(db, chain, wanted);
  }),
});

export const actMethods = (db: Queryable, chains: readonly SealedChain[] = [AUDIT_CHAIN]) => ({
  /** Newest first. */
  acts: reads([page], (wanted) => listAuditEntries(db, wanted)),
  ...sealMethods(db, chains),
});
