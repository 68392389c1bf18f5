import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { listFiles } from '../command/list-files.mjs';
import { ROOT } from '../command/run.mjs';

const STATIC_IMPORT = /^(?:import\s+(?:[^;'"()]*?\sfrom\s+)?|export\s+(?:\*|\{[^}]*\})[^;'"]*?from\s+)'([^']+)'/gm;
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const commands = Object.values(scripts).flatMap(
  (script) => /^(?:exec )?node (tools\/[\w-]+\/[\w-]+\.mjs)/.exec(script)?.[1] ?? [],
);

function neededOf(command) {
  const needed = [];
  const seen = new Set();
  const follow = (file) => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const [, imported] of readFileSync(file, 'utf8').matchAll(STATIC_IMPORT)) {
      const path = join(dirname(file), imported);
      if (imported.startsWith('.') && path.startsWith(join(ROOT, 'tools/'))) follow(path);
      else if (!imported.startsWith('node:')) needed.push(`${relative(ROOT, file)}: ${imported}`);
    }
  };
  follow(join(ROOT, command));
  return needed;
}

describe('the commands of package.json', () => {
  it('are found', () => {
    expect(commands).toEqual(
      expect.arrayContaining([
        'tools/start/start.mjs',
        'tools/test/test.mjs',
        'tools/bench/bench.mjs',
        'tools/faults/faults.mjs',
        'tools/fuzz/fuzz.mjs',
      ]),
    );
  });

  it('and what they load is seen', () => {
    expect(neededOf('tools/bench/run-bench.mjs')).toEqual(
      expect.arrayContaining([expect.stringMatching(/^tools\/bench\/pay\.mjs: .*\/dist\//)]),
    );
  });

  it.each(commands)('%s starts in a fresh clone: nothing has to be installed or built before it runs', (command) => {
    expect(neededOf(command)).toEqual([]);
  });
});

describe('the scripts of tools', () => {
  it('load built files whose sources are there', async () => {
    const scripts = (await listFiles('tools')).filter((path) => path.endsWith('.mjs') && !path.endsWith('.spec.mjs'));
    const built = scripts.flatMap((path) =>
      [...readFileSync(join(ROOT, path), 'utf8').matchAll(/((?:apps|libs)\/[\w-]+)\/dist\/([\w./-]+)\.js\b/g)].map(
        ([, project, file]) => ({ path, source: `${project}/src/${file}.ts` }),
      ),
    );
    expect(built.length).toBeGreaterThan(50);
    expect(built.filter(({ source }) => !existsSync(join(ROOT, source)))).toEqual([]);
  });
});
