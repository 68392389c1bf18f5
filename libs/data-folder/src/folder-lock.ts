import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

import { BootError } from '@vuka/runtime';

export interface FolderLock {
  release(): Promise<void>;
}

export interface LockOptions {
  readonly waitMs: number;
  onWait?(holderPid: number): void;
}

const RETRY_MS = 200;

/**
 * Names the holder by process id and start time, so a killed holder is recognised even if its id is reused. Throws
 * BootError if it stays taken.
 */
export async function lockFolder(folder: string, options: LockOptions): Promise<FolderLock> {
  const { path, draft, mine } = await draftLock(folder);
  const giveUpAt = Date.now() + options.waitMs;
  let told = false;
  try {
    for (;;) {
      const holder = await tryLock(path, draft, mine);
      if (holder === 'mine') return { release: () => releaseOwn(path, mine) };
      if (Date.now() >= giveUpAt) throw takenBy(folder, holder);
      if (!told) options.onWait?.(holder);
      told = true;
      await pause(RETRY_MS);
    }
  } finally {
    await rm(draft, { force: true });
  }
}

export async function tryLockFolder(
  folder: string,
): Promise<{ readonly lock: FolderLock } | { readonly holderPid: number }> {
  const { path, draft, mine } = await draftLock(folder);
  try {
    const holder = await tryLock(path, draft, mine);
    return holder === 'mine' ? { lock: { release: () => releaseOwn(path, mine) } } : { holderPid: holder };
  } finally {
    await rm(draft, { force: true });
  }
}

/** The holder's unique name; null if unlocked. */
export async function holderOf(folder: string): Promise<string | null> {
  const found = await readFile(join(folder, 'vuka.lock'), 'utf8').catch(() => null);
  return found !== null && (await isRunning(...identityOf(found))) ? found.trim() : null;
}

async function draftLock(folder: string): Promise<{ path: string; draft: string; mine: string }> {
  const draft = join(folder, `vuka.lock.${randomUUID()}`);
  const mine = `${process.pid} ${(await startTimeOf(process.pid)) ?? '-'} ${randomUUID()}\n`;
  await writeFile(draft, mine, { mode: 0o600 });
  return { path: join(folder, 'vuka.lock'), draft, mine };
}

function takenBy(folder: string, pid: number): BootError {
  return new BootError(
    `Another Vuka (process ${pid}) uses the data folder ${folder}.`,
    `Stop that one (Ctrl-C in its terminal, or: kill ${pid}). Or set VUKA_DATA_DIR to another folder for this one.`,
  );
}

/** `link` creates the lock with content in one step, or fails if one exists. Returns the holder. */
async function tryLock(path: string, draft: string, mine: string): Promise<number | 'mine'> {
  for (;;) {
    await linked(draft, path);
    const found = await readFile(path, 'utf8').catch(() => null);
    if (found === mine) return 'mine';
    if (found === null) continue;
    const [pid, startTime] = identityOf(found);
    if (await isRunning(pid, startTime)) return pid;
    await removeStale(path, found, draft);
  }
}

/**
 * A new holder may have replaced the lock since it was read. So first take the sole right to remove this lock (a file
 * named by its content), then check again.
 */
async function removeStale(path: string, stale: string, draft: string): Promise<void> {
  const right = `${path}.${createHash('sha256').update(stale).digest('hex').slice(0, 16)}`;
  if (!(await linked(draft, right))) {
    const holder = await readFile(right, 'utf8').catch(() => null);
    // The right's holder may have died too.
    if (holder !== null && !(await isRunning(...identityOf(holder)))) await removeStale(right, holder, draft);
    return;
  }
  try {
    if ((await readFile(path, 'utf8').catch(() => null)) === stale) await rm(path, { force: true });
  } finally {
    await rm(right, { force: true });
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

function identityOf(lock: string): [number, string] {
  const [pid = '', startTime = ''] = lock.trim().split(' ');
  return [parseInt(pid, 10), startTime];
}

async function releaseOwn(path: string, mine: string): Promise<void> {
  if ((await readFile(path, 'utf8').catch(() => null)) === mine) await rm(path, { force: true });
}

async function isRunning(pid: number, startTime: string): Promise<boolean> {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs as another user.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  const actual = await startTimeOf(pid);
  // Containers reuse process ids: our own id in another's lock is stale.
  if (actual === null || startTime === '-') return pid !== process.pid;
  return actual === startTime;
}

/** Never changes while the process runs: kernel ticks with boot id (Linux), else from `ps`; null if unknown. */
async function startTimeOf(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (stat !== null) {
    // The command may contain spaces and parentheses. Field 22 is the start time.
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
    return `${boot.trim()}/${ticks}`;
  }
  try {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)], { timeout: 2_000 });
    return stdout.trim().replace(/\s+/g, '_') || null;
  } catch {
    return null;
  }
}
