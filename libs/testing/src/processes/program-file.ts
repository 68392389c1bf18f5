import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

/** Where built programs lie: in the project's folder, or as bundles, by the same paths, in one that tools/build/bundle-programs.mjs made. */
export const PROGRAMS = process.env['VUKA_TEST_PROGRAMS'] || ROOT;

/** Programs run as bundles: what a suite asks of `npm run …` can be asked of them, without the look whether everything is built. */
export const AS_BUNDLES = PROGRAMS !== ROOT;

/** A program by its path in the project. Throws where it is not built. */
export function programFile(path: string): string {
  const file = join(PROGRAMS, path);
  if (!existsSync(file)) throw new Error(`${file} is missing: build first (npm run build)`);
  return file;
}
