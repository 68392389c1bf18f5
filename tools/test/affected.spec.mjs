import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { ROOT, runScript } from '../command/run.mjs';

const projectOf = (folder) => JSON.parse(readFileSync(join(ROOT, folder, 'project.json'), 'utf8'));
const filesOf = (folder) => readdirSync(join(ROOT, folder), { recursive: true }).map((path) => join(folder, path));
const folders = ['libs', 'apps']
  .flatMap((group) => readdirSync(join(ROOT, group)).map((name) => join(group, name)))
  .filter((folder) => existsSync(join(ROOT, folder, 'project.json')));

async function affectedBy(file) {
  const lines = [];
  const options = ['show', 'projects', '--affected', '--withTarget=test', '--json', `--files=${file}`];
  const { code } = await runScript('node_modules/nx/dist/bin/nx.js', options, {
    env: { NX_DAEMON: 'false', NX_NO_CLOUD: 'true' },
    onLine: (line) => lines.push(line),
  });
  expect({ code, lines }).toEqual({ code: 0, lines: [expect.stringMatching(/^\[.*\]$/)] });
  return JSON.parse(lines[0]).sort();
}

describe('the tests that a change affects', () => {
  it("of a service's are its own and those of what composes and starts it", async () => {
    const projects = await affectedBy('apps/checkout/src/main.ts');
    expect(projects).toEqual(expect.arrayContaining(['checkout', 'conventions', 'e2e', 'standalone', 'tools']));
    expect(
      projects.filter((name) => /^(gateway|payments|offramp|notifier|validation|domain|docs)$/.test(name)),
    ).toEqual([]);
  });

  it("of a library's are its own and those of who uses it", async () => {
    const projects = await affectedBy('libs/jobs/src/index.ts');
    expect(projects).toEqual(
      expect.arrayContaining(['jobs', 'service-host', 'gateway', 'payments', 'offramp', 'checkout', 'notifier', 'e2e']),
    );
    expect(projects.filter((name) => /^(domain|config|contracts|chains|payouts|runtime|docs)$/.test(name))).toEqual([]);
  });

  it.each([
    ['docs/decisions/README.md', ['conventions', 'docs']],
    ['tools/lint/conventions.mjs', ['conventions']],
    ['tools/bench/bench.mjs', ['conventions', 'tools']],
  ])('of %s are those of %j alone', async (file, projects) => {
    expect(await affectedBy(file)).toEqual(projects);
  });

  it("of the runner's own settings are those of every project with suites", async () => {
    const isSuite = (path) => /\/src\/.*\.spec\.ts$|^tools\/.*\.spec\.mjs$/.test(path);
    const withSuites = [...folders, 'tools', 'tools/lint'].filter((folder) => filesOf(folder).some(isSuite));
    expect(await affectedBy('jest.config.js')).toEqual(
      expect.arrayContaining(withSuites.map((folder) => projectOf(folder).name)),
    );
  });

  it('of a page are those of every suite that reads one', () => {
    const READS = /(?:join\([^)]*|new URL\(|\bread\()'(?:\.\.\/)*(?:docs\/|README\.md|docker-compose\.yml|deploy\/)/;
    const readers = [...folders.map((folder) => join(folder, 'src')), 'tools']
      .flatMap(filesOf)
      .filter((path) => /\.(spec|spec-support)\.(ts|mjs)$/.test(path) && !path.startsWith('tools/lint/'))
      .filter((path) => READS.test(readFileSync(join(ROOT, path), 'utf8')));
    expect(readers.length).toBeGreaterThan(9);
    const patterns = projectOf('docs').targets.test.command.split(' ').slice(2);
    const suites = readers.map((path) => path.replace('.spec-support.', '.spec.'));
    expect(suites.filter((path) => !patterns.some((pattern) => new RegExp(pattern).test(path)))).toEqual([]);
  });
});
