import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { Database, ensureMonthlyPartitions, ensureServiceLogins, startEmbeddedPostgres } from '../../libs/persistence/dist/index.js';
import { createLogger } from '../../libs/platform/dist/index.js';
import { ROOT } from '../run.mjs';
import { describeSchema } from './catalogue.mjs';
import { DATABASE, connect } from './database.mjs';

/** For the moment only: each start of Vuka sets the logins' passwords to its own. */
const PASSWORD = 'of-the-restore-alone-0';
/** How long ago the restored Vuka seems to have been killed. */
const KILLED_AGO_MS = 3_000;
const ISO_TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
const MAX_XIDS_TO_PASS = 1_000_000;

/**
 * Makes `folder` what the captured one was, as if its Vuka had been killed a few seconds ago: every time is moved by as much,
 * and webhooks go to `callbackOrigin`. The tables are made by the very migrations that had run, which must still make what they
 * made then. Gives the database server's process id, and leaves it running. Throws where a landed migration is gone or has
 * been changed.
 */
export async function restoreFolder(capture, folder, callbackOrigin) {
  const rewrite = rewriter(capture, callbackOrigin);
  await restoreFiles(capture.files, folder, rewrite);
  const log = createLogger('restore', { level: 'warn' });
  const server = await startEmbeddedPostgres({ folder: join(folder, 'postgres'), durable: false, log });
  const names = Object.keys(capture.services);
  await ensureServiceLogins(server, DATABASE, names.map((name) => ({ name, password: PASSWORD })));
  const client = await connect(server);
  for (const name of names) {
    await migrateAs(server, name, capture.services[name]);
    await expectCatalogue(client, name, capture.services[name].catalogue);
  }
  await passXids(client, capture);
  for (const name of names) await loadSchema(client, name, capture.services[name], rewrite);
  // What follows is a kill, which takes all that is not written.
  await client.query('checkpoint');
  await client.end();
  return server.pid;
}

function rewriter({ killedAt, memory }, callbackOrigin) {
  const shiftMs = Date.now() - KILLED_AGO_MS - Date.parse(killedAt);
  const [oldHost, newHost] = [memory.callbackOrigin, callbackOrigin].map((origin) => new URL(origin).host);
  const text = (value) => value.replaceAll(memory.callbackOrigin, callbackOrigin).replaceAll(oldHost, newHost);
  const times = (value) => value.replace(ISO_TIME, (time) => new Date(Date.parse(time) + shiftMs).toISOString());
  return { shiftMs, text, all: (value) => times(text(value)) };
}

async function restoreFiles(files, folder, rewrite) {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true, mode: 0o700 });
    await writeFile(join(folder, path), rewrite.all(text), { mode: 0o600 });
  }
}

/** Only those that had run; the others are what the start of the current build must run. */
async function migrateAs({ host, port }, service, { migrations }) {
  const classes = await migrationsOf(service);
  const missing = migrations.filter((name) => !classes.has(name));
  if (missing.length > 0) throw new Error(`${service} has lost its landed migration ${missing.join(', ')}`);
  const db = await Database.connect({
    ...{ host, port, user: `vuka_${service}`, password: PASSWORD, database: DATABASE, schema: service, maxConnections: 1 },
    ...{ applicationName: 'restore', migrations: migrations.map((name) => classes.get(name)) },
  });
  await db.migrate();
  const tables = await db.query(`select relname as name from pg_class where relkind = 'p' and relnamespace = $1::text::regnamespace`, [service]);
  const lastMonth = new Date(Date.now() - 86_400_000);
  for (const { name } of tables) await ensureMonthlyPartitions(db, name, lastMonth, 2);
  await db.close();
}

/** Every migration class a service has, by name. */
async function migrationsOf(service) {
  const build = join(ROOT, 'apps', service, 'dist');
  const files = (await readdir(build, { recursive: true })).filter((path) => /\.migration\.js$|(^|\/)migrations\/.*\.js$/.test(path));
  const found = new Map();
  for (const file of files) {
    for (const exported of Object.values(await import(join(build, file)))) {
      if (typeof exported === 'function' && typeof exported.prototype?.up === 'function') found.set(new exported().name, exported);
    }
  }
  return found;
}

async function expectCatalogue(client, service, expected) {
  const actual = await describeSchema(client, service);
  const differences = [...expected.filter((line) => !actual.includes(line)).map((line) => `- ${line}`), ...actual.filter((line) => !expected.includes(line)).map((line) => `+ ${line}`)];
  if (differences.length > 0) throw new Error(`a landed migration of ${service} makes something else than it did:\n  ${differences.join('\n  ')}`);
}

/** Cursors of the outbox hold transaction ids of their cluster: this one's must be past them, as theirs was. */
async function passXids(client, { services }) {
  const { rows: now } = await client.query('select pg_current_xact_id()::text as xid');
  const kept = Object.values(services).flatMap(({ tables }) => ['outbox', 'outbox_cursors'].flatMap((name) => tables[name] ?? []));
  const past = Math.max(...kept.flatMap(({ columns, rows }) => {
    const place = columns.findIndex(([column]) => column === 'xid');
    return rows.map((row) => Number(row[place]));
  }));
  const missing = past + 1 - Number(now[0].xid);
  if (missing > MAX_XIDS_TO_PASS) throw new Error(`the captured cluster was ${missing} transactions on: too far to follow`);
  await client.query(`do $$ begin for i in 1..${Math.max(missing, 0)} loop perform pg_current_xact_id(); commit; end loop; end $$`);
}

async function loadSchema(client, schema, { tables, sequences }, rewrite) {
  // Rows come in any order: what refers to another one is not checked meanwhile.
  await client.query('set session_replication_role = replica');
  for (const [name, { columns, rows }] of Object.entries(tables)) {
    const values = columns.map(([, type], place) => (type === 'timestamp with time zone' ? `(r->>${place})::timestamptz + $2::interval` : `(r->>${place})::${type}`));
    const texts = rows.map((row) => row.map((value, place) => (value === null ? null : columns[place][0] === 'envelope' ? rewrite.all(value) : rewrite.text(value))));
    await client.query(
      `insert into ${schema}.${name} (${columns.map(([column]) => column).join(', ')}) overriding system value
       select ${values.join(', ')} from json_array_elements($1::json) r where $2::interval is not null`,
      [JSON.stringify(texts), `${rewrite.shiftMs} milliseconds`],
    );
  }
  await client.query('reset session_replication_role');
  for (const [name, value] of Object.entries(sequences)) await client.query('select setval($1::text::regclass, $2::bigint)', [`${schema}.${name}`, value]);
}
