import type { Redis, RedisOptions } from 'ioredis';

/** Where Redis is. Nothing that is kept there is needed after a flush. */
export interface RedisConnection {
  /** redis:// or rediss:// (TLS, with the certificate checked), with user, password and database. */
  readonly url: string;
  /** Before every key, so that several deployments share a server. */
  readonly prefix: string;
}

const PORT = 6379;
const CONNECT_TIMEOUT_MS = 2_000;
/** A connection that is given up is torn down after this where the other side does not answer. */
const DISCONNECT_TIMEOUT_MS = 200;
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 1_000;

/**
 * The options of an ioredis client: it connects when it is asked to, and after a loss again and again, after 0.1 s, doubling up to
 * 1 s. `name` is what CLIENT LIST shows. Throws where the URL cannot be one, without telling it: it may hold a password.
 */
export function redisOptions(connection: RedisConnection, name: string): RedisOptions {
  return {
    ...addressOf(connection.url),
    connectionName: name,
    // A command that Redis 7.0 does not know.
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

/** What ioredis 5.11 keeps to itself. */
interface Inside {
  readonly flushQueue?: (error: Error) => void;
  readonly socketTimeoutTimer?: NodeJS.Timeout;
}

/**
 * Ends a client at once, in whatever state it is. disconnect() alone leaves the commands of one that is waiting to reconnect without an
 * answer, and the timer of a socket that owes one running, which keeps the process from ending.
 */
export function dropClient(client: Redis): void {
  client.disconnect();
  const { socketTimeoutTimer } = client as unknown as Inside;
  clearTimeout(socketTimeoutTimer);
  (client as unknown as Inside).flushQueue?.(new Error('Connection is closed.'));
}
