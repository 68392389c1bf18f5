import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { ROOT } from '../command/run.mjs';
import { lockedPackages } from '../lint/lock-file.mjs';
import { sbom } from './sbom.mjs';

const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
const nameOf = ([path, { name }]) => name ?? path.split('node_modules/').at(-1);
const purlOf = (entry) => `pkg:npm/${nameOf(entry).replace('@', '%40')}@${entry[1].version}`;

describe('the SBOM', () => {
  it('is CycloneDX of Vuka with every package of the lock file, each with its digest', async () => {
    const bom = await sbom();
    expect(bom).toMatchObject({
      bomFormat: 'CycloneDX',
      specVersion: '1.5',
      metadata: { component: { name: 'vuka', type: 'application' } },
    });
    const byPurl = new Map(bom.components.map((component) => [component.purl.split('?')[0], component]));
    const locked = lockedPackages(lock);
    expect(locked.length).toBeGreaterThan(500);
    expect(locked.map(purlOf).filter((purl) => !byPurl.has(purl))).toEqual([]);
    const withoutDigest = locked.filter(
      (entry) => entry[1].integrity !== undefined && byPurl.get(purlOf(entry)).hashes?.[0]?.alg !== 'SHA-512',
    );
    expect(withoutDigest.map(purlOf)).toEqual([]);
  }, 120_000);
});
