import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { type AdminFile, openDataFolder, readAdminFile, runningAdmin } from '@vuka/data-folder';
import { BootError } from '@vuka/runtime';

import { openRemoteDesks } from './remote-desks.js';
import type { DeskSettings } from './desk-settings.js';
import { Desk } from './desk.js';

/**
 * Opens the desk where `settings` say that Vuka is, does `work`, and leaves everything as it was. Services elsewhere: through the file that names them
 * (VUKA_ADMIN_FILE). A folder: through the Vuka that works on it; else on its tables, with a PostgreSQL that a killed one left, or one that is started and stopped again.
 * Throws BootError where it cannot.
 */
export async function withDesk<T>(settings: DeskSettings, work: (desk: Desk) => Promise<T>): Promise<T> {
  if (settings.adminFile !== null)
    return withServices(await readAdminFile(settings.adminFile), settings.adminFile, work);
  const { dataDir } = settings;
  if (!existsSync(join(dataDir, 'postgres/data')) || !existsSync(join(dataDir, 'secrets.json'))) {
    throw new BootError(
      `There is no Vuka in ${dataDir}.`,
      'VUKA_DATA_DIR names the data folder to look at; `npm start` makes one. Services elsewhere: VUKA_ADMIN_FILE.',
    );
  }
  const folder = await openDataFolder(dataDir);
  const admin = await runningAdmin(folder);
  if (admin !== null) return withServices(admin, folder.path, work);
  // With all that the services know of their tables, which takes longer to load than most commands take.
  const { onTables } = await import('./desk-on-tables.js');
  return onTables(folder, settings, work);
}

/** Whose name goes on the record of what is done through VUKA_ADMIN_FILE; null: whoever says by --by who they are. */
export async function operatorOf({ adminFile }: DeskSettings): Promise<string | null> {
  return adminFile === null ? null : (await readAdminFile(adminFile)).operator;
}

/** Everything is asked of the services themselves. */
async function withServices<T>(admin: AdminFile, where: string, work: (desk: Desk) => Promise<T>): Promise<T> {
  const remote = openRemoteDesks(admin);
  try {
    return await work(new Desk(remote.desks, where, true));
  } finally {
    await remote.close();
  }
}
