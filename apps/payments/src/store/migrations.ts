import type { MigrationClass } from '@vuka/persistence';

import { CallsUnderWay1768000002000 } from './calls-under-way.migration.js';
import { CommitMoves1763700000001 } from './commit-moves.migration.js';
import { CommitMovesWithPays1764200000001 } from './commit-moves-with-pays.migration.js';
import { CommitMovesWithRefunds1765000001101 } from './commit-moves-with-refunds.migration.js';
import { CommitMovesWithTroubles1763800000001 } from './commit-moves-with-troubles.migration.js';
import { HandsOfPeople1767000002000 } from './hands-of-people.migration.js';
import { Lists1763900000000 } from './lists.migration.js';
import { OrderDeposits1766000001000 } from './order-deposits.migration.js';
import { PayoutTroubles1763800000000 } from './payout-troubles.migration.js';
import { Pays1764200000000 } from './pays.migration.js';
import { RefundGrantIndexes1768000000100 } from './refund-grant-indexes.migration.js';
import { RefundGrants1768000000000 } from './refund-grants.migration.js';
import { RefundUrls1768000005000 } from './refund-urls.migration.js';
import { Refunds1765000001100 } from './refunds.migration.js';
import { PaymentsSchema1763700000000 } from './schema.migration.js';
import { VanishedBeforeStart1768000004000 } from './vanished-before-start.migration.js';
import { VanishedDeposits1765000001000 } from './vanished-deposits.migration.js';
import { WaitingPays1765000001200 } from './waiting-pays.migration.js';

/** In the order they run. */
export const paymentsMigrations: readonly MigrationClass[] = [
  PaymentsSchema1763700000000, CommitMoves1763700000001, PayoutTroubles1763800000000, CommitMovesWithTroubles1763800000001,
  Lists1763900000000, Pays1764200000000, CommitMovesWithPays1764200000001, VanishedDeposits1765000001000,
  Refunds1765000001100, CommitMovesWithRefunds1765000001101, WaitingPays1765000001200, OrderDeposits1766000001000,
  HandsOfPeople1767000002000, RefundGrants1768000000000, RefundGrantIndexes1768000000100, CallsUnderWay1768000002000, VanishedBeforeStart1768000004000,
  RefundUrls1768000005000,
];
