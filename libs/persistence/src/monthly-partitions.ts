import type { Queryable } from './connection/queryable.js';

const NAME = /^[a-z][a-z0-9_]{0,40}(\.[a-z][a-z0-9_]{0,40})?$/;
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
    const end = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + index + 1, 1));
    const suffix = `y${start.getUTCFullYear()}m${String(start.getUTCMonth() + 1).padStart(2, '0')}`;
    return { name: `${table}_${suffix}`, start: start.toISOString(), end: end.toISOString() };
  });
  // CREATE TABLE IF NOT EXISTS ... PARTITION OF always locks the table.
  const missing = await db.query<{ name: string }>(
    'SELECT name FROM unnest($1::text[]) AS name WHERE to_regclass(name) IS NULL',
    [months.map(({ name }) => name)],
  );
  for (const { name, start, end } of months) {
    if (!missing.some((row) => row.name === name)) continue;
    try {
      await db.query(`CREATE TABLE ${name} PARTITION OF ${table} FOR VALUES FROM ('${start}') TO ('${end}')`);
    } catch (error) {
      if (!MADE_MEANWHILE.has((error as { code?: string }).code ?? '')) throw error;
    }
  }
}

function assertName(table: string): void {
  if (!NAME.test(table)) throw new Error(`not a table name: ${table}`);
}
