import { readFile, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';

import { startEmbeddedPostgres } from '../../libs/persistence/dist/index.js';
import { createLogger } from '../../libs/platform/dist/index.js';
import { describeSchema } from './catalogue.mjs';
import { SCHEMAS, connect } from './database.mjs';

/** Sums up a killed Vuka's data folder: what each service kept, as text, and every file beside the database. */
export async function captureFolder(folder) {
  const server = await startEmbeddedPostgres({ folder: join(folder, 'postgres'), durable: true, log: createLogger('capture', { level: 'warn' }) });
  try {
    const client = await connect(server);
    const services = {};
    const { rows: present } = await client.query('select nspname as name from pg_namespace where nspname = any ($1::text[])', [SCHEMAS]);
    for (const schema of SCHEMAS.filter((one) => present.some(({ name }) => name === one))) services[schema] = await captureSchema(client, schema);
    await client.end();
    return { files: await captureFiles(folder), services };
  } finally {
    await server.stop();
  }
}

async function captureSchema(client, schema) {
  const { rows: migrations } = await client.query(`select name from ${schema}.migrations order by id`);
  const { rows: sequences } = await client.query('select sequencename as name, last_value::text as value from pg_sequences where schemaname = $1 order by 1', [schema]);
  return {
    migrations: migrations.map(({ name }) => name),
    catalogue: await describeSchema(client, schema),
    tables: await captureTables(client, schema),
    sequences: Object.fromEntries(sequences.filter(({ value, name }) => value !== null && name !== 'migrations_id_seq').map(({ name, value }) => [name, value])),
  };
}

/** Rows of each table, a partitioned one read through its parent, each value as PostgreSQL writes it. */
async function captureTables(client, schema) {
  const { rows: tables } = await client.query(
    `select c.relname as name, array_agg(array[quote_ident(a.attname), format_type(a.atttypid, a.atttypmod)] order by a.attnum) as columns
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relnamespace = $1::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> 'migrations'
      group by c.relname order by c.relname`,
    [schema],
  );
  const captured = {};
  for (const { name, columns } of tables) {
    const texts = columns.map(([column]) => `${column}::text`).join(', ');
    const { rows } = await client.query(`select to_json(array[${texts}]) as row from ${schema}.${name} order by ${texts}`);
    captured[name] = { columns, rows: rows.map(({ row }) => row) };
  }
  return captured;
}

async function captureFiles(folder) {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = names.filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  const files = {};
  for (const path of paths.filter((each) => !each.startsWith('postgres')).sort()) files[path] = await readFile(join(folder, path), 'utf8');
  return files;
}
