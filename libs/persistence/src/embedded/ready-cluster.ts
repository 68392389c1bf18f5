import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Made by tools/test/test.mjs: a folder after initdb and a clean stop. */
const READY = 'VUKA_TEST_CLUSTER';

const copy = promisify(execFile);

/**
 * Copies it into a new folder, because initdb takes over 1 s. Does nothing if there is no copy or the folder
 * has a cluster.
 */
export async function bringCluster(folder: string, ready = process.env[READY]): Promise<void> {
  if (ready === undefined || existsSync(join(folder, 'data'))) return;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Keeps owners, for runs as root. The password first, as ServerFolder does.
  for (const name of ['password', 'data']) await copy('cp', ['-a', join(ready, name), join(folder, name)]);
}
