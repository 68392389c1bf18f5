import { describe, expect, it } from '@jest/globals';

import { satisfies } from './prepare.mjs';
import { FILE_RULES, findingsOf, listFiles, workspaceFindings } from './tidy.mjs';

const files = await listFiles();

describe('the house style', () => {
  it.each(Object.entries(FILE_RULES))('%s', async (_name, rule) => {
    expect(await findingsOf(rule, files)).toEqual([]);
  });

  it('has every project tagged, built and with one door', async () => {
    expect(await workspaceFindings(files)).toEqual([]);
  });

  // A rule that finds nothing anywhere proves nothing: each one is shown an offence.
  it.each([
    ['names say what is inside', 'libs/money/src/string-helpers.ts', ''],
    ['file names are kebab-case with their role', 'libs/domain/src/bankRules.ts', ''],
    ['nothing is left for later', 'libs/domain/src/money.ts', `// TO${'DO'} round`],
    ['money never meets a float', 'libs/domain/src/money.ts', 'const cents = Number(amountText);'],
    ['tests wait for conditions', 'libs/domain/src/money.spec.ts', `await new Promise((resolve) => ${'setTimeout'}(resolve, 10));`],
    ['every test runs', 'libs/domain/src/money.spec.ts', `it.${'only'}('adds', () => {});`],
    ['a silenced rule says why', 'libs/domain/src/money.ts', `// eslint-${'disable'}-next-line no-console`],
  ])('%s: would be seen', (name, path, text) => {
    const rule = FILE_RULES[name];
    expect(rule.applies(path)).toBe(true);
    expect(rule.find(path, text)).toHaveLength(1);
  });
});

describe('the check of the Node version', () => {
  const ranges = '^20.19.0 || ^22.13.0 || >=24.11.0';

  it.each([
    ['20.19.0', true],
    ['20.20.2', true],
    ['20.18.3', false],
    ['21.7.0', false],
    ['22.12.9', false],
    ['22.13.0', true],
    ['23.9.0', false],
    ['24.10.0', false],
    ['24.11.0', true],
    ['26.0.0', true],
  ])('%s: %s', (version, expected) => {
    expect(satisfies(version, ranges)).toBe(expected);
  });
});
