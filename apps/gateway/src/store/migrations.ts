import { DEAD_LETTERS_SQL, INBOX_SQL, OUTBOX_SQL } from '@vuka/messaging';
import { ACTS_SQL, baseline, type MigrationClass, RESEAL_SQL } from '@vuka/persistence';

/** Own tables, and those of the event library. */
export const gatewayMigrations: readonly MigrationClass[] = [
  baseline(
    'gateway',
    [new URL('./schema.sql', import.meta.url), OUTBOX_SQL, INBOX_SQL, DEAD_LETTERS_SQL, ...ACTS_SQL, RESEAL_SQL],
    {},
  ),
];
