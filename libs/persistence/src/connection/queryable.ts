export interface QueryOptions {
  /** Prepares the statement under this name, once per connection; the text behind a name never changes. */
  readonly name?: string;
}

/** Statements on one connection. bigint and numeric come back as strings, timestamptz as Date. */
export interface Queryable {
  query<T = Record<string, unknown>>(sql: string, params?: readonly unknown[], options?: QueryOptions): Promise<T[]>;
}
