import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { ROOT } from '../command/run.mjs';
import { listFiles } from './tidy.mjs';

const page = readFileSync(join(ROOT, 'docs/engineers/tour.md'), 'utf8');
const read = (path) => readFileSync(join(ROOT, path), 'utf8');
const has = (text, word) => new RegExp(`(?<![\\w.-])${word.replaceAll('.', String.raw`\.`)}(?![\\w-])`).test(text);

/** Each table of the page is a stretch of the way: its steps follow each other. */
const stretches = page
  .split(/^\| \| file \|.*$/m)
  .slice(1)
  .map((text) =>
    [...text.split(/\n\n/)[0].matchAll(/^\| (\d+) \| `([^`]+)` \| `([^`]+)` \|/gm)].map(([, place, file, word]) => ({
      place: Number(place),
      file,
      word,
    })),
  );
const steps = stretches.flatMap((stretch) =>
  stretch.map((step, at) => ({ ...step, before: at === 0 ? null : stretch[at - 1].file })),
);

describe('docs/engineers/tour.md', () => {
  it('has its stretches in order', () => {
    expect(steps.length).toBeGreaterThan(35);
    expect(stretches.map((stretch) => stretch.map(({ place }) => place))).toEqual(
      stretches.map((stretch) => stretch.map((_, at) => at + 1)),
    );
  });

  it.each(steps)('$file is there, and has $word', async ({ file, word }) => {
    // Who moved it reads where it is now.
    const declared = new RegExp(
      `^(?:export |create )?(?:async |abstract )?(?:class|function|const|interface) ${word}\\b`,
      'm',
    );
    const moved = existsSync(join(ROOT, file))
      ? []
      : [...(await listFiles('apps')), ...(await listFiles('libs'))].filter(
          (path) => /\.(ts|sql)$/.test(path) && declared.test(read(path)),
        );
    expect({ file, isThere: existsSync(join(ROOT, file)), nowIn: moved }).toEqual({ file, isThere: true, nowIn: [] });
    expect([file, word, has(read(file), word)]).toEqual([file, word, true]);
  });

  it.each(steps.filter(({ before }) => before !== null))('$before reaches $file by $word', ({ before, word }) => {
    expect([before, word, has(read(before), word)]).toEqual([before, word, true]);
  });
});
