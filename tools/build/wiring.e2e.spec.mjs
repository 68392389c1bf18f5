import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { beforeAll, describe, expect, it } from '@jest/globals';

import { ROOT } from '../command/run.mjs';
import { COMPILED, compileCopy } from './compile-copy.mjs';

const EMITTERS = ['swc', 'compiler', 'bundles'];
const WITHIN_MS = 120_000;

const services = readdirSync(join(ROOT, 'apps')).filter((name) =>
  existsSync(join(ROOT, `apps/${name}/src/${name}.root.ts`)),
);

async function resolveFrom(emitter) {
  const script = join(ROOT, 'tools/build/resolve-providers.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [script, emitter], { timeout: WITHIN_MS });
  return JSON.parse(stdout);
}

beforeAll(() => compileCopy(), WITHIN_MS);

describe('every provider and controller of every service', () => {
  it.each(EMITTERS)(
    'is made from what %s emits; taking one decorator away fails and names the class',
    async (emitter) => {
      const report = await resolveFrom(emitter);
      expect(Object.keys(report).sort()).toEqual(services);
      for (const classes of Object.values(report)) {
        expect(Object.keys(classes)).not.toEqual([]);
        for (const [name, said] of Object.entries(classes))
          for (const one of said) expect(one).toMatch(new RegExp(`^${name} cannot be wired: `));
      }
    },
    WITHIN_MS,
  );

  it(
    'is reported by name if its decorator is missing from the text',
    async () => {
      const file = join(COMPILED, 'apps/checkout/dist/orders/read-order.js');
      const text = await readFile(file, 'utf8');
      const without = text.replace(/^ReadOrder = __decorate\(\[[^]*?\], ReadOrder\);$/m, '');
      expect(without).not.toBe(text);
      await writeFile(file, without);
      try {
        await expect(resolveFrom('compiler')).rejects.toThrow('ReadOrder cannot be wired: ');
      } finally {
        await writeFile(file, text);
      }
    },
    WITHIN_MS,
  );
});
