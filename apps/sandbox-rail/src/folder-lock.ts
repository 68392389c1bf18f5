import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * One process per folder. The lock is a file naming its holder; it is made by `link`, which either creates it
 * with its content or fails. A holder that no longer runs (kill -9) is recognised by its process id and start
 * time, so that a reused id is not mistaken for it.
 */
export async function lockFolder(folder: string): Promise<{ release(): Promise<void> }> {
  const path = join(folder, 'rail.lock');
  const mine = `${process.pid} ${(await startOf(process.pid)) ?? '-'} ${randomUUID()}\n`;
  const draft = join(folder, `rail.lock.${randomUUID()}`);
  await writeFile(draft, mine, { mode: 0o600 });
  try {
    for (let tries = 0; tries < 5; tries += 1) {
      if (await linked(draft, path)) return { release: () => releaseOwn(path, mine) };
      const holder = await readFile(path, 'utf8').catch(() => null);
      if (holder === null) continue;
      if (await isRunning(holder)) throw new FolderInUseError(folder, holder.split(' ')[0] ?? '?');
      await removeStale(path, holder);
    }
    throw new FolderInUseError(folder, 'another that is starting');
  } finally {
    await rm(draft, { force: true });
  }
}

export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError';
  constructor(folder: string, holder: string) {
    super(`the sandbox rail's folder ${folder} is in use by process ${holder}`);
  }
}

async function linked(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Moves the dead holder's lock away; where somebody quicker had already put a live one there, it goes back. */
async function removeStale(path: string, stale: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if ((await readFile(aside, 'utf8')) !== stale) await linked(aside, path);
  await rm(aside, { force: true });
}

async function releaseOwn(path: string, mine: string): Promise<void> {
  const holder = await readFile(path, 'utf8').catch(() => null);
  if (holder === mine) await rm(path, { force: true });
}

async function isRunning(holder: string): Promise<boolean> {
  const [pidText, started] = holder.trim().split(' ');
  const pid = Number(pidText);
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return started === '-' || started === ((await startOf(pid)) ?? '-');
}

/** The kernel's start time of a process, where it tells (Linux: field 22 of /proc/<pid>/stat). */
async function startOf(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  // The command in parentheses may itself hold spaces and parentheses.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
}
