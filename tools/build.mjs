import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

import { ROOT } from './run.mjs';
import { TRANSPILE_OPTIONS } from './transpile-options.mjs';

const MANIFEST = join(ROOT, 'node_modules/.cache/vuka-build.json');
/** Changes whenever an output could differ for the same source. */
const RECIPE = [1, TRANSPILE_OPTIONS];
const LEFT_OUT = /\.(spec|spec-support)\.ts$|\.d\.ts$/;

/**
 * Brings every project's dist/ up to date with its src/, one file at a time, within a second or two from nothing:
 * what `npm start` and the end-to-end tests run. Answers how many files were written. Throws with the file's name
 * where a source cannot be read as TypeScript.
 */
export async function build() {
  const { transform, version } = (await import('@swc/core')).default;
  const recipe = hash(JSON.stringify([RECIPE, version]));
  const known = await readManifest(recipe);
  const outputs = {};
  let written = 0;
  for (const source of await sources()) {
    const text = await readFile(join(ROOT, source), 'utf8');
    const output = outputOf(source);
    const digest = hash(text);
    if (known[output]?.digest !== digest || known[output].mtimeMs !== (await mtimeOf(output))) {
      await writeOutput(source, output, text, transform);
      written += 1;
    }
    outputs[output] = { digest, mtimeMs: await mtimeOf(output) };
  }
  const gone = Object.keys(known).filter((output) => !(output in outputs));
  for (const output of gone) for (const suffix of ['', '.map']) await rm(join(ROOT, output + suffix), { force: true });
  await mkdir(dirname(MANIFEST), { recursive: true });
  await writeFile(MANIFEST, JSON.stringify({ recipe, outputs }));
  return written;
}

async function sources() {
  const found = [];
  for (const group of ['libs', 'apps']) {
    for (const project of await readdir(join(ROOT, group))) {
      const names = await readdir(join(ROOT, group, project, 'src'), { recursive: true }).catch(() => []);
      found.push(...names.filter((name) => /\.(ts|json)$/.test(name) && !LEFT_OUT.test(name)).map((name) => join(group, project, 'src', name)));
    }
  }
  return found;
}

function outputOf(source) {
  const [group, project, , ...path] = source.split(/[\\/]/);
  return [group, project, 'dist', ...path].join('/').replace(/\.ts$/, '.js');
}

async function writeOutput(source, output, text, transform) {
  const file = join(ROOT, output);
  await mkdir(dirname(file), { recursive: true });
  if (output.endsWith('.json')) return writeFile(file, text);
  const sourceFileName = relative(dirname(file), join(ROOT, source));
  const { code, map } = await transform(text, { ...TRANSPILE_OPTIONS, filename: source, sourceFileName, sourceMaps: true, swcrc: false });
  await writeFile(`${file}.map`, map);
  await writeFile(file, `${code}//# sourceMappingURL=${output.split('/').pop()}.map\n`);
}

async function readManifest(recipe) {
  try {
    const manifest = JSON.parse(await readFile(MANIFEST, 'utf8'));
    return manifest.recipe === recipe ? manifest.outputs : {};
  } catch {
    return {};
  }
}

const mtimeOf = (output) => stat(join(ROOT, output)).then(({ mtimeMs }) => mtimeMs, () => undefined);

const hash = (text) => createHash('sha256').update(text).digest('base64url');
