// Builds a copy of the sources with the compiler for `npm run build`, so that the files that `npm start` runs are not
// overwritten.
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';

import { say } from '../command/progress.mjs';
import { ROOT, runScript } from '../command/run.mjs';

/** Inside node_modules, so that its packages are found upwards. */
export const COMPILED = join(ROOT, 'node_modules/.cache/vuka-compiled');

const SETTINGS = ['package.json', 'tsconfig.base.json', 'tsconfig.build.json', 'tsconfig.json'];
const COMPILER = ['typescript-7'];

export async function compileCopy() {
  const isSource = (from) => !['dist', 'node_modules', 'coverage'].includes(basename(from));
  for (const part of ['apps', 'libs']) removeGone(join(ROOT, part), join(COMPILED, part));
  for (const part of ['apps', 'libs', 'tools/build', ...SETTINGS])
    cpSync(join(ROOT, part), join(COMPILED, part), { recursive: true, preserveTimestamps: true, filter: isSource });
  linkPackages();
  const { code } = await runScript(join(COMPILED, 'tools/build/compile.mjs'), ['--noCheck'], { onLine: say });
  if (code !== 0) throw new Error('the compiler did not build the copy');
}

function removeGone(from, into) {
  if (!existsSync(into)) return;
  for (const name of readdirSync(into, { recursive: true })) {
    const isOutput = name.split('/').includes('dist');
    if (!isOutput && !existsSync(join(from, name))) rmSync(join(into, name), { recursive: true, force: true });
  }
}

function linkPackages() {
  const packages = join(COMPILED, 'node_modules');
  rmSync(packages, { recursive: true, force: true });
  mkdirSync(join(packages, '@vuka'), { recursive: true });
  for (const name of COMPILER) symlinkSync(join(ROOT, 'node_modules', name), join(packages, name));
  for (const group of ['apps', 'libs'])
    for (const name of readdirSync(join(COMPILED, group)))
      symlinkSync(join('../..', group, name), join(packages, '@vuka', name));
}
