import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import {
  type AdminFile,
  type DataFolder,
  type FolderLock,
  openDataFolder,
  readAdminFile,
  refuseOtherBuild,
  runningAdmin,
  tryLockFolder,
} from '@vuka/data-folder';
import { BootError } from '@vuka/runtime';

import type { Admin } from './admin-client.js';
import { callAdmin, signerOf } from './call-admin.js';
import type { CliSettings } from './cli-settings.js';

/** For another command, or a Vuka that starts or stops there. */
const WAIT_MS = 30_000;
const LOOK_AGAIN_MS = 200;

/**
 * Runs `work` with the admin that `settings` point to: by VUKA_ADMIN_FILE, or on the folder.
 * If no Vuka runs on the folder, admin is started in this process, under the folder's lock, and stopped again. Throws
 * BootError.
 */
export async function withAdmin<T>(
  settings: CliSettings,
  tell: (line: string) => void,
  work: (admin: Admin) => Promise<T>,
): Promise<T> {
  const { dataDir, adminFile, person, sealedFile } = settings;
  if (sealedFile !== null) return withSealed(sealedFile, settings, work);
  if (adminFile !== null) return withRunning({ ...(await readAdminFile(adminFile)), ...person }, adminFile, work);
  if (!existsSync(join(dataDir, 'postgres/data')) || !existsSync(join(dataDir, 'secrets.json'))) {
    throw new BootError(
      `There is no data folder of Vuka at ${dataDir}.`,
      'Set VUKA_DATA_DIR to the data folder; `npm start` makes one. For services on other machines, set VUKA_ADMIN_FILE.',
    );
  }
  // Checked before the lock is taken, so that another build's folder and its lock stay unchanged.
  await refuseOtherBuild(dataDir, 'VUKA_DATA_DIR');
  const folder = await openDataFolder(dataDir);
  const reached = await reach(folder, tell);
  if ('running' in reached) return withRunning({ ...reached.running, ...person }, folder.path, work);
  try {
    return await withOwn(folder, settings, work);
  } finally {
    await reached.lock.release();
  }
}

/** The name in audit entries; null: --by gives it. */
export async function operatorOf({ adminFile, person }: CliSettings): Promise<string | null> {
  if (person !== null) return person.operator;
  return adminFile === null ? null : (await readAdminFile(adminFile)).operator;
}

/**
 * The folder's running admin, or else the folder's lock. Throws BootError if the folder stays in use by somebody who
 * takes no commands.
 */
async function reach(
  folder: DataFolder,
  tell: (line: string) => void,
): Promise<{ readonly running: AdminFile } | { readonly lock: FolderLock }> {
  const giveUpAt = performance.now() + WAIT_MS;
  for (let tries = 0; ; tries += 1) {
    const running = await runningAdmin(folder);
    if (running !== null) return { running };
    const taken = await tryLockFolder(folder.path);
    if ('lock' in taken) return taken;
    const who = `process ${String(taken.holderPid)} uses ${folder.path} and does not answer commands`;
    if (performance.now() > giveUpAt)
      throw new BootError(
        `Nothing was done: ${who}.`,
        'It is another command, or a Vuka that is starting, stopping or hanging. Try again when it has ended.',
      );
    if (tries === 0) tell(`… ${who}: waiting`);
    await pause(LOOK_AGAIN_MS);
  }
}

/** Loaded only then. */
async function withSealed<T>(
  path: string,
  { adminFile, person }: CliSettings,
  work: (admin: Admin) => Promise<T>,
): Promise<T> {
  const own = person ?? (adminFile === null ? null : await readAdminFile(adminFile));
  if (own === null || own.operator === null)
    throw new BootError('Without admin a person needs a name.', 'Name your own file by VUKA_ADMIN_FILE or --as.');
  const { breakGlass } = await import('./break-glass.js');
  const { admin, close } = await breakGlass(path, own.operator, signerOf(own.operator, own.signing_seed));
  try {
    return await work(admin);
  } finally {
    await close();
  }
}

async function withRunning<T>(file: AdminFile, where: string, work: (admin: Admin) => Promise<T>): Promise<T> {
  const { admin, close } = callAdmin(file, { where, isRunning: true });
  try {
    return await work(admin);
  } finally {
    await close();
  }
}

async function withOwn<T>(
  folder: DataFolder,
  { settings, person }: CliSettings,
  work: (admin: Admin) => Promise<T>,
): Promise<T> {
  // Loaded only here, because loading the services' tables takes longer than most commands.
  const { startFolderAdmin } = await import('@vuka/admin/folder-admin');
  const own = await startFolderAdmin(folder, settings);
  try {
    const { admin, close } = callAdmin(
      { operator: null, url: own.url, credential: own.credential, ...person },
      { where: folder.path, isRunning: false },
    );
    try {
      return await work(admin);
    } finally {
      await close();
    }
  } finally {
    await own.close();
  }
}
