import { DEAD_LETTERS_SQL, INBOX_SQL, OUTBOX_SQL } from '@vuka/messaging';
import { ACTS_SQL, baseline, type MigrationClass, RESEAL_SQL } from '@vuka/persistence';

export const CHECKOUT_MIGRATIONS: readonly MigrationClass[] = [
  baseline(
    'checkout',
    [new URL('./schema.sql', import.meta.url), OUTBOX_SQL, INBOX_SQL, DEAD_LETTERS_SQL, ...ACTS_SQL, RESEAL_SQL],
    {},
  ),
];
