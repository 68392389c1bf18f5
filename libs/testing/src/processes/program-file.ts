import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

export const PROGRAMS = process.env['VUKA_TEST_PROGRAMS'] || ROOT;

export const AS_BUNDLES = PROGRAMS !== ROOT;

export function programFile(path: string): string {
  const file = join(PROGRAMS, path);
  if (!existsSync(file)) throw new Error(`${file} is missing: build first (npm run build)`);
  return file;
}
