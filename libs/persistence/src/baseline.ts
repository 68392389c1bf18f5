import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

import type { MigrationClass } from './connection/database-config.js';
import type { Queryable } from './connection/queryable.js';

/** TypeORM orders migrations by the last thirteen characters of their names. */
const TIME_OF_BASELINES = '1800000000000';

/** The table of what people did (`acts.sql`), for a service's baseline. */
export const ACTS_SQL = new URL('./audit-entries.sql', import.meta.url);

/** A schema that another build of Vuka made. Nothing was ever released, so no build carries another one's tables over. */
export class EarlierBuildError extends Error {
  constructor(schema: string, unknown: readonly string[]) {
    super(
      `the tables of ${schema} were made by another build of Vuka (${unknown.join(', ')}): start on an empty database or data folder`,
    );
    this.name = 'EarlierBuildError';
  }
}

/**
 * The one migration that makes a service's schema, from files of SQL in their order. Its name has a digest of their
 * text, so that a schema made from other text is known by name (docs/decisions/0020-one-baseline.md).
 */
export function baseline(service: string, files: readonly URL[]): MigrationClass {
  const sql = files.map((file) => readFileSync(file, 'utf8')).join('\n');
  const digest = createHash('sha256').update(sql).digest('hex').slice(0, 12);
  return class {
    static readonly sql = sql;
    readonly name = `${service}_baseline_${digest}_${TIME_OF_BASELINES}`;

    async up(runner: { query(sql: string): Promise<unknown> }): Promise<void> {
      await runner.query(sql);
    }

    down(): Promise<void> {
      return Promise.reject(new Error('a baseline has no way down'));
    }
  };
}

/** Names of migrations that this program knows and the database has not run. */
export async function missingMigrations(db: Queryable, known: readonly MigrationClass[]): Promise<string[]> {
  const ran = await namesOfRun(db);
  return namesOf(known).filter((name) => !ran.includes(name));
}

/** Throws EarlierBuildError where the database has run a migration that this program does not know. */
export async function refuseEarlierBuild(
  db: Queryable,
  schema: string,
  known: readonly MigrationClass[],
): Promise<void> {
  const names = namesOf(known);
  const unknown = (await namesOfRun(db)).filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new EarlierBuildError(schema, unknown);
}

/** A migration without a name goes by that of its class. */
const namesOf = (known: readonly MigrationClass[]): string[] =>
  known.map((migration) => new migration().name ?? migration.name);

async function namesOfRun(db: Queryable): Promise<string[]> {
  const [table] = await db.query<{ is_there: boolean }>(`select to_regclass('migrations') is not null as is_there`);
  if (table?.is_there !== true) return [];
  return (await db.query<{ name: string }>('select name from migrations order by id')).map(({ name }) => name);
}
