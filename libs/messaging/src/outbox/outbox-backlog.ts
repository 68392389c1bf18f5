import type { Database } from '@vuka/persistence';
import type { Clock, Logger } from '@vuka/runtime';

import { EVENT_CATALOGUE, type EventCatalogue } from '../envelope.js';
import {
  BEGINNING,
  KAFKA_GROUP,
  ProducerLog,
  isBefore,
  relayCursorsNames,
  type Backlog,
  type Position,
  type ReadTo,
} from './producer-log.js';

export interface GroupBacklog extends Backlog {
  /** `kafka` if a relay publishes the outbox; consumers report their own lag. */
  readonly group: string;
}

/**
 * How far each group, or Kafka, is behind in `owner`'s outbox. `db` uses the owner's schema. Cursors trail by about
 * 50 ms.
 *
 * A database used embedded and with Kafka has cursors of both; those ahead are in use. After a switch they must first
 * catch up, and until then only the backlog beyond the others is reported.
 */
export async function backlogOf(
  db: Pick<Database, 'query'>,
  owner: string,
  catalogue: EventCatalogue = EVENT_CATALOGUE,
): Promise<GroupBacklog[]> {
  const log = new ProducerLog(db);
  const topics = Object.values(catalogue.topics).filter((topic) => topic.owner === owner);
  const listening = [...new Set(topics.flatMap(({ consumers }) => consumers))].sort();
  const embedded = new Map<string, Position[]>();
  for (const group of listening) embedded.set(group, await log.cursors(group));
  const kafka = await relayCursors(db, log);
  const isRelayed =
    furthest(kafka).xid !== BEGINNING.xid &&
    [...embedded.values()].every((cursors) => !isBefore(furthest(kafka), furthest(cursors)));
  const found: GroupBacklog[] = [];
  for (const [group, cursors] of isRelayed ? [[KAFKA_GROUP, kafka] as const] : embedded) {
    found.push({ group, ...(await log.backlog(cursors.map((position, bucket) => ({ bucket, position })))) });
  }
  return found;
}

/**
 * The relay that is furthest is in use. A new cluster or prefix starts at the beginning: partial until then, as
 * above.
 */
async function relayCursors(db: Pick<Database, 'query'>, log: ProducerLog): Promise<Position[]> {
  let furthestYet: Position[] = [];
  for (const name of await relayCursorsNames(db)) {
    const cursors = await log.cursors(name);
    if (isBefore(furthest(furthestYet), furthest(cursors))) furthestYet = cursors;
  }
  return furthestYet;
}

function furthest(cursors: readonly Position[]): Position {
  return cursors.reduce((far, cursor) => (isBefore(far, cursor) ? cursor : far), BEGINNING);
}

export interface BacklogWatchOptions {
  readonly log: Logger;
  readonly clock: Clock;
  readonly stalledAfterMs: number;
}

/**
 * Relays read only below the cluster's oldest running transaction: one forgotten write transaction of anybody
 * silently stops all events.
 */
export class BacklogWatch {
  private isAlarmed = false;

  public constructor(
    private readonly source: ProducerLog,
    private readonly group: string,
    private readonly options: BacklogWatchOptions,
  ) {}

  /**
   * One alarm per episode. Returns the oldest unread event's age in ms, 0 if none. Throws if the database is away.
   */
  public async look(buffers: readonly ReadTo[]): Promise<number> {
    const { oldestAt, isStalled } = await this.source.backlog(
      buffers.map(({ bucket, readTo }) => ({ bucket, position: readTo })),
    );
    const { log, clock, stalledAfterMs } = this.options;
    const ageMs = oldestAt === null ? 0 : clock.now().getTime() - oldestAt.getTime();
    const isLate = ageMs > stalledAfterMs;
    if (isLate && !this.isAlarmed) {
      const cause = isStalled ? 'a transaction that does not end' : 'this group is too slow, or an event keeps failing';
      log.error(
        { code: 'outbox_stalled', group: this.group, age_ms: ageMs, open_transaction: isStalled, cause },
        'events wait in the outbox, and no consumer reads them',
      );
    }
    if (!isLate && this.isAlarmed) log.info({ group: this.group }, 'the consumers of the outbox have caught up again');
    this.isAlarmed = isLate;
    return Math.max(0, ageMs);
  }
}
