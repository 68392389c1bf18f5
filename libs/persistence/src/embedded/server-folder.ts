import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { endProcess, FolderClaim, identifyProcess, type Logger } from '@vuka/runtime';

import type { PostgresBinaries } from './postgres-binaries.js';
import { commandAs, type ServerAccount } from './server-account.js';

export const SERVER_USER = 'postgres';

/** Usually a second. One that hangs is ended; the next start deletes its files. */
const INITDB_WITHIN_MS = 120_000;
const FAST_STOP_MS = 20_000;
const IMMEDIATE_STOP_MS = 5_000;

/** Has `data`, `password`, `postgres.log`, and `launcher.json` while running. */
export class ServerFolder {
  readonly path: string;
  readonly data: string;
  readonly logFile: string;
  private readonly lock: FolderClaim;

  constructor(
    folder: string,
    private readonly account: ServerAccount | undefined,
    private readonly log: Logger,
  ) {
    this.path = resolve(folder);
    this.data = join(this.path, 'data');
    this.logFile = join(this.path, 'postgres.log');
    this.lock = new FolderClaim(this.path);
  }

  /** Throws if another live process has the folder. */
  async claim(): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    await chmod(this.path, 0o700);
    await this.give(this.path);
    await this.lock.take();
  }

  async release(): Promise<void> {
    await this.lock.release();
  }

  /** Left behind by a killed run. */
  async stopOrphan(): Promise<void> {
    const pidFile = join(this.data, 'postmaster.pid');
    if (!existsSync(pidFile)) return;
    const pid = Number((await readFile(pidFile, 'utf8')).split('\n', 1)[0]);
    const found = Number.isSafeInteger(pid) && pid > 1 ? identifyProcess(pid) : undefined;
    if (found === undefined) return;
    if (!found.commandLine.includes(` -D ${this.data} `)) {
      // The pid now belongs to another process, and PostgreSQL would refuse to start.
      await rm(pidFile, { force: true });
      return;
    }
    this.log.warn({ pid }, 'stopping the PostgreSQL server an earlier run left behind');
    if (await endProcess(pid, found, 'SIGINT', FAST_STOP_MS)) return;
    if (await endProcess(pid, found, 'SIGQUIT', IMMEDIATE_STOP_MS)) return;
    throw new Error(`the PostgreSQL server of an earlier run (process ${pid}) does not stop`);
  }

  /** The superuser's, in a file only we can read. */
  async password(): Promise<string> {
    const file = join(this.path, 'password');
    if (existsSync(file)) return (await readFile(file, 'utf8')).trim();
    if (existsSync(this.data))
      throw new Error(`${file} is missing: without it nobody can log in to the database in ${this.data}`);
    const password = randomBytes(24).toString('base64url');
    await writeFile(file, `${password}\n`, { flag: 'wx', mode: 0o600 });
    return password;
  }

  /** A half-made cluster is made again. */
  async ensureCluster(binaries: PostgresBinaries, password: string, durable: boolean): Promise<void> {
    if (existsSync(this.data)) return;
    const unfinished = join(this.path, 'data.unfinished');
    const passwordFile = join(this.path, 'initdb.password');
    await rm(unfinished, { recursive: true, force: true });
    await writeFile(passwordFile, password, { mode: 0o600 });
    await this.give(passwordFile);
    try {
      await this.initdb(binaries, [
        `--pgdata=${unfinished}`,
        `--username=${SERVER_USER}`,
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--locale=C',
        '--no-instructions',
        ...(durable ? [] : ['--no-sync']),
      ]);
      await rename(unfinished, this.data);
    } finally {
      await rm(passwordFile, { force: true });
    }
  }

  private async initdb(binaries: PostgresBinaries, args: readonly string[]): Promise<void> {
    const command = commandAs(this.account, binaries.initdb, args, neededPaths(binaries, this.path));
    const child = spawn(command.file, command.args, {
      cwd: this.path,
      env: serverEnvironment(),
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: INITDB_WITHIN_MS,
      killSignal: 'SIGKILL',
      ...(command.uid !== undefined && { uid: command.uid, gid: command.gid }),
    });
    let trouble = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      trouble = (trouble + text).slice(-2_000);
    });
    const code = await new Promise<number | string | null>((settle, reject) => {
      child.once('error', reject);
      child.once('close', (exitCode, signal) => settle(exitCode ?? signal));
    });
    if (code !== 0)
      throw new Error(`initdb ended with ${code} (it has ${INITDB_WITHIN_MS / 1_000} s): ${trouble.trim()}`);
  }

  private async give(path: string): Promise<void> {
    if (this.account !== undefined) await chown(path, this.account.uid, this.account.gid);
  }
}

export function neededPaths(binaries: PostgresBinaries, folder: string): string[] {
  return [
    binaries.postgres,
    join(binaries.root, 'lib'),
    join(binaries.root, 'share', 'postgresql', 'postgres.bki'),
    folder,
  ];
}

/** Our full environment may hold secrets. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const { PATH, LD_LIBRARY_PATH } = process.env;
  return { PATH, ...(LD_LIBRARY_PATH !== undefined && { LD_LIBRARY_PATH }), LC_ALL: 'C' };
}
