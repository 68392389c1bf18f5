import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { describe, expect, it } from '@jest/globals';

import { ROOT } from '../command/run.mjs';
import { lockFindings } from './lock-file.mjs';

const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
const GOOD = `sha512-${'A'.repeat(86)}==`;

describe('the lock file', () => {
  it('has the digest of every package that runs where Vuka is tested or deployed', () => {
    expect(lockFindings(packages)).toEqual([]);
  });

  it.each([
    [{ integrity: GOOD }, 0],
    [{ link: true, resolved: 'libs/x' }, 0],
    [{}, 1],
    [{ optional: true }, 1],
    [{ optional: true, os: ['linux'], cpu: ['arm64'] }, 1],
    [{ optional: true, os: ['darwin'], cpu: ['arm64'] }, 0],
    [{ os: ['darwin'], cpu: ['arm64'] }, 1],
    [{ integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' }, 1],
    [{ integrity: GOOD, resolved: 'git+ssh://git@example.com/x.git#0' }, 1],
    [{ integrity: GOOD, resolved: 'https://registry.npmjs.org.example.com/x.tgz' }, 1],
  ])('with %j has so many findings: %i', (entry, findings) => {
    expect(lockFindings({ '': {}, 'libs/x': {}, 'node_modules/x': entry })).toHaveLength(findings);
  });
});

describe('npm run sbom', () => {
  it('lists every package of the lock file, as CycloneDX', async () => {
    const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'sbom'], {
      cwd: ROOT,
      maxBuffer: 64 * 1024 * 1024,
    });
    const { bomFormat, components } = JSON.parse(stdout);
    expect(bomFormat).toBe('CycloneDX');
    const listed = new Set(components.map(({ purl }) => decodeURIComponent(purl)));
    const wanted = Object.entries(packages)
      .filter(([path, { link, optional }]) => path.startsWith('node_modules/') && !link && !optional)
      .map(([path, { version, name }]) => `pkg:npm/${name ?? path.split('node_modules/').at(-1)}@${version}`);
    expect(wanted.filter((purl) => !listed.has(purl))).toEqual([]);
  });
});
