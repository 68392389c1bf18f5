import { reads } from '@vuka/contracts';
import { z } from 'zod';

import { listActs } from './acts.js';
import type { Queryable } from './connection/queryable.js';

const page = z.strictObject({
  partnerId: z.int().positive().exactOptional(),
  by: z.string().max(80).exactOptional(),
  before: z.int().positive().exactOptional(),
  limit: z.int().positive().max(500),
});

/** What people had done to a service's own things, for its desk. */
export const actMethods = (db: Queryable) => ({
  /** Newest first. */
  acts: reads([page], (wanted) => listActs(db, wanted)),
});
