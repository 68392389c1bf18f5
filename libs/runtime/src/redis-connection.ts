import type { Redis, RedisOptions } from 'ioredis';

/** Nothing in Redis is needed after a flush. */
export interface RedisConnection {
  /** redis:// or rediss:// (TLS, certificate checked), with login and database. */
  readonly url: string;
  /** So that deployments share a server. */
  readonly prefix: string;
}

const PORT = 6379;
const CONNECT_TIMEOUT_MS = 2_000;
/** Limit for a peer that does not answer. */
const DISCONNECT_TIMEOUT_MS = 200;
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 1_000;

/**
 * Retries after 0.1 s, doubling up to 1 s. Throws on a bad URL without repeating it: it may hold a password.
 */
export function redisOptions(connection: RedisConnection, name: string): RedisOptions {
  return {
    ...addressOf(connection.url),
    connectionName: name,
    // Unknown to Redis 7.0.
    disableClientInfo: true,
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    disconnectTimeout: DISCONNECT_TIMEOUT_MS,
    retryStrategy: (times) => Math.min(FIRST_RETRY_MS * 2 ** Math.min(times - 1, 10), LONGEST_RETRY_MS),
  };
}

function addressOf(text: string): RedisOptions {
  const url = URL.canParse(text) ? new URL(text) : null;
  const database = /^\/?(\d{0,5})$/.exec(url?.pathname ?? '-')?.[1];
  if (url === null || !['redis:', 'rediss:'].includes(url.protocol) || url.hostname === '' || database === undefined) {
    throw new Error('The Redis URL must look like redis://user:password@host:port/database, or rediss:// for TLS');
  }
  const { username, password } = url;
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? PORT : Number(url.port),
    db: Number(database),
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
    ...(url.protocol === 'rediss:' && { tls: {} }),
  };
}

/** Internals of ioredis 5.11. */
interface Inside {
  readonly flushQueue?: (error: Error) => void;
  readonly socketTimeoutTimer?: NodeJS.Timeout;
}

/** disconnect() alone leaves commands unanswered, and a timer that keeps the process alive. */
export function dropClient(client: Redis): void {
  client.disconnect();
  const { socketTimeoutTimer } = client as unknown as Inside;
  clearTimeout(socketTimeoutTimer);
  (client as unknown as Inside).flushQueue?.(new Error('Connection is closed.'));
}
