import { DEAD_LETTERS_SQL, INBOX_SQL, OUTBOX_SQL } from '@vuka/messaging';
import { ACTS_SQL, baseline, type MigrationClass } from '@vuka/persistence';

/** All that gateway keeps, made at once: its own tables, and those of the events it tells and hears. */
export const gatewayMigrations: readonly MigrationClass[] = [
  baseline('gateway', [new URL('./schema.sql', import.meta.url), OUTBOX_SQL, INBOX_SQL, DEAD_LETTERS_SQL, ACTS_SQL]),
];
