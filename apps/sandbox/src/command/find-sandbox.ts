import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { stackFolder } from '@vuka/data-folder';
import { BootError } from '@vuka/runtime';
import { z } from 'zod';

import type { SandboxPlace } from './sandbox-command.js';

const directory = z.object({
  base_url: z.string(),
  chains: z.record(z.string(), z.object({ rpc_url: z.string() })).optional(),
});

const HEALTH_WITHIN_MS = 2_000;

/** Node URLs of the running sandbox. Throws BootError if none runs. */
export async function findSandboxChains(
  place: SandboxPlace,
  env: NodeJS.ProcessEnv,
): Promise<Readonly<Record<string, string>>> {
  const folders = foldersOf(place, env);
  for (const folder of folders) {
    const found = directoryIn(folder);
    if (found === undefined || !(await answers(found.base_url))) continue;
    return Object.fromEntries(Object.entries(found.chains ?? {}).map(([name, { rpc_url: url }]) => [name, url]));
  }
  throw new BootError(
    `No sandbox runs on ${folders.join(' or ')}.`,
    'Start one with npm start or npm run stack, or name its folder with --data-dir.',
  );
}

function foldersOf(place: SandboxPlace, env: NodeJS.ProcessEnv): string[] {
  if (place.kind === 'folder') return [resolve(place.path)];
  const stack = stackFolder(env);
  return place.kind === 'stack' ? [stack] : [...new Set([resolve(env['VUKA_DATA_DIR'] || '.vuka'), stack])];
}

function directoryIn(folder: string): z.output<typeof directory> | undefined {
  const file = join(folder, 'sandbox.json');
  try {
    return existsSync(file) ? directory.parse(JSON.parse(readFileSync(file, 'utf8'))) : undefined;
  } catch (error) {
    throw new BootError(`${file} cannot be read.`, 'Start its sandbox again: the start writes the file again.', {
      cause: error,
    });
  }
}

/** Ready or not: chains run even if the sandbox is in trouble. */
async function answers(baseUrl: string): Promise<boolean> {
  try {
    const answer = await fetch(`${baseUrl}/health/live`, { signal: AbortSignal.timeout(HEALTH_WITHIN_MS) });
    await answer.body?.cancel();
    return true;
  } catch {
    return false;
  }
}
