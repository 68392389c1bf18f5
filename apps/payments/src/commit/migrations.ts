import { DEAD_LETTERS_SQL, INBOX_SQL, OUTBOX_SQL } from '@vuka/messaging';
import {
  ACTS_SQL,
  AUDIT_CHAIN,
  baseline,
  RESEAL_SQL,
  sealedChain,
  type MigrationClass,
  type SealedChain,
  type TableRights,
} from '@vuka/persistence';

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

/** After the seal's own tables. */
const SEALED = ['schema/sealed-accounts', 'schema/sealed-ledger'].map(fileOf);

export const SEALED_CHAINS: readonly SealedChain[] = [...SEALED.map(sealedChain), AUDIT_CHAIN];

/** Only commit_batch writes these; an account is made by the login, and its balance by commit_batch. */
const RIGHTS: TableRights = {
  postings: 'select',
  entries: 'select',
  // An update of created_at is the right to lock the row.
  accounts: 'select, insert (name, kind, partner_id, asset, balance_minor, created_at), update (created_at)',
  transitions: 'select',
  holds: 'select',
  duplicate_payment: 'select',
  // Those of windows that are over are deleted.
  velocity_counters: 'select, delete',
  counted_payouts: 'select, delete',
};

export const paymentsMigrations: readonly MigrationClass[] = [
  baseline(
    'payments',
    [
      ...[...SCHEMA, ...FUNCTIONS.map((name) => `functions/${name}`)].map(fileOf),
      ...[OUTBOX_SQL, INBOX_SQL, DEAD_LETTERS_SQL, ...ACTS_SQL, RESEAL_SQL, ...SEALED],
    ],
    RIGHTS,
  ),
];
