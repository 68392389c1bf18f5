import { EVENTS, type Envelope } from '@vuka/contracts';
import { partitionByMonthSql, type Transaction } from '@vuka/persistence';

import { MAX_ENVELOPE_BYTES } from './envelope.js';
import { OUTBOX_BUCKETS, bucketOf } from './buckets.js';
import { outboxReadFunctionSql } from './producer-log.js';

/** What a producer keeps, for its service's baseline. */
export const OUTBOX_SQL = new URL('./outbox.sql', import.meta.url);

/**
 * One row of `outbox`, named as its columns. `xid` and `id` come from the database: pg_current_xact_id() and an
 * identity, and together they are the order of the log.
 */
export interface OutboxRow {
  readonly bucket: number;
  readonly topic: string;
  readonly key: string;
  readonly sequence: number;
  readonly event_id: string;
  /** JSON text of the envelope: what a reader parses, as from a remote log. */
  readonly envelope: string;
  readonly created_at: Date;
}

/**
 * Columns of `outbox` that a writer fills, with their types, in the order of OutboxRow. For set-based SQL that
 * inserts outbox rows beside its own: `insert into outbox (${OUTBOX_COLUMNS}) select ... from unnest(...)`.
 */
export const OUTBOX_COLUMN_TYPES = {
  bucket: 'smallint',
  topic: 'text',
  key: 'text',
  sequence: 'integer',
  event_id: 'uuid',
  envelope: 'text',
  created_at: 'timestamptz',
} as const satisfies Record<keyof OutboxRow, string>;

export const OUTBOX_COLUMNS = Object.keys(OUTBOX_COLUMN_TYPES).join(', ');

/**
 * Tables a producer needs, unqualified: they land in the search_path of its migration.
 *
 * The order of the log is (xid, id), read only below the oldest transaction still running: an id alone is handed
 * out before the commit, so a reader that asks `id > last` loses whatever commits late. Order within a key holds
 * because one writer of the key waits for the other: lock the aggregate BEFORE the transaction's first write, so
 * that the later writer also has the later xid. `for update` gives that to two writers alone: of three, whoever waits
 * for a row that is being changed has its xid before its turn. Who needs the order takes an advisory lock first; readers
 * of the others go by `sequence`.
 *
 * xids are the cluster's own. A dump restored into another cluster must not keep the old cursors: the wire refuses
 * to start when a cursor is ahead of the cluster.
 */
export function outboxMigrationSql(): string {
  return `
create table outbox (
  xid        xid8 not null default pg_current_xact_id(),
  id         bigint generated always as identity,
  bucket     smallint not null,
  topic      text not null,
  key        text not null,
  sequence   integer not null,
  event_id   uuid not null,
  envelope   text not null,
  created_at timestamptz not null,
  -- The one index: it is the key, the order of the log and the cursor's way in, once per partition.
  constraint outbox_pk primary key (bucket, xid, id, created_at),
  constraint outbox_bucket_check check (bucket >= 0 and bucket < ${OUTBOX_BUCKETS})
) partition by range (created_at);
${partitionByMonthSql('outbox')};
create table outbox_cursors (
  consumer_group text not null,
  bucket         smallint not null,
  xid            xid8 not null,
  id             bigint not null,
  constraint outbox_cursors_pk primary key (consumer_group, bucket)
) with (fillfactor = 50);
${outboxReadFunctionSql}`;
}

/** An envelope as a row of `outbox`. Throws where the encoded envelope is longer than MAX_ENVELOPE_BYTES: a bug. */
export function encodeOutboxRow(envelope: Envelope): OutboxRow {
  const text = JSON.stringify(envelope);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_ENVELOPE_BYTES) {
    throw new Error(`Event ${envelope.type} ${envelope.id} is ${bytes} bytes long, more than ${MAX_ENVELOPE_BYTES}`);
  }
  return {
    bucket: bucketOf(envelope.key),
    topic: EVENTS[envelope.type].topic,
    key: envelope.key,
    sequence: envelope.sequence,
    event_id: envelope.id,
    envelope: text,
    created_at: new Date(envelope.occurredAt),
  };
}

const appendSql = `insert into outbox (${OUTBOX_COLUMNS}) select * from unnest(${Object.values(OUTBOX_COLUMN_TYPES)
  .map((type, index) => `$${index + 1}::${type}[]`)
  .join(', ')})`;

/** Writes events in the transaction that made them true, in the order given. Wake the producer's WakeSignal after the commit. */
export async function appendToOutbox(tx: Pick<Transaction, 'query'>, envelopes: readonly Envelope[]): Promise<void> {
  if (envelopes.length === 0) return;
  const rows = envelopes.map(encodeOutboxRow);
  const columns = Object.keys(OUTBOX_COLUMN_TYPES) as (keyof OutboxRow)[];
  await tx.query(
    appendSql,
    columns.map((column) => rows.map((row) => row[column])),
    { name: 'outbox-append' },
  );
}
