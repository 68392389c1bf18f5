import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { type EmbeddedSettings, loadTerms, type Settings } from '@vuka/config';
import { type AdminServiceName, type DataFolder, loadSecrets, refuseOtherBuild, type Secrets } from '@vuka/data-folder';
import { Database, startEmbeddedPostgres } from '@vuka/persistence';
import { BootError, createLogger, type Logger, systemClock } from '@vuka/runtime';
import type { AdminGround } from '@vuka/service-host';
import { z } from 'zod';

import { LocalAdmin } from './local-admin.js';
import { adminDatabase } from './local-operations.js';

interface Server {
  readonly host: string;
  readonly port: number;
}

interface Parts {
  readonly folder: DataFolder;
  readonly secrets: Secrets;
  readonly terms: Pick<AdminGround, 'settings' | 'currencies'>;
  readonly log: Logger;
}

const DATABASE = 'vuka';
/** Whose login shows that a server is this folder's. */
const FIRST_ASKED: AdminServiceName = 'gateway';
/** The ledger check reads everything there is. */
const STATEMENT_TIMEOUT_MS = 10 * 60_000;
const FIRST_PROVIDER = 'sandbox';

/** A database that is this folder's and refuses us for a moment: starting, stopping, out of room. */
const BUSY_STATES = new Set(['57P03', '53300']);
/** Nobody listens, or another folder's server does: the pid file of a server that was killed stays behind. */
const NOT_RUNNING = new Set(['ECONNREFUSED', '28P01', '3D000']);

/** Admin on a folder that nothing works on. For who holds the folder's lock. */
export interface FolderAdmin {
  readonly url: string;
  readonly credential: string;
  close(): Promise<void>;
}

/**
 * Starts admin on the folder's tables and nothing else: no relay, no jobs, no readers of events, and no provider is called. It takes the PostgreSQL that a
 * killed Vuka left, else starts one that close() stops again. Throws BootError where it cannot.
 */
export async function startFolderAdmin(folder: DataFolder, given: EmbeddedSettings): Promise<FolderAdmin> {
  await refuseOtherBuild(folder.path, 'VUKA_DATA_DIR');
  const environment = environmentOf(folder);
  const secrets = await loadSecrets(folder, environment);
  const log = createLogger('admin', {
    level: 'fatal',
    destination: { write: (line) => void process.stderr.write(line) },
  });
  const settings = settingsIn(environment, given);
  const terms = { settings, currencies: await loadTerms(settings) };
  const { server, stop } = await reachServer(folder, secrets, log);
  try {
    const admin = await LocalAdmin.start({
      groundOf: (service) => groundOf(service, server, { folder, secrets, terms, log }),
      logOf: () => log,
      log,
      isRunning: false,
      check: (opened) => wasStarted(opened, folder),
    });
    return {
      url: admin.url,
      credential: admin.credential,
      close: async () => {
        await admin.stop();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The server of a Vuka that was killed may go on: it is taken as it is, and left so. */
async function reachServer(
  folder: DataFolder,
  secrets: Secrets,
  log: Logger,
): Promise<{ server: Server; stop: () => Promise<void> }> {
  const left = runningServer(folder);
  if (left !== undefined && (await letsUsIn(left, folder, secrets, log))) return { server: left, stop: async () => {} };
  const server = await startServer(folder, log);
  if (await letsUsIn(server, folder, secrets, log)) return { server, stop: () => server.stop() };
  await server.stop();
  throw new BootError(
    'The database of this folder was started and does not let us in.',
    'Start Vuka on it once (npm start), and try again.',
  );
}

function startServer(folder: DataFolder, log: Logger): ReturnType<typeof startEmbeddedPostgres> {
  return startEmbeddedPostgres({ folder: folder.postgres, durable: true, log }).catch((error: unknown) => {
    throw new BootError(
      `The database of ${folder.path} could not be started: ${(error as Error).message}`,
      'If a Vuka is just starting or stopping there, try again in a moment.',
      { cause: error },
    );
  });
}

/** As they hold in the folder's environment, whatever the command was called in: what is of the sandbox alone does not reach what is live. */
export function settingsIn(env: Settings['env'], settings: EmbeddedSettings): EmbeddedSettings {
  return { ...settings, env, webhookAllowPrivate: settings.webhookAllowPrivate && env === 'sandbox' };
}

function groundOf(service: AdminServiceName, server: Server, { folder, secrets, terms, log }: Parts): AdminGround {
  return {
    ...terms,
    database: adminDatabase({ ...server, name: DATABASE }, service, secrets, log, STATEMENT_TIMEOUT_MS),
    get cipher() { return secrets.cipherOf(service); },
    get keyPepper() { return secrets.keyPepper; },
    clock: systemClock,
    log,
    providerIds: providersOf(folder),
  }; // prettier-ignore
}

/** false: nobody is there whom this folder's logins open. Throws BootError where it is there and busy. */
async function letsUsIn(server: Server, folder: DataFolder, secrets: Secrets, log: Logger): Promise<boolean> {
  const login = adminDatabase({ ...server, name: DATABASE }, FIRST_ASKED, secrets, log, STATEMENT_TIMEOUT_MS);
  try {
    await (await Database.connect({ ...login, migrations: [], maxConnections: 1 })).close();
    return true;
  } catch (error) {
    const code = (error as { code?: string }).code ?? '';
    if (NOT_RUNNING.has(code)) return false;
    if (BUSY_STATES.has(code))
      throw new BootError(`The database of ${folder.path} is starting, stopping or busy.`, 'Try again in a moment.', {
        cause: error,
      });
    throw error;
  }
}

/** Where a first start broke off, tables are missing that are asked for here; the next start makes them, not we. */
async function wasStarted(admin: { missingMigrations(): Promise<string[]> }, folder: DataFolder): Promise<void> {
  if ((await admin.missingMigrations()).length === 0) return;
  throw new BootError(
    `The first start on ${folder.path} broke off: there are no tables yet that could be asked.`,
    'Start Vuka on it once (npm start), then ask again.',
  );
}

/** By the server's own pid file: line 4 is its port, line 8 says whether it takes connections. */
function runningServer(folder: DataFolder): Server | undefined {
  const file = join(folder.postgres, 'data/postmaster.pid');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  const port = parseInt(lines[3] ?? '', 10);
  return port > 0 && lines[7]?.trim() === 'ready' ? { host: '127.0.0.1', port } : undefined;
}

/** A folder knows its environment; admin works on either without being told. */
function environmentOf(folder: DataFolder): 'sandbox' | 'live' {
  const parsed = z.object({ env: z.literal('live') }).safeParse(parseJson(readFileSync(folder.secretsFile, 'utf8')));
  return parsed.success ? 'live' : 'sandbox';
}

/** The providers that the Vuka of this folder can call; in live there is none yet. */
function providersOf(folder: DataFolder): string[] {
  if (!existsSync(folder.providerFile)) return [];
  const parsed = z
    .object({ others: z.array(z.object({ id: z.string() })).default([]) })
    .safeParse(parseJson(readFileSync(folder.providerFile, 'utf8')));
  return [FIRST_PROVIDER, ...(parsed.success ? parsed.data.others.map(({ id }) => id) : [])];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
