import type { Envelope } from '@vuka/contracts';
import type { Database, Transaction } from '@vuka/persistence';

/** What a consumer keeps of the events it has handled, for its service's baseline. */
export const INBOX_SQL = new URL('./inbox.sql', import.meta.url);

/** Parameters: group, event id, occurredAt. Returns one row where the event is new. For SQL that dedupes in its own statement. */
export const inboxMarkSql =
  'insert into inbox (consumer_group, event_id, occurred_at) values ($1, $2, $3) on conflict do nothing returning event_id';

/**
 * Runs `fn` in one commit with the mark that this group has handled this event; a redelivery finds the mark and
 * runs nothing. Two deliveries at once: the second waits for the first one's commit. Database only inside `fn`.
 */
export async function onceByInbox(
  db: Pick<Database, 'inTransaction'>,
  group: string,
  envelope: Pick<Envelope, 'id' | 'occurredAt'>,
  fn: (tx: Transaction) => Promise<void>,
): Promise<'handled' | 'seen'> {
  return db.inTransaction(async (tx) => {
    const fresh = await tx.query(inboxMarkSql, [group, envelope.id, envelope.occurredAt], { name: 'inbox-mark' });
    if (fresh.length === 0) return 'seen';
    await fn(tx);
    return 'handled';
  });
}
