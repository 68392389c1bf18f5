import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, renameSync, statSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Logger } from '@vuka/runtime';
import { Client } from 'pg';

import { findPostgresBinaries, type PostgresBinaries } from './postgres-binaries.js';
import { commandAs, serverAccount, type ServerAccount } from './server-account.js';
import { neededPaths, SERVER_USER, serverEnvironment, ServerFolder } from './server-folder.js';

export interface EmbeddedPostgresOptions {
  /** Data, password, log. */
  readonly folder: string;
  /** Default: a free one. */
  readonly port?: number;
  /** false loses data in a crash: tests only. */
  readonly durable: boolean;
  /** Default 100. */
  readonly maxConnections?: number;
  /** Work while the server starts, before it is asked anything: it may block this process. Called again at a restart. */
  readonly meanwhile?: () => Promise<unknown>;
  readonly log: Logger;
}

/** Loopback only, superuser's login. */
export interface EmbeddedPostgres {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** Changes after a restart. */
  readonly pid: number;
  /** Force after 20 s. May be called twice. */
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';
const READY_TIMEOUT_MS = 60_000;
/** A killed server holds files a little longer. */
const PREDECESSOR_TIMEOUT_MS = 10_000;
const FAST_STOP_MS = 20_000;
const IMMEDIATE_STOP_MS = 5_000;
const LOOK_AGAIN_MS = 20;
const REVIVALS = 20;
const REVIVE_PAUSE_MS = 250;
const MAX_CONNECTIONS = 100;
const LARGEST_LOG_BYTES = 10_000_000;

/** Statements and values hold account numbers. */
const ALWAYS = {
  listen_addresses: HOST,
  unix_socket_directories: '',
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  TimeZone: 'UTC',
  log_timezone: 'UTC',
  jit: 'off',
};
/** Recovery in seconds (performance.md section 2.4). */
const DURABLE = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  shared_buffers: '256MB',
  max_wal_size: '1GB',
};
const THROWAWAY = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  shared_buffers: '64MB',
  max_wal_size: '512MB',
};

/**
 * Stops a server left by a killed run; makes the cluster if needed. A server that dies later restarts on its
 * port. Throws with the end of its log.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const account = serverAccount();
  const binaries = await findPostgresBinaries();
  const folder = new ServerFolder(options.folder, account, options.log);
  await folder.claim();
  try {
    await folder.stopOrphan();
    const password = await folder.password();
    await folder.ensureCluster(binaries, password, options.durable);
    const server = new Server(folder, binaries, account, password, options);
    await server.start();
    return server;
  } catch (error) {
    await folder.release();
    throw error;
  }
}

type Launch = 'ready' | 'port taken' | 'predecessor alive';

class Server implements EmbeddedPostgres {
  readonly host = HOST;
  readonly user = SERVER_USER;
  port = 0;
  private child: ChildProcess | undefined;
  private stopping: Promise<void> | undefined;
  private reviving: Promise<void> = Promise.resolve();
  private readonly stopAtExit = (): void => void this.child?.kill('SIGINT');

  constructor(
    private readonly folder: ServerFolder,
    private readonly binaries: PostgresBinaries,
    private readonly account: ServerAccount | undefined,
    readonly password: string,
    private readonly options: EmbeddedPostgresOptions,
  ) {}

  get pid(): number {
    return this.child?.pid ?? 0;
  }

  async start(): Promise<void> {
    process.on('exit', this.stopAtExit);
    try {
      await this.launchPatiently(this.options.port);
    } catch (error) {
      process.off('exit', this.stopAtExit);
      throw error;
    }
  }

  stop(): Promise<void> {
    this.stopping ??= this.shutDown();
    return this.stopping;
  }

  private async shutDown(): Promise<void> {
    await this.reviving;
    const child = this.child;
    if (child !== undefined && isRunning(child)) await endChild(child);
    process.off('exit', this.stopAtExit);
    await this.folder.release();
  }

  /** `port` undefined: any free one. */
  private async launchPatiently(port: number | undefined): Promise<void> {
    const giveUpAt = performance.now() + PREDECESSOR_TIMEOUT_MS;
    for (;;) {
      this.port = port ?? (await freePort());
      const result = await this.launch();
      if (result === 'ready') return;
      if (performance.now() > giveUpAt || (result === 'port taken' && port !== undefined)) {
        throw new Error(`PostgreSQL does not start (${result}, port ${this.port}), see ${this.folder.logFile}`);
      }
      await sleep(100);
    }
  }

  private async launch(): Promise<Launch> {
    const { data, logFile, path } = this.folder;
    rotate(logFile);
    const logOffset = existsSync(logFile) ? statSync(logFile).size : 0;
    const { durable, maxConnections = MAX_CONNECTIONS } = this.options;
    const settings = {
      ...ALWAYS,
      ...(durable ? DURABLE : THROWAWAY),
      max_connections: String(maxConnections),
      port: String(this.port),
    };
    const args = ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
    const command = commandAs(this.account, this.binaries.postgres, args, neededPaths(this.binaries, path));
    const output = openSync(logFile, 'a', 0o600);
    // Own process group: Ctrl-C must stop our services first.
    const child = spawn(command.file, command.args, {
      cwd: path,
      env: serverEnvironment(),
      stdio: ['ignore', output, output],
      detached: true,
      ...(command.uid !== undefined && { uid: command.uid, gid: command.gid }),
    });
    closeSync(output);
    child.unref();
    child.on('error', () => undefined);
    this.child = child;
    try {
      await this.options.meanwhile?.();
      if (await this.becomesReady(child)) {
        child.once('exit', (code, signal) => this.onDeath(code ?? signal));
        if (isRunning(child)) return 'ready';
      }
    } catch (error) {
      if (isRunning(child)) await endChild(child);
      throw error;
    }
    const words = await endOf(logFile, logOffset);
    if (/could not bind|Address already in use/.test(words)) return 'port taken';
    if (/pre-existing shared memory block|lock file ".*" already exists/.test(words)) return 'predecessor alive';
    throw new Error(`PostgreSQL ended while starting (${child.exitCode ?? child.signalCode}): ${words}`);
  }

  /** false: it ended. Throws on timeout. */
  private async becomesReady(child: ChildProcess): Promise<boolean> {
    const giveUpAt = performance.now() + READY_TIMEOUT_MS;
    while (isRunning(child)) {
      if (await saysReady(this.folder.data, child.pid)) {
        await this.answers();
        return true;
      }
      if (performance.now() > giveUpAt) {
        throw new Error(`PostgreSQL is not ready after ${READY_TIMEOUT_MS} ms: ${await endOf(this.folder.logFile, 0)}`);
      }
      await sleep(LOOK_AGAIN_MS);
    }
    return false;
  }

  private async answers(): Promise<void> {
    const { host, port, user, password } = this;
    const client = new Client({ host, port, user, password, database: 'postgres', connectionTimeoutMillis: 5_000 });
    client.on('error', () => undefined);
    await client.connect();
    try {
      await client.query('SELECT 1');
    } finally {
      await client.end();
    }
  }

  private onDeath(how: number | string | null): void {
    if (this.stopping !== undefined) return;
    this.options.log.error({ how }, 'PostgreSQL ended by itself; it is started again');
    this.reviving = this.revive();
  }

  private async revive(): Promise<void> {
    for (let attempt = 1; attempt <= REVIVALS && this.stopping === undefined; attempt += 1) {
      try {
        await this.launchPatiently(this.port);
        this.options.log.warn({ pid: this.pid, attempt }, 'PostgreSQL runs again');
        return;
      } catch (error) {
        this.options.log.error({ err: error, attempt }, 'PostgreSQL did not start again');
        await sleep(REVIVE_PAUSE_MS * attempt);
      }
    }
  }
}

function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

async function endChild(child: ChildProcess): Promise<void> {
  child.ref();
  const ended = once(child, 'exit');
  for (const [signal, boundMs] of [
    ['SIGINT', FAST_STOP_MS],
    ['SIGQUIT', IMMEDIATE_STOP_MS],
    ['SIGKILL', IMMEDIATE_STOP_MS],
  ] as const) {
    child.kill(signal);
    const giveUp = new AbortController();
    await Promise.race([ended, sleep(boundMs, undefined, { signal: giveUp.signal }).catch(() => undefined)]);
    giveUp.abort();
    if (!isRunning(child)) return;
  }
}

/** Last line of the pid file, as pg_ctl reads it. */
async function saysReady(data: string, pid: number | undefined): Promise<boolean> {
  const lines = (await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, HOST);
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

async function endOf(logFile: string, from: number): Promise<string> {
  const file = await open(logFile, 'r');
  try {
    const { size } = await file.stat();
    const start = Math.max(from, size - 2_000);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2_000), 0, 2_000, start);
    return buffer.toString('utf8', 0, bytesRead).trim();
  } finally {
    await file.close();
  }
}

function rotate(logFile: string): void {
  if (existsSync(logFile) && statSync(logFile).size > LARGEST_LOG_BYTES) renameSync(logFile, `${logFile}.1`);
}
