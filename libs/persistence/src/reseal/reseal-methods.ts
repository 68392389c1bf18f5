import { acts, reasonGiven } from '@vuka/contracts';
import type { Clock } from '@vuka/runtime';
import { z } from 'zod';

import type { Database } from '../connection/database.js';
import { Reseal, type SealedColumn } from './reseal.js';

/** Call until every column is done; `begin` with the first call of a person's command alone. */
export const resealMethods = (db: Database, clock: Clock, columns: readonly SealedColumn[]) => ({
  reseal: acts({ begin: z.boolean(), reason: reasonGiven }, (act) => new Reseal(db, clock, columns).run(act)),
});
