import type { Logger } from '@vuka/runtime';
import type { MigrationInterface } from 'typeorm';

export type MigrationClass = new () => MigrationInterface;
/** A class decorated with @Entity. */
export type EntityClass = new () => object;

export interface DatabaseTls {
  readonly ca?: string;
  /** There is no other way: a server that anybody may play is worse than none. */
  readonly rejectUnauthorized: true;
}

export interface DatabaseConfig {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** The service's own schema: first and only entry of the search path. */
  readonly schema: string;
  /** Two to four per service: slots are scarcer than processor (performance.md section 2.3). */
  readonly maxConnections: number;
  readonly migrations: readonly MigrationClass[];
  readonly entities?: readonly EntityClass[];
  readonly applicationName: string;
  /**
   * TLS, with the server's certificate and name always checked; PEM text of who signs it, without `ca` the system's list.
   * Left out: plain TCP, for a server on this machine.
   */
  readonly ssl?: DatabaseTls;
  /**
   * Every statement of this pool finds its rows by a key or a range of an index. Plans are cached with the statement, often
   * while a table is still empty; without this such a plan stays a scan of the whole table when it has a million rows.
   */
  readonly lookupsOnly?: boolean;
  /** How long one statement may take, and a transaction may idle; 10 s unless somebody reads whole tables. */
  readonly statementTimeoutMs?: number;
  /** Told of connections lost while idle. */
  readonly log?: Logger;
}
