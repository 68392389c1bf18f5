import type { Database } from '@vuka/persistence';

/** Part of the service's baseline. */
export const DEAD_LETTERS_SQL = new URL('./dead-letters.sql', import.meta.url);

/** An event that a group could not handle; delivered again only on request. */
export interface DeadLetter {
  readonly group: string;
  readonly topic: string;
  readonly key: string;
  readonly eventId: string;
  /** `foreign`: not written by the owner of its topic; its id is of its place, and its stored text may differ. */
  readonly reason: 'malformed' | 'foreign' | 'too_big' | 'refused' | 'tries_exhausted';
  /** Bounded; no values of the event. */
  readonly detail: string;
  /** Failed handler calls, with replays. */
  readonly tries: number;
  /** null if it was too big to read. */
  readonly envelope: string | null;
  /** With what shows who wrote it: a replay checks it again. */
  readonly macs?: string | null;
  readonly at: Date;
}

export interface RequestedReplay {
  readonly eventId: string;
  readonly topic: string;
  readonly key: string;
  readonly envelope: string;
  readonly macs: string | null;
  readonly requestedBy: string;
}

/** In the consumer's database. */
export interface DeadLetters {
  /** Only the first per event is kept. A throw means "not kept": the event bus retries for ever. */
  record(deadLetter: DeadLetter): Promise<void>;
  /** False: not kept, because MOST_FOREIGN of the group are. A throw as of `record`. */
  recordForeign(deadLetter: DeadLetter): Promise<boolean>;
  /** Open: not replayed successfully. */
  anyOpen(group: string): Promise<boolean>;
  /** Returns those with an open dead letter, unordered. */
  openAmong(group: string, eventIds: readonly string[]): Promise<string[]>;
  /** Oldest first, so one key's events keep their order. */
  requested(group: string, limit: number): Promise<RequestedReplay[]>;
  replayed(group: string, eventId: string, at: Date): Promise<void>;
  /** Stays a dead letter until it is requested again. */
  replayFailed(group: string, eventId: string, outcome: Pick<DeadLetter, 'reason' | 'detail'>): Promise<void>;
}

/** Without the event's text, which contains a partner's URL. */
export interface KeptDeadLetter extends Omit<DeadLetter, 'envelope' | 'macs'> {
  readonly replayRequestedAt: Date | null;
  readonly requestedBy: string | null;
  readonly replayedAt: Date | null;
}

export interface DeadLettersWanted {
  readonly key?: string;
  /** Default: only open ones. */
  readonly withReplayed?: boolean;
  readonly after?: Pick<KeptDeadLetter, 'at' | 'eventId'>;
  /** At most 200. */
  readonly limit: number;
}

/** `requested`: the event bus does it within seconds, or after its next start. */
export type ReplayAnswer =
  | { readonly kind: 'requested' }
  | { readonly kind: 'already_requested'; readonly at: Date; readonly by: string }
  | { readonly kind: 'already_replayed'; readonly at: Date }
  | { readonly kind: 'not_replayable'; readonly why: string }
  | { readonly kind: 'not_found' };

const LONGEST_PAGE = 200;
/** Open foreign ones of a group: enough to see what was tried. */
export const MOST_FOREIGN = 100;

/** Why a replay cannot help. */
const NEVER_REPLAYABLE: Partial<Record<DeadLetter['reason'], string>> = {
  too_big: 'The event was too large and its text was not kept, so its producer must publish it again',
};

export class DeadLetterStore implements DeadLetters {
  public constructor(private readonly db: Pick<Database, 'query'>) {}

  public async record(deadLetter: DeadLetter): Promise<void> {
    const { group, eventId, topic, key, reason, detail, tries, envelope, macs = null, at } = deadLetter;
    await this.db.query(
      `insert into dead_letters (consumer_group, event_id, topic, key, reason, detail, tries, envelope, macs, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict do nothing`,
      [group, eventId, topic, key, reason, detail, tries, envelope, macs, at],
    );
  }

  /** Those that handlers run beside may exceed the number by a few. */
  public async recordForeign(deadLetter: DeadLetter): Promise<boolean> {
    const kept = await this.db.query(
      `select 1 from dead_letters where consumer_group = $1 and reason = 'foreign' and replayed_at is null limit $2`,
      [deadLetter.group, MOST_FOREIGN],
    );
    if (kept.length >= MOST_FOREIGN) return false;
    await this.record(deadLetter);
    return true;
  }

  public async anyOpen(group: string): Promise<boolean> {
    const open = await this.db.query(
      'select 1 from dead_letters where consumer_group = $1 and replayed_at is null limit 1',
      [group],
    );
    return open.length > 0;
  }

  public async openAmong(group: string, eventIds: readonly string[]): Promise<string[]> {
    // No prepared statement: a plan for an empty table would scan a full one.
    const open = await this.db.query<{ event_id: string }>(
      'select event_id::text from dead_letters where consumer_group = $1 and event_id = any($2::uuid[]) and replayed_at is null',
      [group, eventIds],
    );
    return open.map((deadLetter) => deadLetter.event_id);
  }

  /** Oldest first. */
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

  public async groupsWith(eventId: string): Promise<string[]> {
    const rows = await this.db.query<{ consumer_group: string }>(
      'select consumer_group from dead_letters where event_id = $1 order by 1',
      [eventId],
    );
    return rows.map((row) => row.consumer_group);
  }

  /** `by`: for the record. */
  public async requestReplay(group: string, eventId: string, by: string, now: Date): Promise<ReplayAnswer> {
    // Twice: the event bus may have tried and failed between the two queries.
    return (
      (await this.askForReplay(group, eventId, by, now)) ??
      (await this.askForReplay(group, eventId, by, now)) ?? {
        kind: 'not_replayable',
        why: 'The request was not stored: its text was not kept, or somebody else asked just now. Look at it again',
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
      `select event_id::text as "eventId", topic, key, envelope, macs, requested_by as "requestedBy"
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
