import { EVENTS, type Envelope } from '@vuka/contracts';
import type { EventMacs, Transaction } from '@vuka/persistence';

import { MAX_ENVELOPE_BYTES } from '../envelope.js';
import { bucketOf } from './buckets.js';

/** Part of the service's baseline. */
export const OUTBOX_SQL = new URL('./outbox.sql', import.meta.url);

/** Order of the log: `xid` (pg_current_xact_id()), then `id` (identity), both set by the database. */
export interface OutboxRow {
  readonly bucket: number;
  readonly topic: string;
  readonly key: string;
  readonly sequence: number;
  readonly event_id: string;
  /** JSON text. */
  readonly envelope: string;
  readonly macs: string | null;
  readonly created_at: Date;
}

/** In OutboxRow's order. For SQL that inserts outbox rows beside its own. */
export const OUTBOX_COLUMN_TYPES = {
  bucket: 'smallint',
  topic: 'text',
  key: 'text',
  sequence: 'integer',
  event_id: 'uuid',
  envelope: 'text',
  macs: 'text',
  created_at: 'timestamptz',
} as const satisfies Record<keyof OutboxRow, string>;

export const OUTBOX_COLUMNS = Object.keys(OUTBOX_COLUMN_TYPES).join(', ');

/** Throws if the envelope exceeds MAX_ENVELOPE_BYTES: a bug. `eventMacs`: of the producer's database. */
export function encodeOutboxRow(envelope: Envelope, eventMacs?: EventMacs): OutboxRow {
  const text = JSON.stringify(envelope);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_ENVELOPE_BYTES) {
    throw new Error(`Event ${envelope.type} ${envelope.id} is ${bytes} bytes long, more than ${MAX_ENVELOPE_BYTES}`);
  }
  const { topic } = EVENTS[envelope.type];
  return {
    bucket: bucketOf(envelope.key),
    topic,
    key: envelope.key,
    sequence: envelope.sequence,
    event_id: envelope.id,
    envelope: text,
    macs: eventMacs?.(topic, text) ?? null,
    created_at: new Date(envelope.occurredAt),
  };
}

const appendSql = `insert into outbox (${OUTBOX_COLUMNS}) select * from unnest(${Object.values(OUTBOX_COLUMN_TYPES)
  .map((type, index) => `$${index + 1}::${type}[]`)
  .join(', ')})`;

/** Call in the transaction of the change. Wake the producer's WakeSignal after the commit. */
export async function appendToOutbox(
  tx: Pick<Transaction, 'query' | 'eventMacs'>,
  envelopes: readonly Envelope[],
): Promise<void> {
  if (envelopes.length === 0) return;
  const rows = envelopes.map((envelope) => encodeOutboxRow(envelope, tx.eventMacs));
  const columns = Object.keys(OUTBOX_COLUMN_TYPES) as (keyof OutboxRow)[];
  await tx.query(
    appendSql,
    columns.map((column) => rows.map((row) => row[column])),
    { name: 'outbox-append' },
  );
}
