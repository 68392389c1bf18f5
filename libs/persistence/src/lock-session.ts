import { Client, type ClientConfig } from 'pg';

import type { Queryable, QueryOptions } from './database.js';

/**
 * A connection of its own that holds a session lock: as long as a statement on it succeeds, nobody else has the lock. What
 * only one process may do is done on this very connection, so that whoever lost the lock also lost the means.
 */
export interface LockSession extends Queryable {
  /** Notifications of this channel (`LISTEN`), with or without payload. */
  listen(channel: string, onNotify: () => void): Promise<void>;
  /** Resolves when the connection is gone, by close() or by itself. */
  readonly lost: Promise<void>;
  close(): Promise<void>;
}

/** null: somebody else has the lock. Throws where the database is not reached. */
export async function openLockSession(config: ClientConfig, lock: string): Promise<LockSession | null> {
  const client = new Client(config);
  const lost = new Promise<void>((resolve) => {
    client.once('end', () => resolve());
  });
  client.on('error', () => void client.end().catch(() => undefined));
  await client.connect();
  const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock(hashtextextended($1, 0)) as held', [lock]);
  if (rows[0]?.held === true) return sessionOf(client, lost);
  await client.end();
  return null;
}

function sessionOf(client: Client, lost: Promise<void>): LockSession {
  return {
    lost,
    query: async <T>(sql: string, params: readonly unknown[] = [], { name }: QueryOptions = {}) =>
      (await client.query({ text: sql, values: [...params], ...(name !== undefined && { name }) })).rows as T[],
    listen: async (channel, onNotify) => {
      client.on('notification', (message) => {
        if (message.channel === channel) onNotify();
      });
      await client.query(`listen "${channel}"`);
    },
    close: () => client.end(),
  };
}
