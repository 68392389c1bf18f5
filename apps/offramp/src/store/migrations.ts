import { DEAD_LETTERS_SQL, INBOX_SQL, OUTBOX_SQL } from '@vuka/messaging';
import { ACTS_SQL, baseline, type MigrationClass } from '@vuka/persistence';

export const OFFRAMP_MIGRATIONS: readonly MigrationClass[] = [
  baseline(
    'offramp',
    [
      new URL('./deposits.sql', import.meta.url),
      new URL('./incoming-transfers.sql', import.meta.url),
      new URL('./rates.sql', import.meta.url),
      new URL('./refunds.sql', import.meta.url),
      new URL('./partner-statuses.sql', import.meta.url),
      OUTBOX_SQL,
      INBOX_SQL,
      DEAD_LETTERS_SQL,
      ...ACTS_SQL,
    ],
    {},
  ),
];
