import { Client, type ClientConfig } from 'pg';

import { isConnectionError } from './database-errors.js';
import type { Queryable, QueryOptions } from './queryable.js';

/**
 * While statements on this connection succeed, nobody else has the lock. So exclusive work runs on it: who
 * loses the lock cannot do it.
 * A transaction pooler breaks this.
 */
export interface LockSession extends Queryable {
  /** `LISTEN`. Notifications are lost while nobody listens. */
  listen(channel: string, onNotify: () => void): Promise<void>;
  /** Never rejects. */
  readonly lost: Promise<void>;
  /** Releases the lock; at most 2 s; never rejects. */
  close(): Promise<void>;
}

const BEAT_MS = 4_000;
/**
 * After this silence the server ends the session and its lock. TCP alone is not enough: the kernel of a
 * stopped process still answers.
 */
const SILENCE_MS = 15_000;
const GOODBYE_MS = 2_000;

/** The last four detect a vanished machine in 10 s instead of two hours. */
export const LOCK_SESSION_PARAMETERS = {
  idle_session_timeout: SILENCE_MS,
  tcp_keepalives_idle: 4,
  tcp_keepalives_interval: 2,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 10_000,
} as const;

/** null: somebody else has the lock. Throws if the database does not answer. */
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
    // Without a listener this would end the process.
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
        // A late answer may come, so this connection proves nothing any more.
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
        // `lost` reports it.
        .catch(() => this.cut());
    }, BEAT_MS);
    this.beat.unref();
  }

  /** Without a goodbye, which may never be answered. */
  private cut(): void {
    (this.client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  }
}
