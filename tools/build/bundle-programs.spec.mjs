import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, realpath, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { isProgram, OUTSIDE } from './bundle-programs.mjs';
import { ROOT } from '../command/run.mjs';

const WITHIN_MS = 60_000;
const BUNDLES = 'node_modules/.cache/vuka-programs';

const FILES = {
  'package.json': '{ "type": "module" }',
  'package-lock.json': '{}',
  'libs/chains/contracts/token.json': '{ "token": "USDC" }',
  'libs/chains/package.json': '{ "type": "module" }',
  'libs/chains/dist/other.js': 'export const Other = class Node { static it = 1 };',
  'libs/chains/dist/find.js': `
    import { readFileSync } from 'node:fs';
    import { fileURLToPath } from 'node:url';
    export const contract = JSON.parse(readFileSync(new URL('../contracts/token.json', import.meta.url), 'utf8'));
    export const nodeFile = fileURLToPath(new URL('./sandbox/solana/main.js', import.meta.url));
    export class Node {}`,
  'libs/chains/dist/sandbox/solana/main.js': 'process.stdout.write(JSON.stringify({ node: import.meta.url }));',
  'apps/gateway/dist/main.js': `
    import { execFileSync } from 'node:child_process';
    import { createRequire } from 'node:module';
    import kafkajs from 'kafkajs';
    import { contract, Node, nodeFile } from '../../../libs/chains/dist/find.js';
    import { Other } from '../../../libs/chains/dist/other.js';
    createRequire(import.meta.url)('kafkajs/inside').repaired = true;
    const later = await import('later');
    const modern = await import('modern');
    process.stdout.write(JSON.stringify({
      contract, nodeFile, me: [import.meta.url, import.meta.filename, import.meta.dirname], started: process.argv[1], child: JSON.parse(execFileSync(process.execPath, [nodeFile], { encoding: 'utf8' })),
      modern: [Object.keys(modern), modern.where],
      names: [Node.name, Other.name, new Node().constructor.name], repaired: kafkajs.inside.repaired,
      // Later versions of Node add one that is no name in a program.
      later: { names: Object.keys(later).filter((name) => name !== 'module.exports').sort(), where: later.where(), byDefault: later.default.where === later.where, esModule: later.default.__esModule },
    }));`,
  'node_modules/kafkajs/package.json': '{ "main": "index.js" }',
  'node_modules/kafkajs/inside.js': 'module.exports = { repaired: false };',
  'node_modules/kafkajs/index.js': "module.exports = { inside: require('./inside') };",
  'node_modules/modern/package.json': '{ "type": "module", "exports": "./index.js" }',
  'node_modules/modern/index.js':
    "import { dirname } from 'node:path';\nimport { fileURLToPath } from 'node:url';\nconst __dirname = dirname(fileURLToPath(import.meta.url));\nexport const where = __dirname;",
  'node_modules/later/package.json': '{ "main": "index.js" }',
  'node_modules/later/index.js':
    "Object.defineProperty(exports, '__esModule', { value: true });\nexports.where = () => [__dirname, __filename];\nexports.one = 1;",
};

let root;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'vuka-bundles-')));
  for (const [path, text] of Object.entries(FILES)) await put(path, text);
  await build('one');
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function put(path, text) {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

function build(digest, recipe = 'as ever') {
  const outputs = Object.fromEntries(
    Object.keys(FILES)
      .filter((path) => path.includes('/dist/'))
      .map((path) => [path, { digest, mtimeMs: statSync(join(root, path)).mtimeMs }]),
  );
  return put('node_modules/.cache/vuka-build.json', JSON.stringify({ recipe, outputs }));
}

const node = async (...args) => (await promisify(execFile)(process.execPath, args, { cwd: root })).stdout;

async function bundle(times = 1) {
  const script = `
    import { bundlePrograms } from ${JSON.stringify(pathToFileURL(join(ROOT, 'tools/build/bundle-programs.mjs')).href)};
    const made = await Promise.all(Array.from({ length: ${times} }, () => bundlePrograms({ root: process.cwd() })));
    process.stdout.write(JSON.stringify(made));`;
  return JSON.parse(await node('--input-type=module', '-e', script));
}

describe('programs as bundles', () => {
  it(
    'behave like the files: find each other and their assets, keep names, repair the one package, load by name',
    async () => {
      const [place] = await bundle();
      const asFiles = JSON.parse(await node('apps/gateway/dist/main.js'));
      expect(asFiles).toMatchObject({
        names: ['Node', 'Node', 'Node'],
        repaired: true,
        contract: { token: 'USDC' },
        later: { byDefault: true, esModule: true },
      });
      const asBundle = JSON.parse(await node(join(place, 'apps/gateway/dist/main.js')));
      expect(asBundle).toEqual({
        ...JSON.parse(JSON.stringify(asFiles).replaceAll(root, place)),
        later: asFiles.later,
        modern: asFiles.modern,
      });
    },
    WITHIN_MS,
  );

  it(
    'are made once for a build, by however many at once, and appear whole',
    async () => {
      const [first, ...others] = await bundle(3);
      expect(new Set(others)).toEqual(new Set([first]));
      expect(await readdir(join(root, BUNDLES))).toHaveLength(1);
      await writeFile(join(first, 'mark'), '');
      expect(await bundle()).toEqual([first]);
      expect(await readdir(first)).toContain('mark');
    },
    WITHIN_MS,
  );

  it(
    'are made again for another build, and the last few are kept for whoever runs them',
    async () => {
      const made = [];
      for (const [digest, recipe] of [['one'], ['two'], ['three'], ['four'], ['four', 'another']]) {
        await build(digest, recipe);
        made.push(...(await bundle()));
      }
      expect(new Set(made).size).toBe(5);
      const kept = (await readdir(join(root, BUNDLES))).map((name) => join(root, BUNDLES, name));
      expect(new Set(kept)).toEqual(new Set(made.slice(1)));
    },
    WITHIN_MS,
  );
});

describe('a build that changes while it is bundled', () => {
  it(
    'is refused, and nothing of it stays',
    async () => {
      await utimes(join(root, 'libs/chains/dist/other.js'), new Date(), new Date(1));
      await expect(bundle()).rejects.toThrow('Run this again when nothing else builds here');
      expect(await readdir(join(root, BUNDLES))).toEqual([]);
    },
    WITHIN_MS,
  );
});

describe('what is bundled', () => {
  it('is every program that one of ours starts or has loaded by its path', async () => {
    const wanted = [];
    for (const group of ['apps', 'libs']) {
      const sources = (await readdir(join(ROOT, group), { recursive: true })).filter((path) =>
        /^[\w-]+\/src\/.*(?<!\.spec|\.spec-support)\.ts$/.test(path),
      );
      for (const source of sources) {
        const text = await readFile(join(ROOT, group, source), 'utf8');
        const built = join(group, source.replace('/src/', '/dist/'));
        for (const [, path] of text.matchAll(/new URL\(['`]([^'`]+\.js)['`], import\.meta\.url\)/g))
          wanted.push(join(dirname(built), path));
        for (const [, path] of text.matchAll(/'(dist\/[^']+\.js)'/g)) wanted.push(join('apps/payments', path));
        for (const [, path] of text.matchAll(/['`](apps\/[^'`]+\/dist\/[^'`]+\.js)['`]/g)) wanted.push(path);
      }
    }
    expect(wanted).toEqual(
      expect.arrayContaining([
        'apps/stack/dist/supervisor-main.js',
        'apps/stack/dist/child-guard.js',
        'libs/service-host/dist/index.js',
      ]),
    );
    expect(wanted.filter((path) => !isProgram(path))).toEqual([]);
  });

  it('leaves outside what is installed once, for every package that asks for it', async () => {
    const { packages } = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8'));
    const installed = Object.keys(packages).map((path) => path.split('node_modules/'));
    const often = OUTSIDE.filter((name) => installed.some(([, ...names]) => names.length > 1 && names.at(-1) === name));
    expect(often).toEqual([]);
  });
});
