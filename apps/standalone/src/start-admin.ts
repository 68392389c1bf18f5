import { LocalAdmin, adminDatabase } from '@vuka/admin';
import { type AdminServiceName, type DataFolder, removeFolderAdmin, writeFolderAdmin } from '@vuka/data-folder';
import { systemClock } from '@vuka/runtime';
import type { AdminGround } from '@vuka/service-host';

import { loggerOf, type Ground } from './compose.js';

const DATABASE = 'vuka';
/** As long as a call may take. */
const STATEMENT_TIMEOUT_MS = 60_000;

/** Listens on this machine only, for readers of the folder's `admin.json`. */
export async function startAdmin(ground: Ground, folder: DataFolder): Promise<{ stop(): Promise<void> }> {
  const admin = await LocalAdmin.start({
    groundOf: (service) => groundOf(ground, service),
    logOf: (service) => loggerOf(ground.settings, `${service}-admin`),
    log: loggerOf(ground.settings, 'admin'),
    isRunning: true,
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

function groundOf(
  { settings, currencies, server, secrets, providers: { providers, coverage, callbackTokens } }: Ground,
  service: AdminServiceName,
): AdminGround {
  const log = loggerOf(settings, `${service}-admin`);
  return {
    settings,
    currencies,
    database: adminDatabase({ host: server.host, port: server.port, name: DATABASE }, service, secrets, log, STATEMENT_TIMEOUT_MS),
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
