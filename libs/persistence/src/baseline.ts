import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

import type { MigrationClass } from './connection/database-config.js';
import type { Queryable } from './connection/queryable.js';

/** TypeORM orders by the last 13 characters. */
const TIME_OF_BASELINES = '1800000000000';

/** For each service's baseline. */
export const ACTS_SQL = new URL('./audit-entries.sql', import.meta.url);

/** Nothing was released, so no build migrates another build's tables. */
export class EarlierBuildError extends Error {
  constructor(schema: string, unknown: readonly string[]) {
    super(
      `another build of Vuka made the tables of ${schema} (${unknown.join(', ')}): start on an empty database or data folder`,
    );
    this.name = 'EarlierBuildError';
  }
}

/**
 * One migration. Its name has a digest of its SQL, so that other text is detected
 * (docs/decisions/0020-one-baseline.md).
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

/** Known, but not yet run. */
export async function missingMigrations(db: Queryable, known: readonly MigrationClass[]): Promise<string[]> {
  return missingOf(known, await namesOfRun(db));
}

/** As missingMigrations. Throws EarlierBuildError on an unknown migration. */
export async function pendingMigrations(
  db: Queryable,
  schema: string,
  known: readonly MigrationClass[],
): Promise<string[]> {
  const names = namesOf(known);
  const run = await namesOfRun(db);
  const unknown = run.filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new EarlierBuildError(schema, unknown);
  return missingOf(known, run);
}

const missingOf = (known: readonly MigrationClass[], run: readonly string[]): string[] =>
  namesOf(known).filter((name) => !run.includes(name));

const namesOf = (known: readonly MigrationClass[]): string[] =>
  known.map((migration) => new migration().name ?? migration.name);

async function namesOfRun(db: Queryable): Promise<string[]> {
  const [table] = await db.query<{ is_there: boolean }>(`select to_regclass('migrations') is not null as is_there`);
  if (table?.is_there !== true) return [];
  return (await db.query<{ name: string }>('select name from migrations order by id')).map(({ name }) => name);
}
