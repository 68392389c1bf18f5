import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { ROOT } from './run.mjs';

const SKIPPED_FOLDERS = new Set(['node_modules', 'dist', 'generated', 'coverage']);

export async function listFiles(folder = '') {
  const found = [];
  for (const entry of await readdir(join(ROOT, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory() && !entry.name.startsWith('.') && !SKIPPED_FOLDERS.has(entry.name))
      found.push(...(await listFiles(path)));
    if (entry.isFile()) found.push(path);
  }
  return found;
}
