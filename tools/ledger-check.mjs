// `npm run ledger:check`: the ledger's standing rules and every balance recomputed from its entries, on the data folder
// (VUKA_DATA_DIR) of a Vuka that runs, was killed or is stopped. Reads only. Ends with 1 where a rule is broken.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';

import { prepare } from './prepare.mjs';
import { giveUp, say } from './progress.mjs';

const CONNECT_TIMEOUT_MS = 3_000;
const CHECK_TIMEOUT_MS = 10 * 60_000;
const DATABASE = 'vuka';
const SCHEMA = 'payments';

await prepare({ withBuild: true });
const { checkLedger } = await import('../apps/payments/dist/index.js');
const { startEmbeddedPostgres } = await import('../libs/persistence/dist/index.js');
const { createLogger, loadSettings } = await import('../libs/platform/dist/index.js');

const { dataDir } = settings();
const folder = join(dataDir, 'postgres');
if (!existsSync(join(folder, 'data'))) giveUp(`There is no database in ${dataDir}.`, 'VUKA_DATA_DIR names the data folder to check; `npm start` makes one.');

process.exitCode = (await withServer(check)) ? 0 : 1;

function settings() {
  try {
    return loadSettings(process.env);
  } catch (error) {
    return giveUp(error.message, 'README.md lists the settings.');
  }
}

/** Of the server that runs on the folder (its Vuka's, or one that a killed Vuka left behind), else of one started for this. */
async function withServer(work) {
  const running = await connect(await runningServer());
  if (running !== null) {
    say(`checking ${dataDir}, while it runs`);
    return work(running).finally(() => running.end());
  }
  const server = await startEmbeddedPostgres({ folder, durable: true, log: createLogger('ledger-check', { level: 'warn' }) });
  try {
    const client = await connect(server);
    if (client === null) throw new Error('the database was started and cannot be reached');
    say(`checking ${dataDir}, which is stopped`);
    return await work(client).finally(() => client.end());
  } finally {
    await server.stop();
  }
}

/** By the server's own pid file (line 4 is its port) and the password kept beside it; null where none seems to run. */
async function runningServer() {
  const lines = (await readFile(join(folder, 'data/postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  const port = parseInt(lines[3] ?? '', 10);
  if (!(port > 0) || lines[7]?.trim() !== 'ready') return null;
  return { host: '127.0.0.1', port, user: 'postgres', password: (await readFile(join(folder, 'password'), 'utf8')).trim() };
}

/** null where nobody listens: the pid file of a server that was killed stays behind. */
async function connect(server) {
  if (server === null) return null;
  const { host, port, user, password } = server;
  const client = new pg.Client({ host, port, user, password, database: DATABASE, connectionTimeoutMillis: CONNECT_TIMEOUT_MS, query_timeout: CHECK_TIMEOUT_MS, application_name: 'vuka ledger check' });
  try {
    await client.connect();
    client.on('error', () => undefined);
    return client;
  } catch (error) {
    // 57P03: it is starting up or shutting down, so it is not ours to start; 28P01: it is another folder's server on that port.
    if (error.code === 'ECONNREFUSED' || error.code === '28P01') return null;
    return giveUp(`The database of ${dataDir} cannot be asked: ${error.message}`, 'Try again in a moment.');
  }
}

/** All rules in one snapshot. */
async function check(client) {
  await client.query(`SET search_path = ${SCHEMA}; SET statement_timeout = ${CHECK_TIMEOUT_MS}`);
  await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
  const report = await checkLedger({ query: async (sql, params) => (await client.query(sql, params === undefined ? undefined : [...params])).rows });
  await client.query('ROLLBACK');
  for (const { rule, broken } of report.checks) {
    say(`${broken.length === 0 ? '✓' : '✗'} ${rule}`);
    for (const row of broken) say(`    ${JSON.stringify(row)}`);
  }
  say('\nbalances from the entries, in minor units');
  const width = Math.max(0, ...report.balances.map(({ name }) => name.length));
  for (const { name, balanceMinor } of report.balances) say(`  ${name.padEnd(width)}  ${balanceMinor.padStart(20)}`);
  const broken = report.checks.filter((rule) => rule.broken.length > 0).length;
  say(report.ok ? '\nThe ledger is sound.' : `\nThe ledger is broken: ${broken} of ${report.checks.length} rules.`);
  return report.ok;
}
