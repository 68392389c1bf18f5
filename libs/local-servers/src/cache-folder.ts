import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Shared by all checkouts of this user: `VUKA_CACHE_DIR`, else ~/.cache/vuka. */
export async function cacheFolder(name: string, env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const root = env['VUKA_CACHE_DIR'] || join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'vuka');
  const folder = join(root, name);
  await mkdir(folder, { recursive: true });
  return folder;
}
