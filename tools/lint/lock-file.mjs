// `node tools/lint/lock-file.mjs`: every package of package-lock.json has the digest that npm checks it by, and comes
// from the registry. Part of `npm run lint`.
//
// Exempt are optional builds for platforms that Vuka is neither tested on nor deployed to: the registry in reach of those
// who wrote the lock file did not have them, so their digests are unknown (SECURITY.md).
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { ROOT } from '../command/run.mjs';

const INTEGRITY = /^sha512-[A-Za-z0-9+/]{86}==$/;
const REGISTRY = 'https://registry.npmjs.org/';

/** Where tests and images run. */
const PLATFORMS = [
  { os: 'linux', cpu: 'x64', libc: 'glibc' },
  { os: 'linux', cpu: 'arm64', libc: 'glibc' },
];

const allows = (wanted, value) => wanted === undefined || wanted.includes(value);
const runsHere = ({ os, cpu, libc, dev }) =>
  PLATFORMS.slice(0, dev === true ? 1 : undefined).some(
    (platform) => allows(os, platform.os) && allows(cpu, platform.cpu) && allows(libc, platform.libc),
  );
const isExempt = (entry) => entry.integrity === undefined && entry.optional === true && !runsHere(entry);

/** `packages` as in a lock file of version 3. */
export function lockFindings(packages) {
  return Object.entries(packages).flatMap(([path, entry]) => {
    const { link, integrity, resolved } = entry;
    if (!path.includes('node_modules/') || link === true) return [];
    return [
      ...(INTEGRITY.test(integrity ?? '') || isExempt(entry)
        ? []
        : [`${path} has no integrity: npm would install whatever it is given`]),
      ...(resolved === undefined || resolved.startsWith(REGISTRY) ? [] : [`${path} is not from the registry`]),
    ];
  });
}

async function main() {
  const { packages } = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8'));
  const findings = lockFindings(packages);
  for (const finding of findings) console.error(`package-lock.json: ${finding}`);
  process.exitCode = findings.length > 0 ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
