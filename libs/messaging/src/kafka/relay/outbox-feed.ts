import type { LockSession } from '@vuka/persistence';
import type { Logger } from '@vuka/runtime';

import { ProducerLog, isBefore, type LogRow, type Position, type ReadTo } from '../../outbox/producer-log.js';

/** A producer's outbox in batches. Opened again, it starts after the last row noted as published. */
export class OutboxFeed {
  private readonly topics: Set<string>;
  private readTo: Position[];

  private constructor(
    private readonly source: ProducerLog,
    private readonly cursorsName: string,
    private positions: Position[],
    topics: readonly string[],
    private readonly log: Logger,
  ) {
    this.topics = new Set(topics);
    this.readTo = positions;
  }

  /** Throws if the cursors cannot be read or are wrong. */
  public static async open(
    session: Pick<LockSession, 'query'>,
    cursorsName: string,
    topics: readonly string[],
    log: Logger,
  ): Promise<OutboxFeed> {
    const source = new ProducerLog(session);
    return new OutboxFeed(source, cursorsName, await source.cursors(cursorsName), topics, log);
  }

  public get published(): readonly ReadTo[] {
    return this.positions.map((readTo, bucket) => ({ bucket, readTo }));
  }

  /**
   * At most 64 rows per bucket, in sequence order per key. Topics of a later release, which may run beside this one,
   * are included.
   */
  public async read(): Promise<LogRow[]> {
    const rows = await this.source.read(
      this.readTo.map((readTo, bucket) => ({ bucket, readTo })),
      [...this.topics],
    );
    const unknown = [...new Set(rows.map(({ topic }) => topic))].filter((topic) => !this.topics.has(topic));
    if (unknown.length === 0) {
      this.readTo = moved(this.readTo, rows);
      return inOrderOfKeys(rows);
    }
    this.log.info(
      { topics: unknown },
      'the outbox has topics that this release does not know; it publishes them anyway',
    );
    for (const topic of unknown) this.topics.add(topic);
    // Read again: rows of an unknown topic come without text.
    return this.read();
  }

  /** Rows of one read. Throws if the database is away; then they are published again. */
  public async markPublished(rows: readonly LogRow[]): Promise<void> {
    const positions = moved(this.positions, rows);
    const changed = positions.flatMap((position, bucket) =>
      position === this.positions[bucket] ? [] : [{ bucket, position }],
    );
    await this.source.store(this.cursorsName, changed);
    this.positions = positions;
  }
}

function moved(positions: readonly Position[], rows: readonly LogRow[]): Position[] {
  const next = [...positions];
  for (const { bucket, position } of rows) if (isBefore(next[bucket]!, position)) next[bucket] = position;
  return next;
}

/** Two writers of a key may have xids in the other order: the sequence decides. */
function inOrderOfKeys(rows: readonly LogRow[]): LogRow[] {
  const byKey = new Map<string, LogRow[]>();
  for (const row of rows) {
    const key = `${row.topic}\n${row.key}`;
    const own = byKey.get(key);
    if (own === undefined) byKey.set(key, [row]);
    else own.push(row);
  }
  return [...byKey.values()].flatMap((own) => own.sort((one, other) => one.sequence - other.sequence));
}
