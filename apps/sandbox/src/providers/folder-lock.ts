import { randomUUID } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A killed process takes a moment to end. */
const GRACE_MS = 2_000;
const LOOK_AGAIN_MS = 25;
const LOCK_NAME = /^provider\.lock\.(\d+)\.(\d+|-)\.[0-9a-f-]+$/;

/**
 * One process per folder. Each writes a file of its own first, and then checks for others: of two, the later one sees
 * the earlier one and gives up (both may). A file left by a killed process is removed. It is recognised by process id
 * and start time, so that a reused id is no problem.
 */
export async function lockFolder(folder: string): Promise<{ release(): Promise<void> }> {
  const name = `provider.lock.${process.pid}.${(await startOf(process.pid)) ?? '-'}.${randomUUID()}`;
  const path = join(folder, name);
  await writeFile(path, '', { flag: 'wx', mode: 0o600 });
  try {
    for (const other of await readdir(folder)) {
      const match = LOCK_NAME.exec(other);
      if (match === null || other === name) continue;
      if (!(await isGone(Number(match[1]), match[2] ?? '-'))) throw new FolderInUseError(folder, match[1] ?? '?');
      await rm(join(folder, other), { force: true });
    }
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
  return { release: () => rm(path, { force: true }) };
}

export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError';
  constructor(folder: string, holder: string) {
    super(`the sandbox provider's folder ${folder} is in use by process ${holder}`);
  }
}

async function isGone(pid: number, started: string): Promise<boolean> {
  for (const deadline = Date.now() + GRACE_MS; await isRunning(pid, started);) {
    if (pid === process.pid || Date.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
  return true;
}

async function isRunning(pid: number, started: string): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return started === '-' || started === (await startOf(pid));
}

/** Linux: fields 3 and 22 of /proc/<pid>/stat. null: unknown, or a zombie. */
async function startOf(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (stat === null) return null;
  // The command in parentheses may contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return /^[ZXx]$/.test(fields[0] ?? '') ? null : (fields[19] ?? null);
}
