import { EVENTS, type Envelope } from '@vuka/contracts';
import type { Transaction } from '@vuka/persistence';

import { MAX_ENVELOPE_BYTES } from '../envelope.js';
import { bucketOf } from './buckets.js';

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
