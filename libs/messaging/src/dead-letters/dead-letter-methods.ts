import { acts, reads, reasonGiven } from '@vuka/contracts';
import { recordAuditEntry, type Database } from '@vuka/persistence';
import { type Clock, maskText } from '@vuka/runtime';
import { z } from 'zod';

import { DeadLetterStore } from './dead-letters.js';

/** At once: whoever calls, a service never reads a whole table into its memory. */
const MOST_LISTED = 500;

const group = z.string().min(1).max(200);

/** What people see and do of the events that a service's readers could not take in; the service keeps a table of acts (libs/persistence). */
export const deadLetterMethods = (db: Pick<Database, 'query' | 'inTransaction'>, clock: Clock) => ({
  /** Oldest first, those that are still dead. */
  deadLetters: reads([z.int().positive().max(MOST_LISTED)], async (limit) => {
    const deadLetters = await new DeadLetterStore(db).list({ limit });
    return deadLetters.map((deadLetter) => ({ ...deadLetter, detail: maskText(deadLetter.detail) }));
  }),
  /** The groups of this service that have the event among their dead letters. */
  groupsWithDeadLetter: reads([z.uuid()], (eventId) => new DeadLetterStore(db).groupsWith(eventId)),
  /** Has the running event bus hand it over again. */
  requestReplay: acts({ group, eventId: z.uuid(), reason: reasonGiven }, ({ group: name, eventId, by, reason }) =>
    db.inTransaction(async (tx) => {
      const at = clock.now();
      const answer = await new DeadLetterStore(tx).requestReplay(name, eventId, by, at);
      if (answer.kind === 'requested')
        await recordAuditEntry(tx, {
          by,
          act: 'dead_letter.replay_asked',
          partnerId: null,
          subject: `${name} ${eventId}`,
          reason,
          at,
        });
      return answer;
    }),
  ),
});
