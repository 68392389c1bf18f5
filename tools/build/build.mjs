import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

import { ROOT } from '../command/run.mjs';
import { TRANSPILE_OPTIONS } from './transpile-options.mjs';

export const MANIFEST = join(ROOT, 'node_modules/.cache/vuka-build.json');
const COMPILER = join(ROOT, 'node_modules/@swc/core/package.json');
/** Node reads every map of a start, and finds the sources beside it. */
const MAPS = { sourceMaps: true, inlineSourcesContent: false };
/** Changes whenever the same source could give another output. */
const RECIPE = [2, TRANSPILE_OPTIONS, MAPS];
const LEFT_OUT = /\.(spec|spec-support)\.ts$|\.d\.ts$/;

/**
 * Updates every project's dist/ from its src/ file by file, for `npm start` and end-to-end tests. Returns the number
 * of files written. Throws with the file's name for invalid TypeScript.
 */
export async function build() {
  const recipe = hash(JSON.stringify([RECIPE, JSON.parse(readFileSync(COMPILER, 'utf8')).version]));
  const { text: before, outputs: known } = await readManifest(recipe);
  const outputs = {};
  let written = 0;
  // Synchronous: with a thousand files, awaiting each would cost most of an up-to-date build's time.
  for (const source of sources()) {
    const output = outputOf(source);
    const stamp = stampOf(source);
    const isKept = known[output] !== undefined && known[output].mtimeMs === mtimeOf(output);
    if (isKept && known[output].stamp === stamp) {
      outputs[output] = known[output];
      continue;
    }
    const text = readFileSync(join(ROOT, source), 'utf8');
    const digest = hash(text);
    if (!isKept || known[output].digest !== digest) {
      await writeOutput(source, output, text);
      written += 1;
    }
    outputs[output] = { stamp, digest, mtimeMs: mtimeOf(output) };
  }
  const gone = Object.keys(known).filter((output) => !(output in outputs));
  for (const output of gone) for (const suffix of ['', '.map']) await rm(join(ROOT, output + suffix), { force: true });
  const after = JSON.stringify({ recipe, outputs });
  if (after === before) return written;
  await mkdir(dirname(MANIFEST), { recursive: true });
  await writeFile(MANIFEST, after);
  return written;
}

function sources() {
  const found = [];
  for (const group of ['libs', 'apps']) {
    for (const project of readdirSync(join(ROOT, group))) {
      const folder = join(ROOT, group, project, 'src');
      const names = existsSync(folder) ? readdirSync(folder, { recursive: true }) : [];
      found.push(
        ...names
          .filter((name) => /\.(ts|json|sql)$/.test(name) && !LEFT_OUT.test(name))
          .map((name) => join(group, project, 'src', name)),
      );
    }
  }
  return found;
}

function outputOf(source) {
  const [group, project, , ...path] = source.split(/[\\/]/);
  return [group, project, 'dist', ...path].join('/').replace(/\.ts$/, '.js');
}

async function writeOutput(source, output, text) {
  const file = join(ROOT, output);
  await mkdir(dirname(file), { recursive: true });
  if (!output.endsWith('.js')) return writeFile(file, text);
  // Loaded only where something changed.
  const { transform } = (await import('@swc/core')).default;
  const sourceFileName = relative(dirname(file), join(ROOT, source));
  const { code, map } = await transform(text, {
    ...TRANSPILE_OPTIONS,
    filename: source,
    sourceFileName,
    ...MAPS,
    swcrc: false,
  });
  await writeFile(`${file}.map`, map);
  await writeFile(file, `${code}//# sourceMappingURL=${output.split('/').pop()}.map\n`);
}

async function readManifest(recipe) {
  try {
    const text = await readFile(MANIFEST, 'utf8');
    const manifest = JSON.parse(text);
    if (manifest.recipe === recipe) return { text, outputs: manifest.outputs };
  } catch {
    // None, or none that can be read: everything is built.
  }
  return { text: '', outputs: {} };
}

/** Changes with the file; ctime also where a copy keeps the other times. */
function stampOf(source) {
  const { size, mtimeMs, ctimeMs } = statSync(join(ROOT, source));
  return [size, mtimeMs, ctimeMs].join(' ');
}

const mtimeOf = (output) => statSync(join(ROOT, output), { throwIfNoEntry: false })?.mtimeMs;

const hash = (text) => createHash('sha256').update(text).digest('base64url');
