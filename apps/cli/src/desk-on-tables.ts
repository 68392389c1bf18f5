import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { deskDatabase, openLocalDesks, type OpenDesks } from '@vuka/admin';
import { type EmbeddedSettings, loadTerms, type Settings } from '@vuka/config';
import { type DataFolder, holderOf, loadSecrets, refuseOtherBuild, type Secrets } from '@vuka/data-folder';
import { startEmbeddedPostgres } from '@vuka/persistence';
import { BootError, createLogger, type Logger, systemClock } from '@vuka/runtime';
import type { DeskGround } from '@vuka/service-host';
import { z } from 'zod';

import type { DeskSettings } from './desk-settings.js';
import { Desk } from './desk.js';

interface Server {
  readonly host: string;
  readonly port: number;
}

const DATABASE = 'vuka';
/** The ledger check reads everything there is. */
const STATEMENT_TIMEOUT_MS = 10 * 60_000;
const FIRST_RAIL = 'sandbox';

/** A database that is this folder's and refuses us for a moment: starting, stopping, out of room. */
const BUSY_STATES = new Set(['57P03', '53300']);
/** Nobody listens, or another folder's server does: the pid file of a server that was killed stays behind. */
const NOT_RUNNING = new Set(['ECONNREFUSED', '28P01', '3D000']);

/** The desk on the tables of a folder whose Vuka does not answer: with a PostgreSQL that a killed one left, or one that is started and stopped again. Throws BootError where it cannot. */
export async function onTables<T>(
  folder: DataFolder,
  settings: DeskSettings,
  work: (desk: Desk) => Promise<T>,
): Promise<T> {
  await refuseOtherBuild(folder.path, 'VUKA_DATA_DIR');
  const secrets = await loadSecrets(folder, environmentOf(folder));
  const log = createLogger('desk', {
    level: 'fatal',
    destination: { write: (line) => void process.stderr.write(line) },
  });
  const groundOf = async (server: Server): Promise<(service: string) => DeskGround> =>
    groundsOf(server, folder, secrets, await termsFor(settings, folder), log);
  const running = runningServer(folder);
  const found = running && (await open(await groundOf(running), folder));
  const isRunning = (await holderOf(folder.path)) !== null;
  if (found) return workOn(found, folder, isRunning, work);
  const server = await startServer(folder, log);
  try {
    const opened = await open(await groundOf(server), folder);
    if (!opened)
      throw new BootError(
        'The database of this folder was started and does not let us in.',
        'Start Vuka on it once (npm start), and try again.',
      );
    return await workOn(opened, folder, false, work);
  } finally {
    await server.stop();
  }
}

async function workOn<T>(
  opened: OpenDesks,
  folder: DataFolder,
  isRunning: boolean,
  work: (desk: Desk) => Promise<T>,
): Promise<T> {
  try {
    return await work(new Desk(opened.desks, folder.path, isRunning));
  } finally {
    await opened.close();
  }
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

/** With the limits and fees of the settings that the desk was called with. */
async function termsFor(
  { settings: given }: DeskSettings,
  folder: DataFolder,
): Promise<Pick<DeskGround, 'settings' | 'currencies'>> {
  const settings = settingsIn(environmentOf(folder), given);
  return { settings, currencies: await loadTerms(settings) };
}

/** As they hold in the folder's environment, whatever the desk was called in: what is of the sandbox alone does not reach what is live. */
export function settingsIn(env: Settings['env'], settings: EmbeddedSettings): EmbeddedSettings {
  return { ...settings, env, webhookAllowPrivate: settings.webhookAllowPrivate && env === 'sandbox' };
}

function groundsOf(
  server: Server,
  folder: DataFolder,
  secrets: Secrets,
  terms: Pick<DeskGround, 'settings' | 'currencies'>,
  log: Logger,
): (service: string) => DeskGround {
  return (service) => ({
    ...terms,
    database: deskDatabase({ ...server, name: DATABASE }, service, secrets, log, STATEMENT_TIMEOUT_MS),
    get cipher() { return secrets.cipherOf(service); },
    get keyPepper() { return secrets.keyPepper; },
    clock: systemClock,
    log,
    rails: railsOf(folder),
  }); // prettier-ignore
}

/** undefined: nobody there whom this folder's logins open. */
async function open(groundOf: (service: string) => DeskGround, folder: DataFolder): Promise<OpenDesks | undefined> {
  try {
    return await openLocalDesks(groundOf, (desk) => wasStarted(desk, folder));
  } catch (error) {
    const code = (error as { code?: string }).code ?? '';
    if (NOT_RUNNING.has(code)) return undefined;
    if (BUSY_STATES.has(code))
      throw new BootError(`The database of ${folder.path} is starting, stopping or busy.`, 'Try again in a moment.', {
        cause: error,
      });
    throw error;
  }
}

/** Where a first start broke off, tables are missing that are asked for here; the next start makes them, not we. */
async function wasStarted(desk: { missingMigrations(): Promise<string[]> }, folder: DataFolder): Promise<void> {
  if ((await desk.missingMigrations()).length === 0) return;
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

/** A folder knows its environment; the desk works on either without being told. */
function environmentOf(folder: DataFolder): 'sandbox' | 'live' {
  const parsed = z.object({ env: z.literal('live') }).safeParse(parseJson(readFileSync(folder.secretsFile, 'utf8')));
  return parsed.success ? 'live' : 'sandbox';
}

/** The rails that the Vuka of this folder can call; in live there is none yet. */
function railsOf(folder: DataFolder): string[] {
  if (!existsSync(folder.railFile)) return [];
  const parsed = z
    .object({ others: z.array(z.object({ id: z.string() })).default([]) })
    .safeParse(parseJson(readFileSync(folder.railFile, 'utf8')));
  return [FIRST_RAIL, ...(parsed.success ? parsed.data.others.map(({ id }) => id) : [])];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
