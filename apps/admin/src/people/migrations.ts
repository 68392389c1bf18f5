import { ACTS_SQL, baseline, type MigrationClass } from '@vuka/persistence';

export const ADMIN_MIGRATIONS: readonly MigrationClass[] = [
  baseline('admin', [new URL('./schema.sql', import.meta.url), ...ACTS_SQL], {}),
];
