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

/** Has data, log, `server.json` (last process and port), and `launcher.json` while running. */
export class ServerFolder {
  readonly path: string;
  private readonly lock: FolderClaim;
  private readonly runningFile: string;

  constructor(folder: string) {
    this.path = resolve(folder);
    this.lock = new FolderClaim(this.path);
    this.runningFile = join(this.path, 'server.json');
  }

  /** Throws if another live process has the folder. */
  async claim(): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    await chmod(this.path, 0o700);
    await this.lock.take();
  }

  async release(): Promise<void> {
    await this.lock.release();
  }

  /** Synchronous after the spawn, so that a killed run leaves a server that can be found. */
  recordRunning(running: Running): void {
    writeFileSync(this.runningFile, JSON.stringify(running), { mode: 0o600 });
  }

  lastPort(): number | undefined {
    return this.lastRunning()?.port;
  }

  /** Left by a killed run. `mark`: only in its command line. */
  async stopOrphan(mark: string, log: Logger): Promise<void> {
    const last = this.lastRunning();
    if (last === undefined) return;
    const found = identifyProcess(last.pid);
    if (found === undefined || !found.commandLine.includes(mark)) return;
    // A paused process takes no other signal.
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
