import type { MigrationClass } from '@vuka/persistence';

import { ActsAndStandings1767000003000 } from './acts-and-standings.migration.js';
import { BeyondQuoteIndexes1768000001001, BeyondQuoteKey1768000001002, BeyondQuotes1768000001000 } from './beyond-quotes.migration.js';
import { ClaimsByPartner1764300000000 } from './claims-by-partner.migration.js';
import { DepositAddressSequences1765000000000 } from './deposit-address-sequences.migration.js';
import { OfframpSchema1764000000000 } from './offramp-schema.migration.js';
import { Orders1766000000000 } from './orders.migration.js';
import { RatesAndQuotes1764000000100 } from './rates-and-quotes.migration.js';
import { Rechecks1765000000100 } from './rechecks.migration.js';
import { RefundCosts1768000003000 } from './refund-costs.migration.js';
import { RefundEndings1768000007000 } from './refund-endings.migration.js';
import { RefundGrants1768000000200 } from './refund-grants.migration.js';
import { Refunds1765000000200 } from './refunds.migration.js';
import { SwitchesAndArrivals1765000000300 } from './switches-and-arrivals.migration.js';

/** In the order they landed; what has landed is never changed. */
export const OFFRAMP_MIGRATIONS: readonly MigrationClass[] = [
  OfframpSchema1764000000000, RatesAndQuotes1764000000100, ClaimsByPartner1764300000000, DepositAddressSequences1765000000000, Rechecks1765000000100,
  Refunds1765000000200, SwitchesAndArrivals1765000000300, Orders1766000000000,
  ActsAndStandings1767000003000, RefundGrants1768000000200, BeyondQuotes1768000001000, BeyondQuoteIndexes1768000001001, BeyondQuoteKey1768000001002,
  RefundCosts1768000003000, RefundEndings1768000007000,
]; // prettier-ignore
