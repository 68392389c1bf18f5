import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { ROOT } from '../command/run.mjs';
import { lockFindings } from './lock-file.mjs';

const integrity = `sha512-${'A'.repeat(86)}==`;
const findings = (entry, path = 'node_modules/pg') =>
  lockFindings({ packages: { '': {}, 'libs/http': {}, [path]: entry } });

describe('the lock file', () => {
  it('has an integrity for every package', () => {
    expect(lockFindings(JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')))).toEqual([]);
  });

  it.each([
    ['none', { version: '1.0.0' }],
    ['SHA-1', { version: '1.0.0', integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' }],
    ['a part of one', { version: '1.0.0', integrity: integrity.slice(0, 40) }],
  ])('is refused with %s', (_, entry) => {
    expect(findings(entry)).toEqual(['node_modules/pg has no sha512 integrity']);
  });

  it('may leave it out of our own packages, and of no other version of what is excused', () => {
    expect(findings({ link: true, resolved: 'libs/http' }, 'node_modules/@vuka/http')).toEqual([]);
    expect(findings({ version: '1.5.0' }, 'node_modules/litesvm-darwin-x64')).toEqual([]);
    expect(findings({ version: '1.5.1' }, 'node_modules/litesvm-darwin-x64')).toHaveLength(1);
  });

  it('takes nothing that does not come by https', () => {
    for (const resolved of ['http://registry.example/pg.tgz', 'git+ssh://git@example.com/pg.git'])
      expect(findings({ version: '1.0.0', integrity, resolved })).toEqual(['node_modules/pg does not come by https']);
  });
});
