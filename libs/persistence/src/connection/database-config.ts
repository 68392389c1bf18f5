import type { Logger } from '@vuka/runtime';
import type { MigrationInterface } from 'typeorm';

export type MigrationClass = new () => MigrationInterface;
/** Decorated with @Entity. */
export type EntityClass = new () => object;

export interface DatabaseTls {
  readonly ca?: string;
  /** Always: an unverified server could be anybody's. */
  readonly rejectUnauthorized: true;
}

export interface DatabaseConfig {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** The only entry of the search path. */
  readonly schema: string;
  /** Two to four per service: slots are scarce (performance.md section 2.3). */
  readonly maxConnections: number;
  readonly migrations: readonly MigrationClass[];
  readonly entities?: readonly EntityClass[];
  readonly applicationName: string;
  /**
   * `ca`: PEM text; without it the system's list. Certificate and name are always checked. Without `ssl`:
   * plain TCP, for a server on this machine.
   */
  readonly ssl?: DatabaseTls;
  /**
   * All statements use an index. Without this, a plan cached while the table was empty stays a full scan when
   * it has a million rows.
   */
  readonly lookupsOnly?: boolean;
  /** Also the idle limit of a transaction; default 10 s. */
  readonly statementTimeoutMs?: number;
  /** Reports connections lost while idle. */
  readonly log?: Logger;
}
