import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadSettings } from '@vuka/config';
import { type FolderLock, lockFolder, markBuild, newSecrets, openDataFolder } from '@vuka/data-folder';
import { BootError } from '@vuka/runtime';
import { loadStackSettings, Supervisor } from '@vuka/stack';

import { EmbeddedVuka } from './embedded-vuka.js';

let base: string;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'vuka-data-'));
});

afterEach(async () => {
  await rm(base, { recursive: true, force: true });
});

describe('the data folder', () => {
  it('is made if it is missing, private to its owner, and counts as new until it has a database', async () => {
    const path = join(base, 'a', 'b');
    expect((await openDataFolder(path)).isNew).toBe(true);
    // Only the owner may list or read it; root's PostgreSQL must be able to pass through.
    expect((await stat(path)).mode & 0o766).toBe(0o700);
    await mkdir(join(path, 'postgres'));
    expect((await openDataFolder(path)).isNew).toBe(false);
  });

  it('is refused with a reason if it cannot be used', async () => {
    const file = join(base, 'file');
    await writeFile(file, '');
    await expect(openDataFolder(file)).rejects.toThrow(/cannot be used: it is a file/);
    await expect(openDataFolder(join(file, 'below'))).rejects.toThrow(/cannot be used: a part of the path is a file/);
  });
});

describe('the lock on a data folder', () => {
  const impatient = { waitMs: 0 };

  it('is held by one process at a time, and names the holder', async () => {
    const lock = await lockFolder(base, impatient);
    await expect(lockFolder(base, impatient)).rejects.toThrow(
      `Another Vuka (process ${process.pid}) uses the data folder`,
    );
    await expect(lockFolder(base, impatient)).rejects.toBeInstanceOf(BootError);
    await lock.release();
    await (await lockFolder(base, impatient)).release();
  });

  it('waits for a holder that is ending', async () => {
    const lock = await lockFolder(base, impatient);
    const waitedFor: number[] = [];
    const next = lockFolder(base, { waitMs: 10_000, onWait: (pid) => (waitedFor.push(pid), void lock.release()) });
    await (await next).release();
    expect(waitedFor).toEqual([process.pid]);
  });

  it.each([
    ['a process that is gone', '999999999 1 x\n'],
    ['another process that got the same id', `${process.pid} long-ago x\n`],
    ['nobody', 'nonsense'],
  ])('is taken over from %s', async (_who, left) => {
    await writeFile(join(base, 'vuka.lock'), left);
    await (await lockFolder(base, impatient)).release();
  });

  it('is taken by exactly one of many processes that find a dead holder', async () => {
    await writeFile(join(base, 'vuka.lock'), '999999999 1 x\n');
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => lockFolder(base, impatient)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});

describe('a first start that waits for another one', () => {
  let first: FolderLock;

  beforeEach(async () => {
    first = await lockFolder(base, { waitMs: 0 });
  });

  const makes =
    (make: () => Promise<unknown>) =>
    (line: string): void => {
      if (line.includes('waiting for another Vuka')) void make().then(() => first.release());
    };

  it('of an embedded Vuka is refused where that was a stack', async () => {
    const vuka = new EmbeddedVuka(
      loadSettings({ VUKA_DATA_DIR: base, PORT: '0' }),
      makes(() => writeFile(join(base, 'stack.json'), '{}')),
    );
    await expect(vuka.start()).rejects.toThrow(/is the folder of a stack/);
    await vuka.stop(1_000);
    expect(existsSync(join(base, 'secrets.json'))).toBe(false);
    await (await lockFolder(base, { waitMs: 0 })).release();
  });

  it('of a stack is refused where that was an embedded Vuka', async () => {
    const secrets = JSON.stringify({ version: 2, env: 'sandbox', ...newSecrets() });
    const line = makes(() =>
      markBuild(base).then(() =>
        Promise.all([mkdir(join(base, 'postgres')), writeFile(join(base, 'secrets.json'), secrets)]),
      ),
    );
    const stack = new Supervisor(loadStackSettings({ VUKA_STACK_DIR: base, LOG_LEVEL: 'silent' }), {
      line,
      ready: () => undefined,
      stopAsked: () => undefined,
    });
    await expect(stack.start()).rejects.toThrow(/is the data folder of an embedded Vuka/);
    await stack.stop();
    expect(existsSync(join(base, 'stack.json'))).toBe(false);
    await (await lockFolder(base, { waitMs: 0 })).release();
  });
});
