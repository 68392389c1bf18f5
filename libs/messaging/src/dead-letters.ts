import type { Database } from '@vuka/persistence';

/** An event a group could not handle: kept with the reason, never retried by itself. */
export interface DeadLetter {
  readonly group: string;
  readonly topic: string;
  readonly key: string;
  readonly eventId: string;
  /** A word for alarms and counting. */
  readonly reason: 'malformed' | 'too_big' | 'refused' | 'tries_exhausted';
  /** Bounded; names places and rules, no values of the event. */
  readonly detail: string;
  readonly tries: number;
  /** The text as it was read; null where it was too big to read. */
  readonly envelope: string | null;
  readonly at: Date;
}

/** Where a group's dead letters go: the consumer's own database. Throwing means "not kept": the wire tries again for ever. */
export interface DeadLetterSink {
  record(letter: DeadLetter): Promise<void>;
}

/** Table a consumer needs, unqualified. Small and kept until somebody has looked: not partitioned. */
export function deadLettersMigrationSql(): string {
  return `
create table dead_letters (
  consumer_group text not null,
  event_id       uuid not null,
  topic          text not null,
  key            text not null,
  reason         text not null,
  detail         text not null,
  tries          integer not null,
  envelope       text,
  created_at     timestamptz not null,
  constraint dead_letters_pk primary key (consumer_group, event_id)
);
`;
}

/** The consumer's `dead_letters` table as a sink; recording one event twice keeps the first. */
export function deadLetterTable(db: Pick<Database, 'query'>): DeadLetterSink {
  return {
    async record(letter) {
      await db.query(
        `insert into dead_letters (consumer_group, event_id, topic, key, reason, detail, tries, envelope, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing`,
        [letter.group, letter.eventId, letter.topic, letter.key, letter.reason, letter.detail, letter.tries, letter.envelope, letter.at],
      );
    },
  };
}
