// A lock entry without integrity would be installed whatever the registry sends.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { ROOT } from '../command/run.mjs';

/** Optional, for other platforms, of the tests alone; the registry has not had these versions so far. */
const WITHOUT_INTEGRITY = new Set(
  ['darwin-arm64', 'darwin-x64', 'linux-arm64-gnu', 'linux-arm64-musl', 'linux-x64-musl'].map(
    (platform) => `node_modules/litesvm-${platform}@1.5.0`,
  ),
);

/** SHA-512, as npm writes it. Workspaces and links are ours. */
const INTEGRITY = /^sha512-[A-Za-z0-9+/]{86}==$/;

/** Packages of the registries, by path. */
export function lockedPackages(lock) {
  return Object.entries(lock.packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);
}

export function lockFindings(lock) {
  return lockedPackages(lock).flatMap(([path, { version, integrity, resolved }]) => {
    const found = [];
    if (!INTEGRITY.test(integrity ?? '') && !WITHOUT_INTEGRITY.has(`${path}@${version}`))
      found.push(`${path} has no sha512 integrity`);
    if (resolved !== undefined && !resolved.startsWith('https://')) found.push(`${path} does not come by https`);
    return found;
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const findings = lockFindings(JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')));
  for (const finding of findings) console.error(`package-lock.json: ${finding}`);
  if (findings.length > 0) process.exit(1);
}
