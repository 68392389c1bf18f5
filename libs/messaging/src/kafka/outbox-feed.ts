import type { LockSession } from '@vuka/persistence';
import type { Logger } from '@vuka/platform';

import { ProducerLog, type LogRow, type Position, type ReadTo } from '../producer-log.js';

/** The name under which the relay keeps its cursors, beside those of an embedded wire's groups. */
export const KAFKA_GROUP = 'kafka';

/** A producer's outbox as the relay reads it: by batches, each read again until it was noted as published. */
export class OutboxFeed {
  private readonly topics: Set<string>;

  private constructor(
    private readonly source: ProducerLog,
    private positions: Position[],
    topics: readonly string[],
    private readonly log: Logger,
  ) {
    this.topics = new Set(topics);
  }

  /** From where the cursors stand. Throws where they cannot be read or cannot be right. */
  public static async open(session: Pick<LockSession, 'query'>, topics: readonly string[], log: Logger): Promise<OutboxFeed> {
    const source = new ProducerLog(session);
    return new OutboxFeed(source, await source.cursors(KAFKA_GROUP), topics, log);
  }

  /** What was published, by bucket. */
  public get published(): readonly ReadTo[] {
    return this.positions.map((readTo, bucket) => ({ bucket, readTo }));
  }

  /**
   * The next batch, at most 64 rows of each bucket, a key's in order of their sequence. Every row is there: whatever is in a
   * service's outbox is that service's event, also on a topic that only a later release of it knows, which runs beside this one.
   */
  public async read(): Promise<LogRow[]> {
    const rows = await this.source.read(this.published, [...this.topics]);
    const unknown = [...new Set(rows.map(({ topic }) => topic))].filter((topic) => !this.topics.has(topic));
    if (unknown.length === 0) return inOrderOfKeys(rows);
    this.log.info({ topics: unknown }, 'the outbox has topics that this release does not know; they are published all the same');
    for (const topic of unknown) this.topics.add(topic);
    // Once more with them: a row comes without its text where the topic was not asked for.
    return this.read();
  }

  /** Notes these rows, all of the last read, as published. Throws where the database is away: they are published again. */
  public async markPublished(rows: readonly LogRow[]): Promise<void> {
    const last = new Map<number, Position>();
    for (const { bucket, position } of rows) {
      const sofar = last.get(bucket);
      if (sofar === undefined || isBefore(sofar, position)) last.set(bucket, position);
    }
    await this.source.store(KAFKA_GROUP, [...last].map(([bucket, position]) => ({ bucket, position })));
    this.positions = this.positions.map((position, bucket) => last.get(bucket) ?? position);
  }
}

function isBefore(one: Position, other: Position): boolean {
  const [a, b] = [BigInt(one.xid), BigInt(other.xid)];
  return a === b ? BigInt(one.id) < BigInt(other.id) : a < b;
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
