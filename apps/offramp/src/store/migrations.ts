import type { MigrationClass } from '@vuka/persistence';

import { ClaimsByPartner1764300000000 } from './claims-by-partner.migration.js';
import { OfframpSchema1764000000000 } from './offramp-schema.migration.js';
import { RatesAndQuotes1764000000100 } from './rates-and-quotes.migration.js';

/** In the order they landed; what has landed is never changed. */
export const OFFRAMP_MIGRATIONS: readonly MigrationClass[] = [OfframpSchema1764000000000, RatesAndQuotes1764000000100, ClaimsByPartner1764300000000];
