import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Where tools/test/test.mjs keeps one for its whole run: a PostgreSQL folder as it is after initdb and a clean stop. */
const READY = 'VUKA_TEST_CLUSTER';

const copy = promisify(execFile);

/**
 * Puts a copy of the run's ready cluster where a PostgreSQL is about to be started for the first time: initdb takes over a second of a
 * processor. Does nothing where there is none, or where the folder has one already.
 */
export async function bringCluster(folder: string, ready = process.env[READY]): Promise<void> {
  if (ready === undefined || existsSync(join(folder, 'data'))) return;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // As it is: PostgreSQL's own account owns the files where we are root. The password first, as ServerFolder has it.
  for (const name of ['password', 'data']) await copy('cp', ['-a', join(ready, name), join(folder, name)]);
}
