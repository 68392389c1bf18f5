export interface QueryOptions {
  /** Prepares once per connection; a name always has the same text. */
  readonly name?: string;
}

/** bigint and numeric are strings, timestamptz is Date. */
export interface Queryable {
  query<T = Record<string, unknown>>(sql: string, params?: readonly unknown[], options?: QueryOptions): Promise<T[]>;
}
