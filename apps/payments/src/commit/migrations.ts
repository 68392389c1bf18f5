import { DEAD_LETTERS_SQL, INBOX_SQL, OUTBOX_SQL } from '@vuka/messaging';
import { ACTS_SQL, baseline, type MigrationClass } from '@vuka/persistence';

const SCHEMA = [
  'schema/ledger',
  'schema/transactions',
  'schema/deposits',
  'schema/callbacks',
  'schema/floats',
  'schema/kept-values',
  'schema/corridors',
  'schema/velocity',
];

/** In the order of `commit_batch`. */
const FUNCTIONS = [
  'claim_keys',
  'claim_pays',
  'find_references',
  'lock_transactions',
  'lock_attempts',
  'lock_settlements',
  'lock_deposits',
  'lock_refunds',
  'mark_inbox',
  'lock_velocity',
  'check_balances',
  'recount_velocity',
  'undo_fallen',
  'write_transactions',
  'patch_transactions',
  'write_transitions',
  'write_attempts',
  'write_holds',
  'write_balances',
  'write_postings',
  'count_velocity',
  'write_outbox',
  'release_claims',
  'write_deposits',
  'write_refunds',
  'write_duplicate_payment',
  'approve_settlements',
  'write_incidents',
  'write_batch',
  'commit_batch',
];

const fileOf = (name: string): URL => new URL(`./${name}.sql`, import.meta.url);

export const paymentsMigrations: readonly MigrationClass[] = [
  baseline('payments', [
    ...[...SCHEMA, ...FUNCTIONS.map((name) => `functions/${name}`)].map(fileOf),
    ...[OUTBOX_SQL, INBOX_SQL, DEAD_LETTERS_SQL, ACTS_SQL],
  ]),
];
