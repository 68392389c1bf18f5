import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

import type { MigrationClass } from './connection/database-config.js';
import type { Queryable } from './connection/queryable.js';
import { SEAL_SQL } from './seal/index.js';

/** TypeORM orders by the last 13 characters. */
const TIME_OF_BASELINES = '1800000000000';

/** ensureMonthlyPartitions needs it. */
export const MAKE_PARTITION_SQL = new URL('./owners/make-partition.sql', import.meta.url);

/** For each service's baseline: audit entries, the seal over them, and months of partitioned tables. */
export const ACTS_SQL: readonly URL[] = [
  new URL('./audit-entries.sql', import.meta.url),
  ...SEAL_SQL,
  MAKE_PARTITION_SQL,
];

/** Nothing was released, so no build migrates another build's tables. */
export class EarlierBuildError extends Error {
  constructor(schema: string, unknown: readonly string[]) {
    super(
      `another build of Vuka made the tables of ${schema} (${unknown.join(', ')}): start on an empty database or data folder`,
    );
    this.name = 'EarlierBuildError';
  }
}

/** By table: what the service's login may do. Tables that are not named: select, insert, update, delete. */
export type TableRights = Readonly<Record<string, string>>;

/** What happened: nobody but the owner's functions changes it. */
const RECORD_RIGHTS: TableRights = {
  // TypeORM writes its row after the last step.
  migrations: 'select, insert',
  // Not xid: a row that claims an older transaction would break the seal.
  audit_entries:
    'select, insert (at, by_whom, act, partner_id, subject, reason, approved_by, details, role, operation_id, operation_step, operation_run)',
  seal_chains: 'select',
  seal_epochs: 'select',
  seal_blocks: 'select',
};

/**
 * One migration. Its name has a digest of its SQL, so that other text is detected
 * (docs/decisions/0020-one-baseline.md). With `rights` its last step gives all of it to the service's owner role.
 */
export function baseline(service: string, files: readonly URL[], rights?: TableRights): MigrationClass {
  const handOver =
    rights === undefined
      ? ''
      : `select vuka_owners.hand_over('${JSON.stringify({ ...RECORD_RIGHTS, ...rights })}'::jsonb);`;
  const sql = [...files.map((file) => readFileSync(file, 'utf8')), handOver].join('\n');
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
