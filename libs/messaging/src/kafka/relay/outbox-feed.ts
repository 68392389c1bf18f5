import type { LockSession } from '@vuka/persistence';
import type { Logger } from '@vuka/runtime';

import { ProducerLog, isBefore, type LogRow, type Position, type ReadTo } from '../../outbox/producer-log.js';

/** A producer's outbox as the relay reads it, batch after batch. Who opens it again begins behind what was noted as published. */
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

  /** From where the cursors of this name stand (relayCursorsName). Throws where they cannot be read or cannot be right. */
  public static async open(
    session: Pick<LockSession, 'query'>,
    cursorsName: string,
    topics: readonly string[],
    log: Logger,
  ): Promise<OutboxFeed> {
    const source = new ProducerLog(session);
    return new OutboxFeed(source, cursorsName, await source.cursors(cursorsName), topics, log);
  }

  /** What was published, by bucket. */
  public get published(): readonly ReadTo[] {
    return this.positions.map((readTo, bucket) => ({ bucket, readTo }));
  }

  /**
   * The batch after the last one read, at most 64 rows of each bucket, a key's in order of their sequence. Every row is there: whatever is in a
   * service's outbox is that service's event, also on a topic that only a later release of it knows, which runs beside this one.
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
      'the outbox has topics that this release does not know; they are published all the same',
    );
    for (const topic of unknown) this.topics.add(topic);
    // Once more with them: a row comes without its text where the topic was not asked for.
    return this.read();
  }

  /** Notes these rows, of one read, as published. Throws where the database is away: they are published again. */
  public async markPublished(rows: readonly LogRow[]): Promise<void> {
    const positions = moved(this.positions, rows);
    const changed = positions.flatMap((position, bucket) =>
      position === this.positions[bucket] ? [] : [{ bucket, position }],
    );
    await this.source.store(this.cursorsName, changed);
    this.positions = positions;
  }
}

/** Behind the last of these rows in each bucket, in whatever order they come. */
function moved(positions: readonly Position[], rows: readonly LogRow[]): Position[] {
  const next = [...positions];
  for (const { bucket, position } of rows) if (isBefore(next[bucket]!, position)) next[bucket] = position;
  return next;
}

/** Keys stay where they first came. Two writers of one key may have taken their xids in the other order: the sequence is the truth. */
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
