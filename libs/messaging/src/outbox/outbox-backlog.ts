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

/** How far a consumer group, or Kafka in the place of all, is behind in one producer's outbox. */
export interface GroupBacklog extends Backlog {
  /** `kafka` where a relay publishes the outbox: how far the groups are behind on their topics is told by their own processes. */
  readonly group: string;
}

/**
 * For an operator's admin part: how far each group that listens to `owner` is behind, or Kafka. `db` is on the owner's schema; its Vuka
 * may be running or not. Counted from the stored cursors, which trail what was handled by some 50 ms.
 *
 * A database that was run both ways, one after the other, has cursors of both. Those that are ahead are of the way that ran last:
 * either way begins where it had stopped itself and handles what the other did once more, so it falls behind at first and is
 * ahead again when it has caught up. Until then what is reported is the backlog beyond the other, which is a part of its own.
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
 * Of the relay that is furthest: the one in use. Who publishes to another cluster or under another prefix began at the beginning and
 * was ahead when it had caught up; until then it is, as above, a part of its backlog that is reported.
 */
async function relayCursors(db: Pick<Database, 'query'>, log: ProducerLog): Promise<Position[]> {
  let furthestYet: Position[] = [];
  for (const name of await relayCursorsNames(db)) {
    const cursors = await log.cursors(name);
    if (isBefore(furthest(furthestYet), furthest(cursors))) furthestYet = cursors;
  }
  return furthestYet;
}

/** The last event that was read, of whatever bucket. */
function furthest(cursors: readonly Position[]): Position {
  return cursors.reduce((far, cursor) => (isBefore(far, cursor) ? cursor : far), BEGINNING);
}

export interface BacklogWatchOptions {
  readonly log: Logger;
  readonly clock: Clock;
  /** A row unread for longer is an alarm. */
  readonly stalledAfterMs: number;
}

/**
 * Says when one group's events stop flowing though nothing fails. The relay reads only below the oldest transaction that
 * still runs, and that is the oldest of the whole cluster: one forgotten write transaction, of anybody, holds back every
 * event of every group. Nothing else would tell.
 */
export class BacklogWatch {
  private isAlarmed = false;

  public constructor(
    private readonly source: ProducerLog,
    private readonly group: string,
    private readonly options: BacklogWatchOptions,
  ) {}

  /**
   * One look at what lies beyond these buckets' last reads; an alarm once per episode. Gives the age of the oldest of it in
   * milliseconds, 0 where there is none. Throws where the database is away.
   */
  public async look(buffers: readonly ReadTo[]): Promise<number> {
    const { oldestAt, isStalled } = await this.source.backlog(
      buffers.map(({ bucket, readTo }) => ({ bucket, position: readTo })),
    );
    const { log, clock, stalledAfterMs } = this.options;
    const ageMs = oldestAt === null ? 0 : clock.now().getTime() - oldestAt.getTime();
    const isLate = ageMs > stalledAfterMs;
    if (isLate && !this.isAlarmed) {
      const cause = isStalled
        ? 'a transaction that does not end'
        : 'more events than this group gets through, or one of them failing';
      log.error(
        { code: 'outbox_stalled', group: this.group, age_ms: ageMs, open_transaction: isStalled, cause },
        'events wait unread in the outbox',
      );
    }
    if (!isLate && this.isAlarmed) log.info({ group: this.group }, 'the outbox is read up to now again');
    this.isAlarmed = isLate;
    return Math.max(0, ageMs);
  }
}
