export interface QueryOptions {
  /** Once per connection; the text of a name never changes. */
  readonly name?: string;
}

/** bigint and numeric are strings, timestamptz Date. */
export interface Queryable {
  query<T = Record<string, unknown>>(sql: string, params?: readonly unknown[], options?: QueryOptions): Promise<T[]>;
}
