import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { type EmbeddedSettings, loadTerms, type Settings } from '@vuka/config';
import {
  type AdminServiceName,
  type DataFolder,
  loadSecrets,
  operatorsOf,
  refuseOtherBuild,
  sandboxOperators,
  type Secrets,
} from '@vuka/data-folder';
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
/** Its login shows whether a server is this folder's. */
const FIRST_ASKED: AdminServiceName = 'gateway';
/** The ledger check reads everything. */
const STATEMENT_TIMEOUT_MS = 10 * 60_000;
/** Temporary: it starts, stops, or is full. */
const BUSY_STATES = new Set(['57P03', '53300']);
/** A killed server leaves its pid file, so another folder's server may answer. */
const NOT_RUNNING = new Set(['ECONNREFUSED', '28P01', '3D000']);

/** For a folder whose services do not run. The caller holds its lock. */
export interface FolderAdmin {
  readonly url: string;
  readonly credential: string;
  close(): Promise<void>;
}

/**
 * No relay, jobs, event readers or provider calls. Uses a PostgreSQL that a killed Vuka left, else starts one that
 * close() stops. Throws BootError.
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
      env: environment,
      database: adminDatabase({ ...server, name: DATABASE }, 'admin', secrets, log, STATEMENT_TIMEOUT_MS),
      operators: environment === 'live' ? await operatorsOf(folder) : sandboxOperators(secrets),
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

/** A server left by a killed Vuka stays as it is. */
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
    'The database of this folder runs, but refuses the logins of this folder.',
    'Start Vuka on the folder once (npm start), then try again.',
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

/** Sandbox settings must not reach live. */
export function settingsIn(env: Settings['env'], settings: EmbeddedSettings): EmbeddedSettings {
  return { ...settings, env, webhookAllowPrivate: settings.webhookAllowPrivate && env === 'sandbox' };
}

function groundOf(service: AdminServiceName, server: Server, { folder, secrets, terms, log }: Parts): AdminGround {
  return {
    ...terms,
    database: adminDatabase({ ...server, name: DATABASE }, service, secrets, log, STATEMENT_TIMEOUT_MS),
    get cipher() { return secrets.cipherOf(service); },
    webhookCipher: secrets.webhookCipher,
    get keyPeppers() { return secrets.keyPeppers; },
    clock: systemClock,
    log,
    providerIds: providersOf(folder),
  }; // prettier-ignore
}

/** false: no server accepts this folder's logins. Throws BootError if busy. */
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

/** After an interrupted first start the next start makes missing tables, not admin. */
async function wasStarted(admin: { missingMigrations(): Promise<string[]> }, folder: DataFolder): Promise<void> {
  if ((await admin.missingMigrations()).length === 0) return;
  throw new BootError(
    `The first start on ${folder.path} did not finish, so its tables do not exist yet.`,
    'Start Vuka on the folder once (npm start), then try again.',
  );
}

/** Server's pid file: line 4 is the port, line 8 the state. */
function runningServer(folder: DataFolder): Server | undefined {
  const file = join(folder.postgres, 'data/postmaster.pid');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  const port = parseInt(lines[3] ?? '', 10);
  return port > 0 && lines[7]?.trim() === 'ready' ? { host: '127.0.0.1', port } : undefined;
}

/** The folder knows its environment. */
function environmentOf(folder: DataFolder): 'sandbox' | 'live' {
  const parsed = z.object({ env: z.literal('live') }).safeParse(parseJson(readFileSync(folder.secretsFile, 'utf8')));
  return parsed.success ? 'live' : 'sandbox';
}

/** In live a folder has none. */
function providersOf(folder: DataFolder): string[] {
  if (!existsSync(folder.providersFile)) return [];
  const parsed = z
    .object({ providers: z.array(z.object({ id: z.string() })) })
    .safeParse(parseJson(readFileSync(folder.providersFile, 'utf8')));
  return parsed.success ? parsed.data.providers.map(({ id }) => id) : [];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
