import type { Database } from '@vuka/persistence';

import type { BufferRow } from '../delivery/bucket-buffer.js';
import { OUTBOX_BUCKETS } from './buckets.js';
import { MAX_ENVELOPE_BYTES } from '../envelope.js';

/** Rows are ordered by (xid, id). Decimal strings, to be compared as numbers. */
export interface Position {
  readonly xid: string;
  readonly id: string;
}

export const BEGINNING: Position = { xid: '0', id: '0' };

export function isBefore(one: Position, other: Position): boolean {
  const [a, b] = [BigInt(one.xid), BigInt(other.xid)];
  return a === b ? BigInt(one.id) < BigInt(other.id) : a < b;
}

export interface ReadTo {
  readonly bucket: number;
  readonly readTo: Position;
}

export interface LogRow extends BufferRow<Position> {
  readonly bucket: number;
}

export interface Backlog {
  readonly oldestAt: Date | null;
  /** Held back by an older transaction that still runs in the cluster. */
  readonly isStalled: boolean;
}

/** Name of the Kafka relay in logs and backlogs. */
export const KAFKA_GROUP = 'kafka';
/** Prefix of the relay's cursor names, which share a table with the groups. */
const KAFKA_CURSORS = 'kafka:';

/**
 * Cursors belong to one cluster and prefix. Elsewhere the relay starts at the beginning, and inboxes drop duplicates.
 */
export function relayCursorsName(clusterId: string, prefix: string): string {
  return `${KAFKA_CURSORS}${clusterId}:${prefix}`;
}

export async function relayCursorsNames(db: Pick<Database, 'query'>): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    'select distinct consumer_group as name from outbox_cursors where starts_with(consumer_group, $1)',
    [KAFKA_CURSORS],
  );
  return rows.map(({ name }) => name);
}

export const READ_BATCH = 64;

interface Row {
  bucket: number;
  xid: string;
  id: string;
  topic: string;
  key: string;
  sequence: number;
  event_id: string;
  bytes: number;
  envelope: string | null;
  macs: string | null;
}

export class ProducerLog {
  public constructor(private readonly db: Pick<Database, 'query'>) {}

  /**
   * By bucket; a new group starts at the beginning. Throws if a cursor is ahead of the cluster: the database was
   * restored from a dump, and events would be skipped silently.
   */
  public async cursors(group: string): Promise<Position[]> {
    const rows = await this.db.query<{ bucket: number; xid: string; id: string; ahead: boolean }>(
      `select bucket, xid::text as xid, id::text as id, xid >= pg_snapshot_xmax(pg_current_snapshot()) as ahead
       from outbox_cursors where consumer_group = $1`,
      [group],
    );
    const ahead = rows.find((row) => row.ahead);
    if (ahead !== undefined) {
      throw new Error(
        `The outbox cursor of ${group} (bucket ${ahead.bucket}) is ahead of this database: it was restored into another ` +
          'cluster. Set the cursors to the last delivered row, with xids as they are now, before events are read',
      );
    }
    return Array.from({ length: OUTBOX_BUCKETS }, (_, bucket) => {
      const row = rows.find((candidate) => Number(candidate.bucket) === bucket);
      return row === undefined ? BEGINNING : { xid: row.xid, id: row.id };
    });
  }

  /** In log order per bucket, without rows that a running transaction may still precede. */
  public async read(buffers: readonly ReadTo[], topics: readonly string[]): Promise<LogRow[]> {
    const rows = await this.db.query<Row>(
      'select * from outbox_read($1::smallint[], $2::xid8[], $3::bigint[], $4::text[], $5, $6)',
      [
        buffers.map((buffer) => buffer.bucket),
        buffers.map((buffer) => buffer.readTo.xid),
        buffers.map((buffer) => buffer.readTo.id),
        topics,
        MAX_ENVELOPE_BYTES,
        READ_BATCH,
      ],
      { name: 'outbox-read' },
    );
    return rows.map((row) => ({
      bucket: Number(row.bucket),
      position: { xid: String(row.xid), id: String(row.id) },
      topic: row.topic,
      key: row.key,
      sequence: row.sequence,
      eventId: row.event_id,
      bytes: row.bytes,
      text: row.envelope,
      macs: row.macs,
      tries: 0,
      cancelledMs: 0,
      cancelledAtMs: null,
      deadLetter: null,
      done: !topics.includes(row.topic),
    }));
  }

  /** Unread rows count even if not readable yet. One index probe per bucket. */
  public async backlog(from: readonly { bucket: number; position: Position }[]): Promise<Backlog> {
    const [oldest] = await this.db.query<Backlog>(
      `select r.created_at as "oldestAt", r.xid >= pg_snapshot_xmin(pg_current_snapshot()) as "isStalled"
       from unnest($1::smallint[], $2::xid8[], $3::bigint[]) as c (bucket, xid, id)
       cross join lateral (
         select o.created_at, o.xid from outbox o
         where o.bucket = c.bucket and (o.xid, o.id) > (c.xid, c.id)
         order by o.xid, o.id
         limit 1
       ) r
       order by r.created_at
       limit 1`,
      [
        from.map(({ bucket }) => bucket),
        from.map(({ position }) => position.xid),
        from.map(({ position }) => position.id),
      ],
      { name: 'outbox-backlog' },
    );
    return oldest ?? { oldestAt: null, isStalled: false };
  }

  /** Never moves a cursor back. */
  public async store(group: string, cursors: readonly { bucket: number; position: Position }[]): Promise<void> {
    await this.db.query(
      `insert into outbox_cursors as c (consumer_group, bucket, xid, id)
       select $1, * from unnest($2::smallint[], $3::xid8[], $4::bigint[])
       on conflict (consumer_group, bucket) do update set xid = excluded.xid, id = excluded.id
       where (c.xid, c.id) < (excluded.xid, excluded.id)`,
      [
        group,
        cursors.map((cursor) => cursor.bucket),
        cursors.map((cursor) => cursor.position.xid),
        cursors.map((cursor) => cursor.position.id),
      ],
      { name: 'outbox-cursors-store' },
    );
  }
}
