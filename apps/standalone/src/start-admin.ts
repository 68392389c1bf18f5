import { LocalAdmin, adminDatabase } from '@vuka/admin';
import {
  type AdminServiceName,
  type DataFolder,
  operatorsOf,
  removeFolderAdmin,
  sandboxOperators,
  writeFolderAdmin,
  writeOperatorFiles,
} from '@vuka/data-folder';
import type { DatabaseConfig } from '@vuka/persistence';
import { systemClock } from '@vuka/runtime';
import type { AdminGround } from '@vuka/service-host';

import { loggerOf, type Ground } from './compose.js';

const DATABASE = 'vuka';
/** As long as a call may take. */
const STATEMENT_TIMEOUT_MS = 60_000;

/** Listens on this machine only, for readers of the folder's `admin.json`. */
export async function startAdmin(ground: Ground, folder: DataFolder): Promise<{ stop(): Promise<void> }> {
  const { env } = ground.settings;
  if (env === 'sandbox') await writeOperatorFiles(folder, sandboxOperators(ground.secrets));
  const admin = await LocalAdmin.start({
    groundOf: (service) => groundOf(ground, service),
    logOf: (service) => loggerOf(ground.settings, `${service}-admin`),
    log: loggerOf(ground.settings, 'admin'),
    isRunning: true,
    env,
    database: databaseOf(ground, 'admin'),
    operators: env === 'live' ? await operatorsOf(folder) : sandboxOperators(ground.secrets),
  });
  await writeFolderAdmin(folder, { operator: null, credential: admin.credential, url: admin.url });
  return {
    // Without its file, commands wait for the folder's lock.
    stop: async () => {
      await removeFolderAdmin(folder);
      await admin.stop();
    },
  };
}

function databaseOf(
  { settings, server, secrets }: Ground,
  service: AdminServiceName | 'admin',
): Omit<DatabaseConfig, 'migrations' | 'entities'> {
  const log = loggerOf(settings, `${service}-admin`);
  return adminDatabase(
    { host: server.host, port: server.port, name: DATABASE },
    service,
    secrets,
    log,
    STATEMENT_TIMEOUT_MS,
  );
}

function groundOf(ground: Ground, service: AdminServiceName): AdminGround {
  const {
    settings,
    currencies,
    secrets,
    providers: { providers, coverage, callbackTokens },
  } = ground;
  const log = loggerOf(settings, `${service}-admin`);
  return {
    settings,
    currencies,
    database: databaseOf(ground, service),
    get cipher() { return secrets.cipherOf(service); },
    webhookCipher: secrets.webhookCipher,
    get keyPeppers() { return secrets.keyPeppers; },
    clock: systemClock,
    log,
    providerIds: providers.map(({ id }) => id),
    providers,
    ...(callbackTokens && { callbackTokens }),
    coverage,
  }; // prettier-ignore
}
