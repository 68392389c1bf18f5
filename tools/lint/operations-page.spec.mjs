import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { ROOT } from '../command/run.mjs';
import { listFiles } from '../command/list-files.mjs';

// docs/operators is used in emergencies: what it names must exist, and all that exists must be named.
const read = (path) => readFile(join(ROOT, path), 'utf8');
const page = await read('docs/operators/settings.md');
const pages = await Promise.all(
  (await listFiles('docs/operators')).map(async (path) => ({ path, text: await read(path) })),
);
const [, table] = /<!-- settings:begin -->([\s\S]*)<!-- settings:end -->/.exec(page);
const rows = [...table.matchAll(/^\| `([A-Z_]+)` \| ([^|]*) \| ([^|]*) \|/gm)].map(([, name, who, byDefault]) => ({
  name,
  who,
  byDefault: byDefault.trim(),
}));

async function parsed(path) {
  const [, object] = /^(?:export )?const variables = z\.object\(\{([\s\S]*?)^\}/m.exec(await read(path));
  const members = object
    .split(/^(?= {2}[A-Z][A-Z_]+: )/m)
    .flatMap((text) => (/^ {2}([A-Z_]+): /.exec(text) ? [[/^ {2}([A-Z_]+): /.exec(text)[1], text]] : []));
  return Object.fromEntries(members);
}

const settings = {
  ...(await parsed('libs/config/src/settings-variables.ts')),
  ...(await parsed('libs/service-host/src/process/service-settings.ts')),
};
const byEnvironment = Object.fromEntries(
  [
    ...(await read('libs/config/src/server-prefixes.ts')).matchAll(/(VUKA_\w+): \{\s*byDefault: \(env\) => `([^`]+)`/g),
  ].map(([, name, value]) => [name, value.replace('${env}', '<env>')]),
);
const EMBEDDED = ['VUKA_DATA_DIR', 'VUKA_ADMIN_FILE', 'VUKA_SANDBOX_CHAINS', 'VUKA_TEST_PARTNERS'];

describe('docs/operators/settings.md', () => {
  it('lists every setting of a service, and no other', () => {
    expect(Object.keys(settings).length).toBeGreaterThan(30);
    const names = rows.map(({ name }) => name);
    expect(names.filter((name, place) => names.indexOf(name) !== place)).toEqual([]);
    expect([...names].sort()).toEqual(
      Object.keys(settings)
        .filter((name) => !EMBEDDED.includes(name))
        .sort(),
    );
  });

  it.each(rows)('gives $name the default that the parser gives it', ({ name, byDefault }) => {
    const [, literal, rate] = /\.default\('?([^')]*)'?\)|rateLimit\('\w+', '([^']+)'\)/.exec(settings[name]) ?? [];
    const found = rate ?? literal ?? byEnvironment[name];
    if (found === undefined) expect(byDefault).not.toMatch(/^`/);
    else expect(byDefault).toBe(found === '' ? "`''`" : `\`${found}\``);
  });

  it('gives what stands by the environment as such', () => {
    expect(Object.keys(byEnvironment).sort()).toEqual(['VUKA_KAFKA_PREFIX', 'VUKA_REDIS_PREFIX']);
  });

  it('names metrics that are counted', async () => {
    const named = new Set(
      pages
        .map(({ text }) => text)
        .join('\n')
        .match(/\bvuka_[a-z_]+\b/g)
        .filter((name) => !/^vuka_(owners|(gateway|payments|offramp|checkout|notifier|admin)(_owner)?)$/.test(name)),
    );
    const sources = (await listFiles('libs'))
      .concat(await listFiles('apps'))
      .filter((path) => /\/src\/.*(?<!spec|spec-support)\.ts$/.test(path));
    const counted = new Set();
    for (const path of sources)
      for (const [, name] of (await read(path)).matchAll(
        /'(vuka_[a-z_]+_(?:seconds|total|blocks|events|calls|state|ready|shared|holder|bytes|claims|incoming_transfers|switches|deposits|refunds|orders|delivery_queues|attempts|minor|trouble))'/g,
      ))
        counted.add(name);
    expect([...named].filter((name) => !counted.has(name))).toEqual([]);
  });

  it('leads to files that are there', () => {
    const links = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, link]) =>
        /^https?:/.test(link) ? link : join(dirname(path), link),
      ),
    );
    expect(links.filter((path) => !/^https?:/.test(path) && !existsSync(join(ROOT, path)))).toEqual([]);
  });
});
