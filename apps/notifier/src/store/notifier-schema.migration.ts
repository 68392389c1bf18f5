import { deadLettersMigrationSql, inboxMigrationSql } from '@vuka/messaging';
import { partitionByMonthSql, type MigrationInterface, type QueryRunner } from '@vuka/persistence';

/**
 * The tables of notifier. Deliveries and their attempts are partitioned by the month of the event (`occurred_at`), which
 * is part of the event and never changes: an event told twice meets its first row in the same partition, so that the
 * unique constraint below means the same as it would over one table.
 */
export class NotifierSchema1763700000000 implements MigrationInterface {
  public readonly name = 'NotifierSchema1763700000000';

  public async up(runner: QueryRunner): Promise<void> {
    await runner.query(schemaSql);
    for (const table of PARTITIONED_TABLES) await runner.query(partitionByMonthSql(table));
    await runner.query(inboxMigrationSql());
    await runner.query(deadLettersMigrationSql());
  }

  public async down(): Promise<void> {
    throw new Error('Deliveries are the record of what partners were told: notifier has no way down from its first migration');
  }
}

const PARTITIONED_TABLES = ['deliveries', 'delivery_attempts'] as const;

const schemaSql = `
-- One per partner, for default and per-request URLs alike; sealed by libs/platform Cipher, the key's id in the text.
create table webhook_secrets (
  partner_id    bigint constraint webhook_secrets_pk primary key,
  sealed_secret text not null,
  created_at    timestamptz not null
);

-- One row per event that has somewhere to go. webhook-id is transaction_id and sequence; body is the snapshot, byte for byte.
create table deliveries (
  id              bigint generated always as identity,
  occurred_at     timestamptz not null,
  transaction_id  bigint not null,
  sequence        integer not null,
  partner_id      bigint not null,
  event_type      text not null,
  -- A final state is told whatever came after it; another may be overtaken.
  is_final        boolean not null,
  callback_url    text not null,
  -- Of the URL, with its port: what concurrency is limited by.
  host            text not null,
  traceparent     text not null,
  body            text not null,
  state           text not null,
  attempts        smallint not null default 0,
  -- When it is due; while it is claimed, when the claim lapses. Null at rest.
  next_attempt_at timestamptz,
  -- Counts the claims: an outcome is recorded only under the claim it was made under.
  fence           integer not null default 0,
  created_at      timestamptz not null,
  settled_at      timestamptz,
  constraint deliveries_pk primary key (id, occurred_at),
  constraint deliveries_webhook_id_key unique (transaction_id, sequence, occurred_at),
  constraint deliveries_state_check check (state in ('pending', 'delivered', 'exhausted', 'superseded', 'ended')),
  constraint deliveries_due_check check ((state = 'pending') = (next_attempt_at is not null)),
  constraint deliveries_settled_check check ((state = 'pending') = (settled_at is null)),
  constraint deliveries_sequence_check check (sequence >= 1)
) partition by range (occurred_at);
create index deliveries_due_idx on deliveries (next_attempt_at, id) where state = 'pending';

-- One row per POST whose outcome was recorded. No bodies, no URLs.
create table delivery_attempts (
  delivery_id bigint not null,
  -- The delivery's.
  occurred_at timestamptz not null,
  attempt     smallint not null,
  started_at  timestamptz not null,
  duration_ms integer not null,
  status      smallint,
  error       text,
  constraint delivery_attempts_pk primary key (delivery_id, attempt, occurred_at),
  constraint delivery_attempts_outcome_check check ((status is null) <> (error is null))
) partition by range (occurred_at);
`;
