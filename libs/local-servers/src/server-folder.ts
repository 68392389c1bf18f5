import { readFileSync, writeFileSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { endProcess, FolderClaim, identifyProcess, type Logger } from '@vuka/runtime';

const GENTLE_STOP_MS = 15_000;
const FORCED_STOP_MS = 5_000;

interface Running {
  readonly pid: number;
  readonly port: number;
}

/** The one folder a server has: its data and log, `server.json` (process and port of last time), and `launcher.json` while somebody runs it. */
export class ServerFolder {
  readonly path: string;
  private readonly lock: FolderClaim;
  private readonly runningFile: string;

  constructor(folder: string) {
    this.path = resolve(folder);
    this.lock = new FolderClaim(this.path);
    this.runningFile = join(this.path, 'server.json');
  }

  /** Makes the folder and takes it for this process. Throws when another live process has it. */
  async claim(): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    await chmod(this.path, 0o700);
    await this.lock.take();
  }

  async release(): Promise<void> {
    await this.lock.release();
  }

  /** Written in the same turn in which the process was made, so that whoever is killed next leaves a server that can be found. */
  recordRunning(running: Running): void {
    writeFileSync(this.runningFile, JSON.stringify(running), { mode: 0o600 });
  }

  lastPort(): number | undefined {
    return this.lastRunning()?.port;
  }

  /** Ends the server that an earlier run of ours, killed outright, has left behind. `mark` stands in the command line of no other process. */
  async stopOrphan(mark: string, log: Logger): Promise<void> {
    const last = this.lastRunning();
    if (last === undefined) return;
    const found = identifyProcess(last.pid);
    if (found === undefined || !found.commandLine.includes(mark)) return;
    // One that was paused takes no other signal before it goes on.
    process.kill(last.pid, 'SIGCONT');
    log.warn({ pid: last.pid }, 'stopping the server an earlier run left behind');
    if (await endProcess(last.pid, found, 'SIGTERM', GENTLE_STOP_MS)) return;
    if (await endProcess(last.pid, found, 'SIGKILL', FORCED_STOP_MS)) return;
    throw new Error(`the server of an earlier run (process ${last.pid}) in ${this.path} does not stop`);
  }

  private lastRunning(): Running | undefined {
    try {
      const { pid, port } = JSON.parse(readFileSync(this.runningFile, 'utf8')) as Running;
      return Number.isSafeInteger(pid) && pid > 1 && Number.isSafeInteger(port) ? { pid, port } : undefined;
    } catch {
      return undefined;
    }
  }
}
