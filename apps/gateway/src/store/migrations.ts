import type { MigrationClass } from '@vuka/persistence';

import { CreateGateway1763700000000 } from './migrations/1763700000000-create-gateway.js';
import { PartnersAndKeys1767000000000 } from './migrations/1767000000000-partners-and-keys.js';

/** In the order they landed; what has landed is never changed. */
export const gatewayMigrations: readonly MigrationClass[] = [CreateGateway1763700000000, PartnersAndKeys1767000000000];
