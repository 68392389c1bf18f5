import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { programFile, ROOT } from './program-file.js';
import { until } from '../until.js';
import { whereItStands } from './where-it-stands.js';

export const STOP_WITHIN_MS = 40_000;
const LOG_TAIL_LINES = 60;
const SLOW_START_MS = 45_000;

export interface SandboxPartner {
  readonly id: number;
  readonly name: string;
  readonly consumer_key: string;
  readonly checkout_key: string;
  readonly webhook_secret: string;
}

interface SandboxFile {
  readonly base_url: string;
  readonly docs_url: string;
  readonly partners: readonly SandboxPartner[];
  readonly chains?: Readonly<Record<string, { readonly rpc_url: string }>>;
}

export interface StartOptions {
  /** The caller removes it. Without it dispose() removes a new one. */
  readonly dataDir?: string;
  /**
   * Over the defaults; '' removes one. Without `VUKA_TEST_WIRE_SEED` a sandbox gets a random one, printed when a test
   * fails.
   */
  readonly env?: Environment;
}

export type Environment = Readonly<Record<string, string>>;

export interface Death {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Limits work but are out of reach; suites about limits set their own. */
const UNREACHED_LIMITS: Environment = {
  RATE_LIMIT_PARTNER: '1000000/1000000',
  RATE_LIMIT_LOOKUPS: '1000000/1000000',
  RATE_LIMIT_DESTINATION: '1000000/1000000',
  RATE_LIMIT_FAILED_AUTH: '1000000/1000000',
};

/** A node per chain costs much, so suites that need chains name them. */
const NO_CHAINS: Environment = { VUKA_SANDBOX_CHAINS: 'none' };

export const SEED = 'VUKA_TEST_WIRE_SEED';
const SEEDS = 4_294_967_295;

/** The test environment finds every running Vuka here, to print its log after a failure and to end it. */
export const RUNNING_VUKAS = Symbol.for('vuka.testing.running');

function running(): Set<VukaProcess> {
  const holder = globalThis as { [RUNNING_VUKAS]?: Set<VukaProcess> };
  return (holder[RUNNING_VUKAS] ??= new Set());
}

/** Of this machine's environment what a download needs; nothing that could change how Vuka behaves. */
const OF_MACHINE = ['PATH', 'HOME', 'NODE_EXTRA_CA_CERTS', 'HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'];

function machineEnvironment(): Environment {
  return Object.fromEntries(
    OF_MACHINE.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

export function newDataDir(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'vuka-run-'));
}

/** One data folder and the Vuka of the embedded profile on it, which can be stopped, killed and restarted. */
export class VukaProcess {
  baseUrl = '';
  partners: readonly SandboxPartner[] = [];
  readonly logFile: string;
  /** Seed of the test event bus, over all starts; '' without one. */
  readonly eventBusSeed: string;
  protected child: ChildProcess | undefined;
  protected readonly program: readonly string[] = ['apps/standalone/dist/main.js'];
  protected readonly readyWithinMs: number = 240_000;
  protected readonly stopWithinMs: number = STOP_WITHIN_MS;
  private logStart = 0;
  private told = -1;
  private isLent = false;

  constructor(
    readonly dataDir: string,
    protected readonly options: StartOptions = {},
  ) {
    this.logFile = `${dataDir}.log`;
    // A fixed seed repeats a failure. Live has no test event bus.
    const drawn = this.isLive ? '' : (process.env[SEED] ?? String(randomInt(SEEDS)));
    this.eventBusSeed = options.env?.[SEED] ?? drawn;
  }

  get pid(): number {
    return this.child?.pid ?? 0;
  }

  private get isLive(): boolean {
    return this.options.env?.['VUKA_ENV'] === 'live';
  }

  partner(index = 0): SandboxPartner {
    const partner = this.partners[index];
    if (partner === undefined) throw new Error(`sandbox.json names no partner ${index}`);
    return partner;
  }

  /** Starts it (again); `env` is for this start only. Throws the end of its log if it is not ready in time. */
  async restart(env: Environment = {}): Promise<void> {
    this.mustBeOurs();
    if (this.isRunning()) throw new Error('it runs already');
    this.launch(env);
    let stands = '';
    const look = setTimeout(() => {
      stands = this.whereItStands();
    }, SLOW_START_MS);
    try {
      const state = await until(() => this.startState(), {
        withinMs: this.readyWithinMs,
        what: 'Vuka is ready',
        everyMs: 25,
      });
      if (state === 'ended')
        throw new Error(`it ended by itself (${this.child?.exitCode ?? this.child?.signalCode ?? 'not started'})`);
      this.baseUrl = state.readyAt;
    } catch (error) {
      await this.kill9({ postgres: true });
      throw new Error(`Vuka did not start: ${(error as Error).message}\n${this.logTail()}${stands}`, { cause: error });
    } finally {
      clearTimeout(look);
    }
    this.partners = this.sandboxFile()?.partners ?? [];
  }

  get chainUrls(): ReadonlyMap<string, string> {
    return new Map(Object.entries(this.sandboxFile()?.chains ?? {}).map(([name, { rpc_url: url }]) => [name, url]));
  }

  /** Restarts these services to read changed files; one process restarts as a whole. */
  async restartServices(_names: readonly string[]): Promise<void> {
    await this.stop();
    await this.restart();
  }

  /** Uses a Vuka that somebody else started on this folder: it is neither started nor stopped here. */
  attach(partners: readonly SandboxPartner[]): void {
    this.isLent = true;
    this.baseUrl = this.sandboxFile()?.base_url ?? '';
    this.partners = partners;
    this.markLogs();
    running().add(this);
  }

  sandboxFile(): SandboxFile | null {
    const file = join(this.dataDir, 'sandbox.json');
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as SandboxFile) : null;
  }

  async runToEnd(withinMs: number): Promise<{ code: number | null; output: string }> {
    this.launch();
    const code = await this.exitCode(withinMs);
    this.forget();
    return { code, output: this.output() };
  }

  /** Like Ctrl-C; returns the exit code. */
  async stop(signal: 'SIGINT' | 'SIGTERM' = 'SIGINT'): Promise<number | null> {
    this.mustBeOurs();
    if (!this.isRunning()) return this.child?.exitCode ?? null;
    this.child?.kill(signal);
    const code = await this.exitCode(this.stopWithinMs);
    this.forget();
    return code;
  }

  /** With `postgres` like a power cut, without it like an out-of-memory kill of the process. */
  async kill9({ postgres }: { readonly postgres: boolean }): Promise<void> {
    this.mustBeOurs();
    if (this.isRunning()) this.child?.kill('SIGKILL');
    await until(() => !this.isRunning(), { withinMs: STOP_WITHIN_MS, what: 'the killed process is gone' });
    if (postgres && this.postgresPid() !== null) await this.kill9Postgres();
    if (postgres) await Promise.all(this.chainPids().map((pid) => endNow(pid, 'a killed chain')));
    this.forget();
  }

  async death(withinMs: number): Promise<Death> {
    await until(() => !this.isRunning(), { withinMs, what: 'the process ends by itself', everyMs: 5 });
    this.forget();
    return { code: this.child?.exitCode ?? null, signal: this.child?.signalCode ?? null };
  }

  async kill9Postgres(): Promise<void> {
    this.mustBeOurs();
    const server = this.postgresPid();
    if (server === null) throw new Error('no PostgreSQL runs here');
    await endNow(server, 'the killed PostgreSQL');
  }

  async dispose(): Promise<void> {
    if (this.isLent) return this.forget();
    await this.stop().catch(() => undefined);
    await this.kill9({ postgres: true });
    if (this.options.dataDir !== undefined) return;
    await rm(this.dataDir, { recursive: true, force: true, maxRetries: 5 });
    await rm(this.logFile, { force: true });
  }

  isRunning(): boolean {
    const { child } = this;
    return child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
  }

  /** null when none runs. */
  postgresPid(): number | null {
    const file = join(this.dataDir, 'postgres/data/postmaster.pid');
    if (!existsSync(file)) return null;
    const pid = parseInt(readFileSync(file, 'utf8'), 10);
    return Number.isSafeInteger(pid) && pid > 1 && commandLineOf(pid).includes(this.dataDir) ? pid : null;
  }

  chainPids(): readonly number[] {
    const chains = join(this.dataDir, 'chains');
    const files = existsSync(chains) ? readdirSync(chains).map((name) => join(chains, name, 'server.json')) : [];
    const pids = files
      .filter((file) => existsSync(file))
      .map((file) => (JSON.parse(readFileSync(file, 'utf8')) as { pid: number }).pid);
    return pids.filter((pid) => commandLineOf(pid).includes(this.dataDir));
  }

  output(): string {
    return existsSync(this.logFile) ? readFileSync(this.logFile).subarray(this.logStart).toString('utf8') : '';
  }

  /** New output since the last call, to explain a failed test; '' if none. */
  logTail(): string {
    const text = this.output();
    if (text.length === this.told) return '';
    this.told = text.length;
    return [
      `--- the end of ${this.logFile}${this.eventBusSeed && ` (${SEED}=${this.eventBusSeed})`}`,
      ...this.tailLines(),
      '---',
      '',
    ].join('\n');
  }

  /** Without the banner, which holds keys. */
  protected tailLines(): readonly string[] {
    return tailOf(this.output());
  }

  protected environment(): Environment {
    return { VUKA_DATA_DIR: this.dataDir, PORT: '0' };
  }

  protected forget(): void {
    running().delete(this);
  }

  protected whereItStands(): string {
    return whereItStands(this.pid);
  }

  protected mustBeOurs(): void {
    if (this.isLent)
      throw new Error('this Vuka is shared: a suite that stops or starts one opens a fixture of its own');
  }

  protected markLogs(): void {
    this.told = -1;
    this.logStart = existsSync(this.logFile) ? statSync(this.logFile).size : 0;
  }

  protected launch(env: Environment = {}): void {
    const [script = '', ...words] = this.program;
    const program = programFile(script);
    this.markLogs();
    const log = openSync(this.logFile, 'a', 0o600);
    this.child = spawn(process.execPath, ['--enable-source-maps', program, ...words], {
      cwd: ROOT,
      env: {
        ...machineEnvironment(),
        ...this.environment(),
        ...UNREACHED_LIMITS,
        ...(this.isLive ? {} : NO_CHAINS),
        ...this.options.env,
        [SEED]: this.eventBusSeed,
        ...env,
      },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.child.once('error', () => undefined);
    running().add(this);
  }

  private async startState(): Promise<{ readonly readyAt: string } | 'ended' | null> {
    if (!this.isRunning()) return 'ended';
    const [, address] = /Vuka is ready: (http\S+)/.exec(this.output()) ?? [];
    if (address === undefined) return null;
    const health = await fetch(`${address}/health/ready`);
    await health.body?.cancel();
    return health.status === 200 ? { readyAt: address } : null;
  }

  private async exitCode(withinMs: number): Promise<number | null> {
    await until(() => !this.isRunning(), { withinMs, what: 'the process ends' });
    return this.child?.exitCode ?? null;
  }
}

export function tailOf(text: string): string[] {
  return text
    .trimEnd()
    .split('\n')
    .filter((line) => /^\{|^ {2}[✓…] |✗|Error|^ {4}at /.test(line))
    .slice(-LOG_TAIL_LINES);
}

export async function endNow(pid: number, what: string): Promise<void> {
  signal(pid, 'SIGKILL');
  await until(() => !isAlive(pid), { withinMs: STOP_WITHIN_MS, what: `${what} is gone` });
}

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function isAlive(pid: number): boolean {
  return commandLineOf(pid) !== '';
}

/** '' if the process is gone or a zombie. */
export function commandLineOf(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return execFileSync('ps', ['-p', String(pid), '-o', 'command='], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return '';
  }
}
