import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { identifyProcess, type ProcessIdentity } from './process-identity.js';

const ATTEMPTS = 3;
const LOOK_AGAIN_MS = 50;

/** Pid and start time in `launcher.json` detect a killed holder even if its pid is reused. */
export class FolderClaim {
  private readonly file: string;

  constructor(private readonly folder: string) {
    this.file = join(folder, 'launcher.json');
  }

  /** Throws if another live process has the folder. */
  async take(): Promise<void> {
    const claim = JSON.stringify({ pid: process.pid, started: identifyProcess(process.pid)?.started });
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      if (await this.makeWith(claim)) return;
      const owner = await liveOwner(this.file);
      if (owner !== undefined) throw new Error(`${this.folder} is in use by process ${owner}: stop that process first`);
      await this.clearStale();
    }
    throw new Error(`${this.file} cannot be locked: another start may be running`);
  }

  async release(): Promise<void> {
    await rm(this.file, { force: true });
  }

  /** `link` is atomic. false: it exists. */
  private async makeWith(claim: string): Promise<boolean> {
    const draft = `${this.file}.${randomUUID()}`;
    try {
      await writeFile(draft, claim, { mode: 0o600 });
      await link(draft, this.file);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      return false;
    } finally {
      await rm(draft, { force: true });
    }
  }

  /** Another start may have taken it: a live claim is put back. */
  private async clearStale(): Promise<void> {
    const aside = `${this.file}.${randomUUID()}`;
    await rename(this.file, aside).catch(() => undefined);
    if ((await liveOwner(aside)) !== undefined) await link(aside, this.file).catch(() => undefined);
    await rm(aside, { force: true });
  }
}

async function liveOwner(claimFile: string): Promise<number | undefined> {
  try {
    const { pid, started } = JSON.parse(await readFile(claimFile, 'utf8')) as { pid: number; started?: string };
    return identifyProcess(pid)?.started === started ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** Within `boundMs`; whether that very process is gone. */
export async function endProcess(
  pid: number,
  { started }: ProcessIdentity,
  signal: NodeJS.Signals,
  boundMs: number,
): Promise<boolean> {
  const runs = (): boolean => identifyProcess(pid)?.started === started;
  if (runs()) process.kill(pid, signal);
  for (let waited = 0; runs(); waited += LOOK_AGAIN_MS) {
    if (waited >= boundMs) return false;
    await sleep(LOOK_AGAIN_MS);
  }
  return true;
}
