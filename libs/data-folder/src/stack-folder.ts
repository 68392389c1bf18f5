import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { BootError } from '@vuka/runtime';

export const DEFAULT_STACK_FOLDER = '.vuka-stack';
export const STACK_FOLDER_VARIABLE = 'VUKA_STACK_DIR';
/** In every stack folder and no other. */
export const STACK_FILE = 'stack.json';

export function stackFolder(env: NodeJS.ProcessEnv): string {
  return resolve(env[STACK_FOLDER_VARIABLE] || env['VUKA_DATA_DIR'] || DEFAULT_STACK_FOLDER);
}

/** One process cannot read a stack's events, which are on its broker. Throws BootError. */
export function refuseStackFolder(path: string): void {
  if (existsSync(join(path, STACK_FILE)))
    throw new BootError(
      `${path} is the folder of a stack.`,
      'Start it with npm run stack. Or set VUKA_DATA_DIR to another folder for this Vuka.',
    );
}
