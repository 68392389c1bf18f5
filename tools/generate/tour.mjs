// The steps of docs/engineers/tour.md, and the page with the paths of files that have moved put right.
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { ROOT } from '../command/run.mjs';
import { listFiles } from '../command/list-files.mjs';

const STEP = /^\| (\d+) \| `([^`]+)` \| `([^`]+)` \|/gm;

/** Each table of the page is a stretch of the way: its steps follow each other. */
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

/** A file that is gone is named by where the only one of its name is that has the word. Where there is none, or several, somebody has to look. */
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
