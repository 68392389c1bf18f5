import type { MigrationClass } from '@vuka/persistence';

import { CheckoutActs1767000004000 } from './checkout-acts.migration.js';
import { CheckoutSchema1766000002000 } from './checkout-schema.migration.js';

/** In the order they landed; what has landed is never changed. */
export const CHECKOUT_MIGRATIONS: readonly MigrationClass[] = [CheckoutSchema1766000002000, CheckoutActs1767000004000];
