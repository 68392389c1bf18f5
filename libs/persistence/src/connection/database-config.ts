import type { Logger } from '@vuka/runtime';
import type { MigrationInterface } from 'typeorm';

export type MigrationClass = new () => MigrationInterface;
export type EntityClass = new () => object;

export interface DatabaseTls {
  readonly ca?: string;
  /** An unverified server could be anybody's. */
  readonly rejectUnauthorized: true;
}

/** MACs of an event for its readers, stored beside its row of the outbox (libs/messaging). */
export type EventMacs = (topic: string, envelope: string) => string;

export interface DatabaseConfig {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** The only entry of the search path. */
  readonly schema: string;
  /** Two to four: slots are scarce (performance.md section 2.3). */
  readonly maxConnections: number;
  readonly migrations: readonly MigrationClass[];
  readonly entities?: readonly EntityClass[];
  readonly applicationName: string;
  /**
   * `ca`: PEM text; default: the system's list. The certificate is always checked. Without `ssl`: plain TCP,
   * for this machine.
   */
  readonly ssl?: DatabaseTls;
  /** All statements use an index. Otherwise a plan cached for an empty table stays a full scan. */
  readonly lookupsOnly?: boolean;
  /** Also idle time in a transaction; default 10 s. */
  readonly statementTimeoutMs?: number;
  /** Of the service whose schema it is. Absent: its events are not signed. */
  readonly eventMacs?: EventMacs;
  /** Reports connections lost while idle. */
  readonly log?: Logger;
}
