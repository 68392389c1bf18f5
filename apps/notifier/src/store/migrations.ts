import type { MigrationClass } from '@vuka/persistence';

import { DeadLetterReplay1764000000000 } from './dead-letter-replay.migration.js';
import { DeliveriesGivenUp1764100000000 } from './deliveries-given-up.migration.js';
import { DeliveryLanes1767000001000 } from './delivery-lanes.migration.js';
import { LogAndSecrets1767000001500 } from './log-and-secrets.migration.js';
import { NotifierSchema1763700000000 } from './notifier-schema.migration.js';
import { RefundDeliveries1768000005100 } from './refund-deliveries.migration.js';

/** In the order they landed; what has landed is never changed. */
export const NOTIFIER_MIGRATIONS: readonly MigrationClass[] = [
  NotifierSchema1763700000000,
  DeadLetterReplay1764000000000,
  DeliveriesGivenUp1764100000000,
  DeliveryLanes1767000001000,
  LogAndSecrets1767000001500,
  RefundDeliveries1768000005100,
];
