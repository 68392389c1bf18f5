import { reads } from '@vuka/contracts';
import { z } from 'zod';

import { listAuditEntries } from './audit-entries.js';
import type { Queryable } from './connection/queryable.js';

const page = z.strictObject({
  partnerId: z.int().positive().exactOptional(),
  by: z.string().max(80).exactOptional(),
  before: z.int().positive().exactOptional(),
  limit: z.int().positive().max(500),
});

export const actMethods = (db: Queryable) => ({
  /** Newest first. */
  acts: reads([page], (wanted) => listAuditEntries(db, wanted)),
});
