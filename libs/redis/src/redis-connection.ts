/** Where Redis is. Nothing that is kept there is needed after a flush. */
export interface RedisConnection {
  /** redis:// or rediss://, with user, password and database. */
  readonly url: string;
  /** Before every key, so that several deployments share a server. */
  readonly prefix: string;
}
