import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describeWithAnvil } from './anvil-for-tests.js';
import { findAnvil } from './find-anvil.js';

describe('where an anvil is looked for', () => {
  let folder: string;
  const program = async (name: string, version: string): Promise<string> => {
    const file = join(folder, name);
    await writeFile(file, `#!/bin/sh\necho "anvil Version: ${version}"\n`);
    await chmod(file, 0o755);
    return file;
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'vuka-anvil-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('is what ANVIL_BIN names, and no other', async () => {
    const file = await program('mine', '1.2.3');
    expect(await findAnvil({ ...process.env, ANVIL_BIN: file })).toEqual({ ok: true, version: '1.2.3', file });
    expect(await findAnvil({ ...process.env, ANVIL_BIN: join(folder, 'nothing') })).toEqual({
      ok: false,
      why: expect.stringMatching(/^There is no anvil: ANVIL_BIN is not a program\. Install/),
    });
  });

  it('is refused where it is old, or does not run', async () => {
    expect(await findAnvil({ ...process.env, ANVIL_BIN: await program('old', '0.3.0') })).toMatchObject({
      ok: false,
      why: expect.stringContaining('0.3.0'),
    });
    expect(await findAnvil({ ...process.env, ANVIL_BIN: await program('odd', 'none') })).toMatchObject({
      ok: false,
      why: expect.stringMatching(/^anvil does not run: /),
    });
  });

  it('skips suites where there is none, save in CI, where they fail', () => {
    const skip = (): undefined => undefined;
    const suite = Object.assign((): undefined => undefined, { skip });
    expect(describeWithAnvil(suite, { ANVIL_BIN: '/nothing', CI: 'true' })).toBe(suite);
    expect(describeWithAnvil(suite, { ANVIL_BIN: process.execPath })).toBe(suite);
    expect(describeWithAnvil(suite, { ANVIL_BIN: '/nothing' })).toBe(skip);
    expect(describeWithAnvil(suite, { ANVIL_BIN: process.execPath, VUKA_TEST_ANVIL: 'none' })).toBe(skip);
  });
});
