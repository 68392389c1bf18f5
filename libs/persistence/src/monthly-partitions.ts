import type { Queryable } from './connection/queryable.js';

const NAME = /^[a-z][a-z0-9_]{0,40}$/;
/** Another process made it meanwhile. */
const MADE_MEANWHILE = new Set(['42P07', '23505']);

/**
 * From `from`, `monthsAhead` more, in UTC: `<table>_y2026m11`. Throws if the default partition has rows of a
 * missing month.
 */
export async function ensureMonthlyPartitions(
  db: Queryable,
  table: string,
  from: Date,
  monthsAhead: number,
): Promise<void> {
  assertName(table);
  const months = Array.from({ length: monthsAhead + 1 }, (_, index) => {
    const start = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + index, 1));
    const suffix = `y${start.getUTCFullYear()}m${String(start.getUTCMonth() + 1).padStart(2, '0')}`;
    return { name: `${table}_${suffix}`, month: start.toISOString().slice(0, 10) };
  });
  // CREATE TABLE IF NOT EXISTS ... PARTITION OF always locks the table.
  const missing = await db.query<{ name: string }>(
    'SELECT name FROM unnest($1::text[]) AS name WHERE to_regclass(name) IS NULL',
    [months.map(({ name }) => name)],
  );
  for (const { name, month } of months) {
    if (!missing.some((row) => row.name === name)) continue;
    try {
      await db.query('SELECT make_partition($1, $2)', [table, month]);
    } catch (error) {
      if (!MADE_MEANWHILE.has((error as { code?: string }).code ?? '')) throw error;
    }
  }
}

function assertName(table: string): void {
  if (!NAME.test(table)) throw new Error(`not a table name: ${table}`);
}
