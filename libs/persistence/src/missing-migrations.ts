import type { MigrationClass, Queryable } from './database.js';

/** Names of migrations that this program knows and the database has not run: it was last used by an earlier release. */
export async function missingMigrations(db: Queryable, known: readonly MigrationClass[]): Promise<string[]> {
  const ran = await db.query<{ name: string }>('select name from migrations');
  const names = new Set(ran.map(({ name }) => name));
  return known.map((migration) => String(new migration().name)).filter((name) => !names.has(name));
}
