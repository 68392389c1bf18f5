import { acts, reads, reasonGiven } from '@vuka/contracts';
import { recordAuditEntry, type Database } from '@vuka/persistence';
import { type Clock, maskText } from '@vuka/runtime';
import { z } from 'zod';

import { DeadLetterStore } from './dead-letters.js';

/** A service must not read a whole table into memory. */
const MOST_LISTED = 500;

const group = z.string().min(1).max(200);

/** Admin methods. The service needs the table of audit entries (libs/persistence). */
export const deadLetterMethods = (db: Pick<Database, 'query' | 'inTransaction'>, clock: Clock) => ({
  /** Open ones, oldest first. */
  deadLetters: reads([z.int().positive().max(MOST_LISTED)], async (limit) => {
    const deadLetters = await new DeadLetterStore(db).list({ limit });
    return deadLetters.map((deadLetter) => ({ ...deadLetter, detail: maskText(deadLetter.detail) }));
  }),
  groupsWithDeadLetter: reads([z.uuid()], (eventId) => new DeadLetterStore(db).groupsWith(eventId)),
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
