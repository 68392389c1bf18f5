import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, describe, expect, it } from '@jest/globals';

import { ROOT, runScript } from '../command/run.mjs';

const OWN = 'export const seen = [];\n';
const PACKAGE = `exports.suites = [];
process.on('SIGUSR2', exports.listener = () => undefined);
exports.failing = () => { throw new TypeError('of a package'); };
`;
const SUITE = `import { writeFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import counted from 'counted';
import { seen } from './own.mjs';

counted.suites.push(import.meta.filename);
writeFileSync(new URL('suites.json', import.meta.url), JSON.stringify(counted.suites));

it('finds what is its own as it is in the file', () => {
  expect(seen).toEqual([]);
  seen.push('me');
});

it('finds the globals, the process and its variables as they were, and leaves them otherwise', () => {
  expect([globalThis.left, process.left, process.env.LEFT]).toEqual([undefined, undefined, undefined]);
  expect(fetch).not.toBe(isNaN);
  expect(process.cwd).not.toBe(isNaN);
  expect(process.listeners('SIGUSR2')).toEqual([counted.listener]);
  process.on('SIGUSR2', isNaN);
  globalThis.left = process.left = process.env.LEFT = 'left';
  globalThis.fetch = process.cwd = isNaN;
  process.exitCode = 7;
});

it('is of one realm with packages, Node and what the language makes', () => {
  expect(counted.failing).toThrow(TypeError);
  expect([JSON.parse('{}') instanceof Object, [] instanceof Array, (async () => {})() instanceof Promise]).toEqual([true, true, true]);
});
`;

describe('the runtime of the tests', () => {
  let folder;
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('shares packages between the suites of a process, and nothing else', async () => {
    folder = await mkdtemp(join(tmpdir(), 'vuka-runtime-'));
    await mkdir(join(folder, 'node_modules/counted'), { recursive: true });
    await writeFile(join(folder, 'node_modules/counted/index.js'), PACKAGE);
    await writeFile(join(folder, 'own.mjs'), OWN);
    for (const name of ['one', 'two']) await writeFile(join(folder, `${name}.spec.mjs`), SUITE);
    const config = {
      rootDir: folder,
      testEnvironment: join(ROOT, 'tools/test/test-environment.js'),
      runtime: join(ROOT, 'tools/test/test-runtime.js'),
      testMatch: ['**/*.spec.mjs'],
      transform: {},
    };
    const report = join(folder, 'report.json');
    const lines = [];

    const { code } = await runScript(
      'node_modules/jest/bin/jest.js',
      ['--config', JSON.stringify(config), '-i', '--json', '--outputFile', report],
      { nodeFlags: ['--experimental-vm-modules'], onLine: (line) => lines.push(line) },
    );

    expect({ code, lines: code === 0 ? [] : lines }).toEqual({ code: 0, lines: [] });
    expect(JSON.parse(await readFile(report, 'utf8'))).toMatchObject({ numPassedTests: 6, numTotalTests: 6 });
    expect(JSON.parse(await readFile(join(folder, 'suites.json'), 'utf8'))).toHaveLength(2);
  });
});
