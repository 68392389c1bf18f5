import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { FolderInUseError, lockFolder } from './folder-lock.js';

describe('lockFolder', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'provider-lock-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function deadProcessId(): Promise<number> {
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    return child.pid as number;
  }

  it('is held by one process, and by the next one after its release', async () => {
    const first = await lockFolder(folder);
    await expect(lockFolder(folder)).rejects.toThrow(FolderInUseError);
    await first.release();
    const second = await lockFolder(folder);
    await second.release();
    expect(await readdir(folder)).toEqual([]);
  });

  it('lets no two in at once, with a dead holder in the way', async () => {
    await writeFile(join(folder, `provider.lock.${await deadProcessId()}.-.0`), '');
    for (let round = 0; round < 20; round += 1) {
      const tries = await Promise.allSettled(Array.from({ length: 10 }, () => lockFolder(folder)));
      const winners = tries.filter((one) => one.status === 'fulfilled');
      expect(winners.length).toBeLessThanOrEqual(1);
      for (const one of winners) await one.value.release();
    }
    await (await lockFolder(folder)).release();
    expect(await readdir(folder)).toEqual([]);
  });

  it('refuses while a process that runs holds it', async () => {
    const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
    await writeFile(join(folder, `provider.lock.${child.pid}.-.0`), '');
    await expect(lockFolder(folder)).rejects.toThrow(`in use by process ${child.pid}`);
    child.stdin?.end();
    await once(child, 'exit');
    await (await lockFolder(folder)).release();
  });

  it('recognises a process id that was reused', async () => {
    await writeFile(join(folder, `provider.lock.${process.pid}.1.0`), '');
    if (process.platform === 'linux') await (await lockFolder(folder)).release();
    else await expect(lockFolder(folder)).rejects.toThrow(FolderInUseError);
  });

  it('takes over from a process that is dead but not yet buried', async () => {
    // The shell becomes `sleep`, which never reaps its child: a zombie.
    const parent = spawn('sh', ['-c', 'true & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [output] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = output.toString().trim();
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
    await writeFile(join(folder, `provider.lock.${pid}.${stat?.split(' ')[21] ?? '1'}.0`), '');
    await (await lockFolder(folder)).release();
    parent.kill('SIGKILL');
    await once(parent, 'exit');
  });
});
