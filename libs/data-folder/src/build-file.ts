import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { BootError } from '@vuka/runtime';
import { z } from 'zod';

import { exists } from './data-folder.js';
import { writeDurably } from './durable-file.js';

const FILE = 'build.json';
/** What every build makes first; ours have build.json too. */
const SIGNS_OF_USE = ['secrets.json', 'postgres'];

const buildFile = z.object({ format: z.string() });

/**
 * Throws BootError if another build made the folder: data is never migrated (docs/decisions/0020-one-baseline.md).
 * Only reads: call it before anything is made, locked or started.
 */
export async function refuseOtherBuild(path: string, variable: string): Promise<void> {
  // Signs first: a running first start writes build.json before them.
  const isUsed = (await Promise.all(SIGNS_OF_USE.map((name) => exists(join(path, name))))).some((isThere) => isThere);
  const format = await formatIn(path);
  if (format === undefined ? !isUsed : format === (await formatOfThisBuild())) return;
  throw new BootError(
    `Another build of Vuka made the data folder ${path}. Nothing in it was changed.`,
    `Name another folder with ${variable}. Or remove this one to start again from nothing: everything in it is then lost.`,
  );
}

/** Only for the lock holder, before anything else is made. */
export async function markBuild(path: string): Promise<void> {
  if ((await formatIn(path)) !== undefined) return;
  await writeDurably(join(path, FILE), `${JSON.stringify({ format: await formatOfThisBuild() }, null, 2)}\n`);
}

/** undefined: no build.json. null: not in our form. */
async function formatIn(path: string): Promise<string | null | undefined> {
  const file = join(path, FILE);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new BootError(
      `${file} cannot be read (${code ?? 'unknown reason'}). Nothing was changed.`,
      'Run Vuka as the user who owns the folder, or name another folder.',
      { cause: error },
    );
  }
  const parsed = buildFile.safeParse(parseJson(text));
  return parsed.success ? parsed.data.format : null;
}

/** Lazy: commands that only check a folder load no SQL. */
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
