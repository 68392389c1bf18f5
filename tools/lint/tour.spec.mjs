import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { ROOT } from '../command/run.mjs';
import { hasWord, stretchesOf, withPaths } from '../generate/tour.mjs';

const read = (path) => readFileSync(join(ROOT, path), 'utf8');
const page = read('docs/engineers/tour.md');
const stretches = stretchesOf(page);
const steps = stretches.flatMap((stretch) =>
  stretch.map((step, at) => ({ ...step, before: at === 0 ? null : stretch[at - 1].file })),
);
const isThere = (path) => existsSync(join(ROOT, path));

describe('docs/engineers/tour.md', () => {
  it('has its stretches in order', () => {
    expect(steps.length).toBeGreaterThan(35);
    expect(stretches.map((stretch) => stretch.map(({ place }) => place))).toEqual(
      stretches.map((stretch) => stretch.map((_, at) => at + 1)),
    );
  });

  it('names files where they are: npm run generate follows those that moved', async () => {
    expect(await withPaths(page)).toBe(page);
  });

  it.each(steps)('$file is there, and has $word', ({ file, word }) => {
    expect([file, isThere(file)]).toEqual([file, true]);
    expect([file, word, hasWord(read(file), word)]).toEqual([file, word, true]);
  });

  it.each(steps.filter(({ before }) => before !== null))('$before reaches $file by $word', ({ before, word }) => {
    expect([before, isThere(before)]).toEqual([before, true]);
    expect([before, word, hasWord(read(before), word)]).toEqual([before, word, true]);
  });

  it('follows a file that has moved, and no other', async () => {
    const row = (path) =>
      `| | file | by | what happens |\n|---|---|---|---|\n| 1 | \`${path}\` | \`CommitWriter\` | x |`;
    const [{ file = '' } = {}] = steps.filter(({ word }) => word === 'CommitWriter');
    expect(await withPaths(row(`apps/elsewhere/${file.split('/').at(-1)}`))).toBe(row(file));
    expect(await withPaths(row('apps/elsewhere/no-such-file.ts'))).toBe(row('apps/elsewhere/no-such-file.ts'));
  });
});
