import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { ROOT } from '../command/run.mjs';
import { listFiles } from '../command/list-files.mjs';

const STEP = /^\| (\d+) \| `([^`]+)` \| `([^`]+)` \|/gm;

export function stretchesOf(page) {
  return page
    .split(/^\| \| file \|.*$/m)
    .slice(1)
    .map((text) =>
      [...text.split(/\n\n/)[0].matchAll(STEP)].map(([, place, file, word]) => ({ place: Number(place), file, word })),
    );
}

export const hasWord = (text, word) =>
  new RegExp(`(?<![\\w.-])${word.replaceAll('.', String.raw`\.`)}(?![\\w-])`).test(text);

/**
 * A moved file is replaced by the only file of its name that contains the word. If none or several match, a person
 * must check.
 */
export async function withPaths(page) {
  const files = [...(await listFiles('apps')), ...(await listFiles('libs'))];
  return page.replaceAll(STEP, (row, _place, file, word) => {
    if (existsSync(join(ROOT, file))) return row;
    const moved = files.filter(
      (path) => basename(path) === basename(file) && hasWord(readFileSync(join(ROOT, path), 'utf8'), word),
    );
    return moved.length === 1 ? row.replace(file, moved[0]) : row;
  });
}
