import type { Database } from '@vuka/persistence';

import type { BufferRow } from '../delivery/bucket-buffer.js';
import { OUTBOX_BUCKETS } from './buckets.js';
import { MAX_ENVELOPE_BYTES } from '../envelope.js';

/** A place in a producer's log: rows are ordered by (xid, id). Decimal strings: compared as numbers, by the database or isBefore(). */
export interface Position {
  readonly xid: string;
  readonly id: string;
}

/** Before every row. */
export const BEGINNING: Position = { xid: '0', id: '0' };

export function isBefore(one: Position, other: Position): boolean {
  const [a, b] = [BigInt(one.xid), BigInt(other.xid)];
  return a === b ? BigInt(one.id) < BigInt(other.id) : a < b;
}

/** How far one bucket was read. */
export interface ReadTo {
  readonly bucket: number;
  readonly readTo: Position;
}

/** One row of a producer's outbox on its way to a group. */
export interface LogRow extends BufferRow<Position> {
  readonly bucket: number;
}

/** What lies beyond a group's positions in the log. */
export interface Backlog {
  /** When the oldest of these events was; null where there is none. */
  readonly oldestAt: Date | null;
  /** It may not be read yet: a transaction that began before it was written still runs somewhere in the cluster. */
  readonly isStalled: boolean;
}

/** What the relay to Kafka is called in logs and backlogs. */
export const KAFKA_GROUP = 'kafka';
/** Before the names of its cursors, which stand beside those of an embedded event bus's groups. */
const KAFKA_CURSORS = 'kafka:';

/**
 * The name under which a relay keeps its cursors: of where it publishes to. What one cluster was given under one prefix, no other
 * has; there the relay begins at the beginning, and the consumers' inboxes drop what was handled.
 */
export function relayCursorsName(clusterId: string, prefix: string): string {
  return `${KAFKA_CURSORS}${clusterId}:${prefix}`;
}

/** Under which such names this outbox was published. */
export async function relayCursorsNames(db: Pick<Database, 'query'>): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    'select distinct consumer_group as name from outbox_cursors where starts_with(consumer_group, $1)',
    [KAFKA_CURSORS],
  );
  return rows.map(({ name }) => name);
}

/** Most rows of one bucket in one read. */
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
}

/** A producer's outbox as a log with one cursor per consumer group and bucket. */
export class ProducerLog {
  public constructor(private readonly db: Pick<Database, 'query'>) {}

  /**
   * Where a group stands, by bucket; a new group begins at the beginning. Throws where a cursor is ahead of the
   * cluster: the database came out of a dump, and events would be skipped in silence.
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

  /** The next rows of these buckets, in log order within each, none of a transaction that may still be overtaken. */
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
      tries: 0,
      cancelledMs: 0,
      cancelledAtMs: null,
      deadLetter: null,
      done: !topics.includes(row.topic),
    }));
  }

  /** The oldest row beyond these positions, one per bucket, readable or not: sixteen probes of the key. */
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

  /** Moves cursors forward, never back. */
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
