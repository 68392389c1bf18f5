import type { MigrationClass } from '@vuka/persistence';

import { CommitMoves1763700000001 } from './commit-moves.migration.js';
import { CommitMovesWithPays1764200000001 } from './commit-moves-with-pays.migration.js';
import { CommitMovesWithTroubles1763800000001 } from './commit-moves-with-troubles.migration.js';
import { Lists1763900000000 } from './lists.migration.js';
import { PayoutTroubles1763800000000 } from './payout-troubles.migration.js';
import { Pays1764200000000 } from './pays.migration.js';
import { PaymentsSchema1763700000000 } from './schema.migration.js';

/** In the order they run. */
export const paymentsMigrations: readonly MigrationClass[] = [
  PaymentsSchema1763700000000, CommitMoves1763700000001, PayoutTroubles1763800000000, CommitMovesWithTroubles1763800000001,
  Lists1763900000000, Pays1764200000000, CommitMovesWithPays1764200000001,
];
