import { Client, type ClientConfig } from 'pg';

import { isConnectionError } from './database-errors.js';
import type { Queryable, QueryOptions } from './queryable.js';

/**
 * A connection of its own that holds a session lock: as long as a statement on it succeeds, nobody else has the lock. What
 * only one process may do is done on this very connection, so that whoever lost the lock also lost the means.
 *
 * It needs a session: a pooler between us and the server that hands out connections per transaction breaks it.
 */
export interface LockSession extends Queryable {
  /** Notifications of this channel (`LISTEN`), with or without payload. They are lost while nobody listens. */
  listen(channel: string, onNotify: () => void): Promise<void>;
  /** Resolves when the connection is gone, by close() or by itself. Never rejects. */
  readonly lost: Promise<void>;
  /** Lets the lock go. Waits for the goodbye, 2 s at most; never rejects. */
  close(): Promise<void>;
}

/** The holder says this often that it is there. */
const BEAT_MS = 4_000;
/**
 * The server ends a session that has said nothing for so long, and with it the lock: of a process that is stopped or stuck,
 * whose kernel still answers for it.
 */
const SILENCE_MS = 15_000;
const GOODBYE_MS = 2_000;

/**
 * What the server is told about the session. The last four are for a holder whose machine is gone without a word: by its own
 * defaults the server would keep the lock for it for two hours; so it is some 10 s.
 */
export const LOCK_SESSION_PARAMETERS = {
  idle_session_timeout: SILENCE_MS,
  tcp_keepalives_idle: 4,
  tcp_keepalives_interval: 2,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 10_000,
} as const;

/** null: somebody else has the lock. Throws where the database is not reached, refuses, or does not answer in time. */
export async function openLockSession(config: ClientConfig, lock: string): Promise<LockSession | null> {
  const session = new HeldSession(new Client(config));
  try {
    if (await session.take(lock)) return session;
  } catch (error) {
    await session.close();
    throw error;
  }
  await session.close();
  return null;
}

class HeldSession implements LockSession {
  public readonly lost: Promise<void>;
  private beat: NodeJS.Timeout | undefined;
  /** The driver takes one statement at a time. */
  private last: Promise<unknown> = Promise.resolve();

  public constructor(private readonly client: Client) {
    this.lost = new Promise((resolve) => client.once('end', () => resolve()));
    void this.lost.then(() => clearTimeout(this.beat));
    // Said once more to whoever has a statement under way; without a listener it would end the process.
    client.on('error', () => this.cut());
  }

  public async take(lock: string): Promise<boolean> {
    await this.client.connect();
    const [row] = await this.query<{ held: boolean }>('select pg_try_advisory_lock(hashtextextended($1, 0)) as held', [
      lock,
    ]);
    if (row?.held !== true) return false;
    this.beatOn();
    return true;
  }

  public async query<T>(sql: string, params: readonly unknown[] = [], { name }: QueryOptions = {}): Promise<T[]> {
    const before = this.last;
    const run = async (): Promise<T[]> => {
      await before.catch(() => undefined);
      try {
        return (await this.client.query({ text: sql, values: [...params], ...(name !== undefined && { name }) }))
          .rows as T[];
      } catch (error) {
        // An answer that did not come in time may come yet; this connection is no proof of anything any more.
        if (isConnectionError(error)) this.cut();
        throw error;
      }
    };
    const result = run();
    this.last = result;
    return result;
  }

  public async listen(channel: string, onNotify: () => void): Promise<void> {
    this.client.on('notification', (message) => {
      if (message.channel === channel) onNotify();
    });
    await this.query(`listen ${this.client.escapeIdentifier(channel)}`);
  }

  public async close(): Promise<void> {
    clearTimeout(this.beat);
    const late = setTimeout(() => this.cut(), GOODBYE_MS);
    await this.client.end().catch(() => undefined);
    clearTimeout(late);
  }

  private beatOn(): void {
    this.beat = setTimeout(() => {
      void this.query('select 1', [], { name: 'lock-beat' })
        .then(() => this.beatOn())
        // It is gone, and `lost` says so.
        .catch(() => this.cut());
    }, BEAT_MS);
    this.beat.unref();
  }

  /** Ends the connection without a goodbye, which may never be answered. */
  private cut(): void {
    (this.client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  }
}
