import { createHash } from 'node:crypto';

import { CHECKOUT_MIGRATIONS } from '@vuka/checkout/migrations';
import { gatewayMigrations } from '@vuka/gateway/migrations';
import { NOTIFIER_MIGRATIONS } from '@vuka/notifier/migrations';
import { OFFRAMP_MIGRATIONS } from '@vuka/offramp/migrations';
import { paymentsMigrations } from '@vuka/payments/migrations';
import type { MigrationClass } from '@vuka/persistence';

/** Version of secrets, sandbox books and chains. Count up when other builds cannot read them. */
const FILES_FORM = 2;

const MIGRATIONS: Readonly<Record<string, readonly MigrationClass[]>> = {
  checkout: CHECKOUT_MIGRATIONS,
  gateway: gatewayMigrations,
  notifier: NOTIFIER_MIGRATIONS,
  offramp: OFFRAMP_MIGRATIONS,
  payments: paymentsMigrations,
};

/** A baseline's name holds a digest of its SQL. */
export function formatOf(migrations: Readonly<Record<string, readonly MigrationClass[]>>, filesForm: number): string {
  const names = Object.entries(migrations).map(([service, all]) => [
    service,
    ...all.map((migration) => String(new migration().name ?? migration.name)),
  ]);
  return createHash('sha256')
    .update(JSON.stringify([filesForm, ...names]))
    .digest('hex')
    .slice(0, 16);
}

export const BUILD_FORMAT = formatOf(MIGRATIONS, FILES_FORM);
