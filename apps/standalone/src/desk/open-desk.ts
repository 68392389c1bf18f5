import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { PaymentsDesk } from '@vuka/payments';
import { startEmbeddedPostgres, type DatabaseConfig } from '@vuka/persistence';
import { BootError, createLogger, systemClock, type Logger } from '@vuka/platform';
import { z } from 'zod';

import { openDataFolder, type DataFolder } from '../data-folder.js';
import { loadSecrets, type Secrets } from '../secrets.js';
import { CheckoutDesk } from './checkout-desk.js';
import { Desk } from './desk.js';
import { NotifierDesk } from './notifier-desk.js';
import { OfframpDesk } from './offramp-desk.js';

interface Server {
  readonly host: string;
  readonly port: number;
}

const DATABASE = 'vuka';
const CONNECTIONS = 3;
/** The ledger check reads everything there is. */
const STATEMENT_TIMEOUT_MS = 10 * 60_000;
const FIRST_RAIL = 'sandbox';

/** A database that is this folder's and refuses us for a moment: starting, stopping, out of room. */
const BUSY_STATES = new Set(['57P03', '53300']);
/** Nobody listens, or another folder's server does: the pid file of a server that was killed stays behind. */
const NOT_RUNNING = new Set(['ECONNREFUSED', '28P01', '3D000']);

/**
 * Opens the desk on a data folder, does `work`, and leaves the folder as it was: a PostgreSQL that runs there (its Vuka's,
 * or one that a killed Vuka left) is used, else one is started and stopped again. Throws BootError where it cannot.
 */
export async function withDesk<T>(dataDir: string, work: (desk: Desk) => Promise<T>): Promise<T> {
  if (!existsSync(join(dataDir, 'postgres/data')) || !existsSync(join(dataDir, 'secrets.json'))) {
    throw new BootError(`There is no Vuka in ${dataDir}.`, 'VUKA_DATA_DIR names the data folder to look at; `npm start` makes one.');
  }
  const folder = await openDataFolder(dataDir);
  const secrets = await loadSecrets(folder, environmentOf(folder));
  const log = createLogger('desk', { level: 'fatal', destination: { write: (line) => void process.stderr.write(line) } });
  const running = runningServer(folder);
  const found = running && (await open(running, folder, secrets, log, true));
  if (found) return work(found).finally(() => found.close());
  const server = await startServer(folder, log);
  try {
    const desk = await open(server, folder, secrets, log, false);
    if (!desk) throw new BootError('The database of this folder was started and does not let us in.', 'Start Vuka on it once (npm start), and try again.');
    return await work(desk).finally(() => desk.close());
  } finally {
    await server.stop();
  }
}

function startServer(folder: DataFolder, log: Logger): ReturnType<typeof startEmbeddedPostgres> {
  return startEmbeddedPostgres({ folder: folder.postgres, durable: true, log }).catch((error: unknown) => {
    throw new BootError(`The database of ${folder.path} could not be started: ${(error as Error).message}`, 'If a Vuka is just starting or stopping there, try again in a moment.', { cause: error });
  });
}

/** undefined: nobody there whom this folder's logins open. */
async function open(server: Server, folder: DataFolder, secrets: Secrets, log: Logger, isUp: boolean): Promise<Desk | undefined> {
  const databaseOf = (service: string): Omit<DatabaseConfig, 'migrations' | 'entities'> => ({
    ...server,
    user: `vuka_${service}`,
    password: secrets.databasePassword(service),
    database: DATABASE,
    schema: service,
    maxConnections: CONNECTIONS,
    applicationName: `vuka desk ${service}`,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    log,
  });
  const opened: { close(): Promise<void> }[] = [];
  try {
    const payments = await PaymentsDesk.open({ database: databaseOf('payments'), cipher: secrets.cipherOf('payments'), clock: systemClock, log, rails: railsOf(folder) });
    opened.push(payments);
    // A folder of an earlier Vuka may lack whole services.
    await upToDate(payments, folder);
    const notifier = await NotifierDesk.open(databaseOf('notifier'));
    opened.push(notifier);
    const offramp = await OfframpDesk.open(databaseOf('offramp'));
    opened.push(offramp);
    const checkout = await CheckoutDesk.open(databaseOf('checkout'));
    opened.push(checkout);
    for (const desk of [notifier, offramp, checkout]) await upToDate(desk, folder);
    return new Desk({ payments, notifier, offramp, checkout }, folder.path, isUp && hasVuka(folder));
  } catch (error) {
    await Promise.all(opened.map((desk) => desk.close()));
    const code = (error as { code?: string }).code ?? '';
    if (NOT_RUNNING.has(code)) return undefined;
    if (BUSY_STATES.has(code)) throw new BootError(`The database of ${folder.path} is starting, stopping or busy.`, 'Try again in a moment.', { cause: error });
    throw error;
  }
}

/** A folder of an earlier Vuka lacks tables that are asked for here; its own start brings them, not we. */
async function upToDate(desk: { missingMigrations(): Promise<string[]> }, folder: DataFolder): Promise<void> {
  if ((await desk.missingMigrations()).length === 0) return;
  throw new BootError(`${folder.path} was last used by an earlier version of Vuka.`, 'Start Vuka on it once (npm start): that brings it up to date. Then ask again.');
}

/** By the server's own pid file: line 4 is its port, line 8 says whether it takes connections. */
function runningServer(folder: DataFolder): Server | undefined {
  const file = join(folder.postgres, 'data/postmaster.pid');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  const port = parseInt(lines[3] ?? '', 10);
  return port > 0 && lines[7]?.trim() === 'ready' ? { host: '127.0.0.1', port } : undefined;
}

/** Whether somebody holds the folder: a database alone may be what a killed Vuka left behind. */
function hasVuka(folder: DataFolder): boolean {
  const file = join(folder.path, 'vuka.lock');
  const pid = existsSync(file) ? parseInt(readFileSync(file, 'utf8'), 10) : NaN;
  try {
    return pid > 1 && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** A folder knows its environment; the desk works on either without being told. */
function environmentOf(folder: DataFolder): 'sandbox' | 'live' {
  const parsed = z.object({ env: z.literal('live') }).safeParse(parseJson(readFileSync(folder.secretsFile, 'utf8')));
  return parsed.success ? 'live' : 'sandbox';
}

/** The rails that the Vuka of this folder can call; in live there is none yet. */
function railsOf(folder: DataFolder): string[] {
  if (!existsSync(folder.railFile)) return [];
  const parsed = z.object({ others: z.array(z.object({ id: z.string() })).default([]) }).safeParse(parseJson(readFileSync(folder.railFile, 'utf8')));
  return [FIRST_RAIL, ...(parsed.success ? parsed.data.others.map(({ id }) => id) : [])];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
