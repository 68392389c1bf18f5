import type { Database } from '@vuka/persistence';

/** What a consumer keeps of the events it could not handle, for its service's baseline. */
export const DEAD_LETTERS_SQL = new URL('./dead-letters.sql', import.meta.url);

/** An event a group could not handle: kept with the reason, handed over again only where somebody asks for it. */
export interface DeadLetter {
  readonly group: string;
  readonly topic: string;
  readonly key: string;
  readonly eventId: string;
  /** A word for alarms and counting. `foreign`: no writer of events makes such a message, and its text here is not what was on the event bus. */
  readonly reason: 'malformed' | 'foreign' | 'too_big' | 'refused' | 'tries_exhausted';
  /** Bounded; names places and rules, no values of the event. */
  readonly detail: string;
  /** Failed handler calls, those of replays too. */
  readonly tries: number;
  /** The text as it was read; null where it was too big to read. */
  readonly envelope: string | null;
  readonly at: Date;
}

/** A dead letter that somebody wants handed over again. */
export interface RequestedReplay {
  readonly eventId: string;
  readonly topic: string;
  readonly key: string;
  readonly envelope: string;
  readonly requestedBy: string;
}

/** Where a group's dead letters are kept and come back from: the consumer's own database. */
export interface DeadLetters {
  /** Keeps the first of one event. Throwing means "not kept": the event bus tries again for ever. */
  record(deadLetter: DeadLetter): Promise<void>;
  /** Whether the group has a dead letter that was not replayed. */
  anyOpen(group: string): Promise<boolean>;
  /** Those of these events of which the group has a dead letter that was not replayed, in no order. */
  openAmong(group: string, eventIds: readonly string[]): Promise<string[]>;
  /** Those to be handed over again, the oldest dead letter first: one key's come in their order. */
  requested(group: string, limit: number): Promise<RequestedReplay[]>;
  /** It was handled at last. */
  replayed(group: string, eventId: string, at: Date): Promise<void>;
  /** It failed once more: it stays a dead letter, with this reason, until it is asked for again. */
  replayFailed(group: string, eventId: string, outcome: Pick<DeadLetter, 'reason' | 'detail'>): Promise<void>;
}

/** A dead letter as an admin part shows it: without the event's text, which holds a partner's URL. */
export interface KeptDeadLetter extends Omit<DeadLetter, 'envelope'> {
  readonly replayRequestedAt: Date | null;
  readonly requestedBy: string | null;
  readonly replayedAt: Date | null;
}

export interface DeadLettersWanted {
  /** Those of one aggregate only. */
  readonly key?: string;
  /** Those too that were handled at last; without it only what is still dead. */
  readonly withReplayed?: boolean;
  /** The last dead letter of the page before. */
  readonly after?: Pick<KeptDeadLetter, 'at' | 'eventId'>;
  /** At most 200 are given. */
  readonly limit: number;
}

/** What came of asking for a replay. `requested`: the running event bus does it within seconds, or after its next start. */
export type ReplayAnswer =
  | { readonly kind: 'requested' }
  | { readonly kind: 'already_requested'; readonly at: Date; readonly by: string }
  | { readonly kind: 'already_replayed'; readonly at: Date }
  | { readonly kind: 'not_replayable'; readonly why: string }
  | { readonly kind: 'not_found' };

const LONGEST_PAGE = 200;

/** Why handing the same text over again can change nothing. */
const NEVER_REPLAYABLE: Partial<Record<DeadLetter['reason'], string>> = {
  foreign: 'The message is none of our producers’: its key or its value is no text',
  too_big: 'The event was too big to be read and its text was not kept: its producer has to tell it anew',
};

/** The consumer's `dead_letters` table, for its event bus and for an operator's admin part. */
export class DeadLetterStore implements DeadLetters {
  public constructor(private readonly db: Pick<Database, 'query'>) {}

  public async record(deadLetter: DeadLetter): Promise<void> {
    await this.db.query(
      `insert into dead_letters (consumer_group, event_id, topic, key, reason, detail, tries, envelope, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing`,
      [
        deadLetter.group,
        deadLetter.eventId,
        deadLetter.topic,
        deadLetter.key,
        deadLetter.reason,
        deadLetter.detail,
        deadLetter.tries,
        deadLetter.envelope,
        deadLetter.at,
      ],
    );
  }

  public async anyOpen(group: string): Promise<boolean> {
    const open = await this.db.query(
      'select 1 from dead_letters where consumer_group = $1 and replayed_at is null limit 1',
      [group],
    );
    return open.length > 0;
  }

  public async openAmong(group: string, eventIds: readonly string[]): Promise<string[]> {
    // Planned anew each time: a plan of when the table was empty would scan all of it when it is not.
    const open = await this.db.query<{ event_id: string }>(
      'select event_id::text from dead_letters where consumer_group = $1 and event_id = any($2::uuid[]) and replayed_at is null',
      [group, eventIds],
    );
    return open.map((deadLetter) => deadLetter.event_id);
  }

  /** A page, the oldest first. */
  public async list({ key, withReplayed = false, after, limit }: DeadLettersWanted): Promise<KeptDeadLetter[]> {
    return this.db.query<KeptDeadLetter>(
      `${SELECT_KEPT} where ${withReplayed ? 'true' : 'replayed_at is null'}
         and ($1::text is null or key = $1) and ($2::timestamptz is null or (created_at, event_id) > ($2, $3::uuid))
       order by created_at, event_id limit $4`,
      [key ?? null, after?.at ?? null, after?.eventId ?? null, Math.min(limit, LONGEST_PAGE)],
    );
  }

  public async find(group: string, eventId: string): Promise<KeptDeadLetter | undefined> {
    const [deadLetter] = await this.db.query<KeptDeadLetter>(
      `${SELECT_KEPT} where consumer_group = $1 and event_id = $2`,
      [group, eventId],
    );
    return deadLetter;
  }

  /** The groups that have this event among their dead letters. */
  public async groupsWith(eventId: string): Promise<string[]> {
    const rows = await this.db.query<{ consumer_group: string }>(
      'select consumer_group from dead_letters where event_id = $1 order by 1',
      [eventId],
    );
    return rows.map((row) => row.consumer_group);
  }

  /** Asks the running event bus to hand it over again. `by`: whoever wants it, for the record. */
  public async requestReplay(group: string, eventId: string, by: string, now: Date): Promise<ReplayAnswer> {
    // Twice: between its two questions the event bus may have tried, and failed.
    return (
      (await this.askForReplay(group, eventId, by, now)) ??
      (await this.askForReplay(group, eventId, by, now)) ?? {
        kind: 'not_replayable',
        why: 'It was not taken: ask again',
      }
    );
  }

  private async askForReplay(group: string, eventId: string, by: string, now: Date): Promise<ReplayAnswer | undefined> {
    const requested = await this.db.query(
      `update dead_letters set replay_requested_at = $3, requested_by = $4
       where consumer_group = $1 and event_id = $2 and replay_requested_at is null and replayed_at is null
         and envelope is not null and reason <> all ($5::text[])
       returning event_id`,
      [group, eventId, now, by, Object.keys(NEVER_REPLAYABLE)],
    );
    if (requested.length > 0) return { kind: 'requested' };
    const deadLetter = await this.find(group, eventId);
    if (deadLetter === undefined) return { kind: 'not_found' };
    if (deadLetter.replayedAt !== null) return { kind: 'already_replayed', at: deadLetter.replayedAt };
    const why = NEVER_REPLAYABLE[deadLetter.reason];
    if (why !== undefined) return { kind: 'not_replayable', why };
    const { replayRequestedAt: at, requestedBy } = deadLetter;
    return at === null || requestedBy === null ? undefined : { kind: 'already_requested', at, by: requestedBy };
  }

  public async requested(group: string, limit: number): Promise<RequestedReplay[]> {
    return this.db.query<RequestedReplay>(
      `select event_id::text as "eventId", topic, key, envelope, requested_by as "requestedBy"
       from dead_letters
       where consumer_group = $1 and replay_requested_at is not null and replayed_at is null
       order by created_at, event_id limit $2`,
      [group, limit],
      { name: 'dead-letters-requested' },
    );
  }

  public async replayed(group: string, eventId: string, at: Date): Promise<void> {
    await this.db.query(
      'update dead_letters set replayed_at = $3 where consumer_group = $1 and event_id = $2 and replayed_at is null',
      [group, eventId, at],
    );
  }

  public async replayFailed(
    group: string,
    eventId: string,
    { reason, detail }: Pick<DeadLetter, 'reason' | 'detail'>,
  ): Promise<void> {
    await this.db.query(
      `update dead_letters set replay_requested_at = null, requested_by = null, tries = tries + 1, reason = $3, detail = $4
       where consumer_group = $1 and event_id = $2 and replayed_at is null`,
      [group, eventId, reason, detail],
    );
  }
}

const SELECT_KEPT = `
select consumer_group as "group", topic, key, event_id::text as "eventId", reason, detail, tries, created_at as "at",
       replay_requested_at as "replayRequestedAt", requested_by as "requestedBy", replayed_at as "replayedAt"
from dead_letters`;
