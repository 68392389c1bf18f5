// `npm run build` in a copy of the sources, beside the build that runs: what the compiler emits, without writing over what `npm start` runs from.
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';

import { say } from '../command/progress.mjs';
import { ROOT, runScript } from '../command/run.mjs';

/** Inside node_modules: what is built there finds its packages upwards, and its own of the workspace beside it. */
export const COMPILED = join(ROOT, 'node_modules/.cache/vuka-compiled');

const SETTINGS = ['package.json', 'tsconfig.base.json', 'tsconfig.build.json', 'tsconfig.json'];
const COMPILER = ['typescript-7'];

/** Brings the copy up to date and builds it: types are `npm run typecheck`'s to check. */
export async function compileCopy() {
  const isSource = (from) => !['dist', 'node_modules', 'coverage'].includes(basename(from));
  for (const part of ['apps', 'libs']) removeGone(join(ROOT, part), join(COMPILED, part));
  for (const part of ['apps', 'libs', 'tools/build', ...SETTINGS])
    cpSync(join(ROOT, part), join(COMPILED, part), { recursive: true, preserveTimestamps: true, filter: isSource });
  linkPackages();
  const { code } = await runScript(join(COMPILED, 'tools/build/compile.mjs'), ['--noCheck'], { onLine: say });
  if (code !== 0) throw new Error('the compiler did not build the copy');
}

/** What is no source any more: its output would be taken for one that is. */
function removeGone(from, into) {
  if (!existsSync(into)) return;
  for (const name of readdirSync(into, { recursive: true })) {
    const isOutput = name.split('/').includes('dist');
    if (!isOutput && !existsSync(join(from, name))) rmSync(join(into, name), { recursive: true, force: true });
  }
}

/** The workspace's own are those of the copy. */
function linkPackages() {
  const packages = join(COMPILED, 'node_modules');
  rmSync(packages, { recursive: true, force: true });
  mkdirSync(join(packages, '@vuka'), { recursive: true });
  for (const name of COMPILER) symlinkSync(join(ROOT, 'node_modules', name), join(packages, name));
  for (const group of ['apps', 'libs'])
    for (const name of readdirSync(join(COMPILED, group)))
      symlinkSync(join('../..', group, name), join(packages, '@vuka', name));
}
