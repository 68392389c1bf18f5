import type { Envelope } from '@vuka/contracts';
import type { Database, Transaction } from '@vuka/persistence';

/** Part of the service's baseline. */
export const INBOX_SQL = new URL('./inbox.sql', import.meta.url);

/** Parameters: group, event id, occurredAt. Returns a row only if the event is new. */
export const inboxMarkSql =
  'insert into inbox (consumer_group, event_id, occurred_at) values ($1, $2, $3) on conflict do nothing returning event_id';

/**
 * Commits `fn` with the event's mark, so a redelivery runs nothing; a parallel delivery waits. `fn` may use only the
 * database.
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
