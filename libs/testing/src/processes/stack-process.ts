import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';

import { PROGRAMS, ROOT } from './program-file.js';
import { askStack, readRunFile, type StackMember, type StackStatus } from './stack-control.js';
import { until } from '../until.js';
import { whereItStands } from './where-it-stands.js';
import {
  commandLineOf,
  endNow,
  signal,
  STOP_WITHIN_MS,
  tailOf,
  VukaProcess,
  type Death,
  type Environment,
  type StartOptions,
} from './vuka-process.js';

export { askStack, readRunFile, type StackMember, type StackStatus } from './stack-control.js';

const CRASH_AT = 'VUKA_CRASH_AT';
const LINES_OF_EACH = 25;
const BACK_WITHIN_MS = 60_000;

export class StackProcess extends VukaProcess {
  protected override readonly program: readonly string[] = ['apps/stack/dist/main.js', '--foreground'];
  protected override readonly readyWithinMs: number = 240_000;
  protected override readonly stopWithinMs: number = 60_000;
  private logStarts = new Map<string, number>();

  constructor(dataDir: string, options: StartOptions = {}) {
    super(dataDir, options);
  }

  async status(): Promise<StackStatus> {
    const status = await askStack(this.dataDir, { do: 'status' });
    if (status === undefined) throw new Error('the supervisor told no status');
    return status;
  }

  async member(name: string): Promise<StackMember> {
    const { members } = await this.status();
    const found = members.find((member) => member.name === name);
    if (found === undefined)
      throw new Error(`the stack has no ${name}: ${members.map((member) => member.name).join(', ')}`);
    return found;
  }

  async pids(): Promise<Readonly<Record<string, number>>> {
    const { members } = await this.status();
    return Object.fromEntries(members.flatMap(({ name, pid }) => (pid === null ? [] : [[name, pid] as const])));
  }

  async gateways(): Promise<readonly string[]> {
    return (await this.status()).gateways;
  }

  /** kill -9; the supervisor starts it again. Returns the pid that died. */
  async killMember(name: string): Promise<number> {
    const pid = await this.pidOf(name);
    await endNow(pid, name);
    return pid;
  }

  /** Ends it in order; it stays down until startMember(). */
  async stopMember(name: string): Promise<void> {
    await askStack(this.dataDir, { do: 'stop', name });
  }

  async startMember(name: string): Promise<void> {
    await askStack(this.dataDir, { do: 'start', name });
  }

  /** Lets current work end first. A service name restarts its instances one by one. */
  async restartMember(name: string): Promise<void> {
    await askStack(this.dataDir, { do: 'restart', name });
  }

  protected override whereItStands(): string {
    const { processes = [] } = readRunFile(this.dataDir) ?? {};
    return [super.whereItStands(), ...processes.map(({ name, pid }) => `${name}\n${whereItStands(pid)}`)].join('\n');
  }

  override async restartServices(names: readonly string[]): Promise<void> {
    await Promise.all(names.map((name) => this.restartMember(name)));
  }

  async scale(service: string, instances: number): Promise<void> {
    await askStack(this.dataDir, { do: 'scale', service, instances });
  }

  /** SIGSTOP, like a cut link: connections stay open and nobody answers. */
  async pause(name: string): Promise<void> {
    signal(await this.pidOf(name), 'SIGSTOP');
  }

  async resume(name: string): Promise<void> {
    signal(await this.pidOf(name), 'SIGCONT');
  }

  async flushRedis(): Promise<void> {
    const { ports } = await this.member('redis');
    const { redis_password: password } = JSON.parse(
      readFileSync(join(this.dataDir, 'secrets/gateway.json'), 'utf8'),
    ) as { redis_password: string | null };
    await redisCommands(ports['redis'] ?? 0, [...(password === null ? [] : [['AUTH', password]]), ['FLUSHALL']]);
  }

  async isWhole(withinMs = BACK_WITHIN_MS): Promise<StackStatus> {
    return until(
      async () => {
        const status = await this.status();
        return status.ok && status;
      },
      { withinMs, what: 'every process of the stack is ready', everyMs: 100 },
    );
  }

  /** kill -9 of everything; with `postgres` of the servers too, like a power cut. */
  override async kill9({ postgres }: { readonly postgres: boolean }): Promise<void> {
    this.mustBeOurs();
    if (this.isRunning()) this.child?.kill('SIGKILL');
    await until(() => !this.isRunning(), { withinMs: STOP_WITHIN_MS, what: 'the killed supervisor is gone' });
    const processes = (readRunFile(this.dataDir)?.processes ?? []).filter(({ pid }) => isOurs(pid, this.dataDir));
    const doomed = processes.filter(({ kind, name }) => kind !== 'server' || (postgres && name !== 'postgres'));
    await Promise.all(doomed.map(({ pid, name }) => endNow(pid, name)));
    if (postgres && this.postgresPid() !== null) await this.kill9Postgres();
    this.forget();
  }

  override async death(withinMs: number): Promise<Death> {
    let known: readonly number[] = [];
    const gone = await until(
      async () => {
        // Status asks every process, which costs much. So first check whether a known pid has died.
        if (known.length > 0 && known.every((pid) => commandLineOf(pid) !== '')) return null;
        const { members } = await this.status();
        known = members.flatMap(({ pid }) => pid ?? []);
        return members.find(({ state }) => state === 'gone');
      },
      { withinMs, what: 'a process of the stack ends by itself', everyMs: 20 },
    );
    await this.kill9({ postgres: false });
    const [, how = ''] = /^ended: (\w+)$/.exec(gone.detail) ?? [];
    return how.startsWith('SIG') ? { code: null, signal: how as NodeJS.Signals } : { code: Number(how), signal: null };
  }

  override output(): string {
    return [super.output(), ...this.logs().map(({ text }) => text)].join('\n');
  }

  protected override tailLines(): readonly string[] {
    const own = tailOf(super.output());
    const each = this.logs().flatMap(({ name, text }) =>
      tailOf(text)
        .slice(-LINES_OF_EACH)
        .map((line) => `${name}: ${line}`),
    );
    return [...own, ...each];
  }

  protected override environment(): Environment {
    const broker = process.env['VUKA_TEST_KAFKA_URL'] ?? '';
    return { ...super.environment(), VUKA_STACK_DIR: this.dataDir, ...(broker !== '' && { VUKA_STACK_KAFKA: broker }) };
  }

  protected override markLogs(): void {
    super.markLogs();
    this.logStarts = new Map(logFiles(this.dataDir).map((file) => [file, statSync(file).size]));
  }

  protected override launch(env: Environment = {}): void {
    const dies = (env[CRASH_AT] ?? this.options.env?.[CRASH_AT] ?? '') !== '';
    super.launch(dies ? { VUKA_STACK_RESTART: 'never', ...env } : env);
  }

  private async pidOf(name: string): Promise<number> {
    const { pid } = await this.member(name);
    if (pid === null) throw new Error(`${name} does not run here`);
    return pid;
  }

  private logs(): { name: string; text: string }[] {
    return logFiles(this.dataDir).map((file) => ({
      name:
        file
          .split('/')
          .at(-1)
          ?.replace(/\.log$/, '') ?? file,
      text: readFileSync(file)
        .subarray(this.logStarts.get(file) ?? 0)
        .toString('utf8'),
    }));
  }
}

function logFiles(dataDir: string): string[] {
  const logs = join(dataDir, 'logs');
  const names = existsSync(logs)
    ? readdirSync(logs).filter((name) => /^(?!kafka|redis|postgres|stack).*\.log$/.test(name))
    : [];
  return names.map((name) => join(logs, name));
}

/** Pids are reused: checks that it is a program of this project or a server of this folder. */
function isOurs(pid: number, dataDir: string): boolean {
  const commandLine = commandLineOf(pid);
  return [join(ROOT, 'apps/'), join(PROGRAMS, 'apps/'), dataDir].some((place) => commandLine.includes(place));
}

/** Throws what Redis refuses. */
function redisCommands(port: number, commands: readonly (readonly string[])[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    let answers = '';
    socket.setTimeout(STOP_WITHIN_MS, () => socket.destroy(new Error('Redis does not answer')));
    socket.once('error', reject);
    socket.on('data', (chunk) => {
      answers += chunk.toString('utf8');
      if (answers.includes('-')) socket.destroy(new Error(`Redis refuses: ${answers.trim()}`));
      if (answers.split('\r\n').length - 1 < commands.length) return;
      socket.end();
      resolve();
    });
    const encode = (words: readonly string[]): string =>
      `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`;
    socket.write(commands.map(encode).join(''));
  });
}
