import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { BootError } from '@vuka/runtime';

export const DEFAULT_STACK_FOLDER = '.vuka-stack';
export const STACK_FOLDER_VARIABLE = 'VUKA_STACK_DIR';
/** What every folder of a stack has, and no other. */
export const STACK_FILE = 'stack.json';

/** The folder alone, for commands that only look: VUKA_STACK_DIR, else VUKA_DATA_DIR, else `.vuka-stack`. */
export function stackFolder(env: NodeJS.ProcessEnv): string {
  return resolve(env[STACK_FOLDER_VARIABLE] || env['VUKA_DATA_DIR'] || DEFAULT_STACK_FOLDER);
}

/** A stack's events are with its broker, and one process knows nothing of them. Throws BootError. */
export function refuseStackFolder(path: string): void {
  if (existsSync(join(path, STACK_FILE)))
    throw new BootError(
      `${path} is the folder of a stack.`,
      'npm run stack starts it; or give this Vuka a folder of its own with VUKA_DATA_DIR.',
    );
}
