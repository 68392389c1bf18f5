import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Made by tools/test/test.mjs: after initdb and a clean stop. */
const READY = 'VUKA_TEST_CLUSTER';

const copy = promisify(execFile);

/** initdb takes over 1 s. Does nothing without a copy, or if the folder has a cluster. */
export async function bringCluster(folder: string, ready = process.env[READY]): Promise<void> {
  if (ready === undefined || existsSync(join(folder, 'data'))) return;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Keeps owners. Password first, as ServerFolder.
  for (const name of ['password', 'data']) await copy('cp', ['-a', join(ready, name), join(folder, name)]);
}
