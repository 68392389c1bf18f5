import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { BootError } from '@vuka/runtime';
import { z } from 'zod';

import { exists } from './data-folder.js';
import { writeDurably } from './durable-file.js';

const FILE = 'build.json';
/** What every build has made first of all, beside which there is a build.json in folders of ours. */
const SIGNS_OF_USE = ['secrets.json', 'postgres'];

const buildFile = z.object({ format: z.string() });

/**
 * Throws BootError where another build of Vuka has made what is in the folder: nothing carries its tables and files over
 * (docs/decisions/0020-one-baseline.md). Reads alone, so it comes before whatever makes, locks or starts anything. `variable` names the folder.
 */
export async function refuseOtherBuild(path: string, variable: string): Promise<void> {
  // The signs first: a first start that is under way has written build.json before them.
  const isUsed = (await Promise.all(SIGNS_OF_USE.map((name) => exists(join(path, name))))).some((isThere) => isThere);
  const format = await formatIn(path);
  if (format === undefined ? !isUsed : format === (await formatOfThisBuild())) return;
  throw new BootError(
    `The data folder ${path} was made by another build of Vuka. Nothing in it was changed.`,
    `Name another folder with ${variable}, or remove this one to begin anew: everything in it is then lost.`,
  );
}

/** Writes down in a new folder which build makes it. For who holds its lock, and before anything else is made there. */
export async function markBuild(path: string): Promise<void> {
  if ((await formatIn(path)) !== undefined) return;
  await writeDurably(join(path, FILE), `${JSON.stringify({ format: await formatOfThisBuild() }, null, 2)}\n`);
}

/** undefined: it does not say. null: not in words of ours. */
async function formatIn(path: string): Promise<string | null | undefined> {
  const file = join(path, FILE);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new BootError(
      `${file} cannot be read (${code ?? 'for no reason that is told'}). Nothing was changed.`,
      'Run Vuka as the user that the folder belongs to, or name another folder.',
      { cause: error },
    );
  }
  const parsed = buildFile.safeParse(parseJson(text));
  return parsed.success ? parsed.data.format : null;
}

/** Loaded where it is needed: a command that only looks for a folder waits for no SQL. */
export async function formatOfThisBuild(): Promise<string> {
  return (await import('./build-format.js')).BUILD_FORMAT;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
