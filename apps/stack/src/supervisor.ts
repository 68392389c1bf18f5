import { randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { loadTerms } from '@vuka/config';
import {
  type FolderLock,
  isServiceName,
  loadSecrets,
  removeFolderAdmin,
  type SandboxDirectory,
  type Secrets,
  seedSandbox,
  setupCredentials,
  STACK_FOLDER_VARIABLE,
  takeFolder,
  writeSandboxFile,
} from '@vuka/data-folder';
import { HttpServices } from '@vuka/http';
import { type Member, PortPicker } from '@vuka/local-servers';
import {
  createLogger,
  identifyProcess,
  type Logger,
  Metrics,
  type Program,
  StoppedWhileStarting,
  systemClock,
} from '@vuka/runtime';
import { exampleDeposit } from '@vuka/sandbox';

import { ControlServer, type ChangeRequest, type ControlRequest } from './console/control-server.js';
import { stackBanner } from './console/stack-banner.js';
import type { ControlAnswer, StackStatus } from './console/stack-view.js';
import { endLeftovers } from './members/leftovers.js';
import { boundLog } from './members/process-log.js';
import {
  openStackFolder,
  readRunFacts,
  settleFacts,
  writeRunFacts,
  type RunFacts,
  type StackFolder,
} from './parts/stack-files.js';
import { planProviders } from './parts/stack-providers.js';
import type { StackServers } from './parts/stack-servers.js';
import { StackServices } from './parts/stack-services.js';
import { type StackSettings } from './parts/stack-settings.js';
import { StackSteps, together, type Tell } from './parts/stack-steps.js';

const LOCK_WAIT_MS = 2_000;
const HOUSEKEEPING_MS = 1_000;
const FULL = new Set(['ready', 'elsewhere']);

interface Parts {
  folder: StackFolder;
  lock: FolderLock;
  servers: StackServers;
  providers: Member[];
  services: StackServices;
}

export interface StackTold {
  readonly line: Tell;
  /** Holds sandbox keys. */
  readonly ready: (banner: string) => void;
  readonly stopAsked: () => void;
}

export class Supervisor implements Program {
  private readonly steps: StackSteps;
  private readonly log: Logger;
  private readonly since = new Date().toISOString();
  private readonly control: ControlServer;
  private readonly token = randomBytes(24).toString('base64url');
  private readonly parts: Partial<Parts> = {};
  private controlPort = 0;
  private isUp = false;
  private starting: Promise<void> = Promise.resolve();
  private stopping: Promise<void> | undefined;
  private housekeeping: NodeJS.Timeout | undefined;
  private recorded = '';
  /** One command at a time, or two would wait for each other's processes. */
  private turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly stack: StackSettings,
    private readonly told: StackTold,
  ) {
    this.steps = new StackSteps(told.line);
    this.log = createLogger('stack', { level: stack.settings.logLevel });
    this.control = new ControlServer(this.token, (request) => this.obey(request));
  }

  /** Resolves when all is ready. Throws BootError; call stop() after a failure. */
  start(): Promise<void> {
    const work = this.startAll().then(
      () => {
        this.isUp = true;
      },
      (error: unknown) => {
        throw this.stopping === undefined ? error : new StoppedWhileStarting('stack');
      },
    );
    this.starting = work.catch(() => undefined);
    return work;
  }

  /** Gateways first, then services, servers last. Each process has its own time limit. */
  stop(): Promise<void> {
    this.stopping ??= this.stopAll();
    return this.stopping;
  }

  async status(): Promise<StackStatus> {
    const members = await Promise.all(this.members.map((member) => member.view()));
    return {
      ok: members.length > 0 && members.every(({ state }) => FULL.has(state)),
      folder: this.stack.folder,
      supervisor: { pid: process.pid, since: this.since },
      gateways: this.gateways,
      members,
    };
  }

  private async startAll(): Promise<void> {
    const { steps, stack } = this;
    const { folder, secrets, last } = await steps.run(`folder ${stack.folder}`, () => this.takeFolder());
    await loadTerms(stack.settings);
    const ports = new PortPicker();
    const ground = { log: this.log, restarts: stack.restarts, onChange: () => this.note() };
    const facts = await settleFacts(folder, stack.kafka);
    const lastApiPort = last === null ? null : Number(new URL(last.gateways[0] ?? 'http://x:0').port);
    const services = await StackServices.plan({
      stack,
      folder,
      secrets,
      ports,
      lastApiPort: lastApiPort === 0 ? null : lastApiPort,
      ...ground,
    });
    const providers = await planProviders(folder, secrets, ports, ground);
    Object.assign(this.parts, { services, providers });
    services.warmUp();
    this.controlPort = await this.control.start();
    this.housekeeping = setInterval(() => this.keepHouse(), HOUSEKEEPING_MS);
    this.note();
    // Imported late: drivers take a second to load, so the programs above load in parallel.
    const { StackServers } = await import('./parts/stack-servers.js');
    const servers = new StackServers({ stack, folder, facts, secrets, steps, tell: this.told.line, ...ground });
    this.parts.servers = servers;
    await together([
      servers.startPostgres(),
      servers.startKafka(),
      servers.startRedis(),
      servers.startChains(),
      steps.run('sandbox providers', () => together(providers.map((provider) => provider.start()))),
    ]);
    this.goOn();
    await services.settle(await this.serversPlace(servers));
    await together(services.all.map((group) => steps.run(group.service, () => group.start(stack.instances))));
    this.goOn();
    await this.welcome(folder, secrets, services, servers);
  }

  private async welcome(
    folder: StackFolder,
    secrets: Secrets,
    services: StackServices,
    { chains }: StackServers,
  ): Promise<void> {
    const partners = await this.steps.run('sandbox partners', () => this.seed(secrets, services));
    const [baseUrl = ''] = services.gateways;
    const directory: SandboxDirectory = {
      base_url: baseUrl,
      docs_url: `${baseUrl}/docs`,
      partners,
      chains: chains.directory,
    };
    await writeSandboxFile(folder.data.sandboxFile, directory);
    this.note();
    for (const name of this.stack.settings.unknownVariables)
      this.told.line(`  ! ${name} is not a setting of Vuka: check the spelling`);
    const deposit = await exampleDeposit(directory);
    this.told.ready(
      stackBanner({
        status: await this.status(),
        directory,
        sandboxFile: folder.data.sandboxFile,
        readyAfterMs: performance.now(),
        exampleReference: `hello-${Date.now().toString(36)}`,
        deposit,
      }),
    );
  }

  private async seed(secrets: Secrets, services: StackServices): Promise<SandboxDirectory['partners']> {
    const calls = new HttpServices({
      urls: services.urls,
      credentials: setupCredentials(secrets),
      log: this.log,
      clock: systemClock,
      metrics: new Metrics('stack'),
    });
    try {
      return await seedSandbox(calls, secrets, this.stack.settings.testPartners);
    } finally {
      await calls.close();
    }
  }

  private async takeFolder(): Promise<{ folder: StackFolder; secrets: Secrets; last: RunFacts | null }> {
    const onWait = (pid: number): void =>
      this.told.line(`  … waiting for another Vuka (process ${pid}) to leave this folder`);
    const { folder, lock } = await takeFolder(
      { path: this.stack.folder, variable: STACK_FOLDER_VARIABLE, open: () => openStackFolder(this.stack.folder) },
      { waitMs: LOCK_WAIT_MS, onWait },
    );
    Object.assign(this.parts, { folder, lock });
    const last = readRunFacts(folder.path);
    // Other leftovers are handled by the servers' own starts.
    const ended = await endLeftovers(last?.processes.filter(({ kind }) => kind !== 'server') ?? []);
    if (ended.length > 0)
      this.told.line(`  ! ended what an earlier stack had left: ${ended.map(({ name }) => name).join(', ')}`);
    return { folder, secrets: await loadSecrets(folder.data, 'sandbox'), last };
  }

  private async serversPlace(servers: StackServers): Promise<Parameters<StackServices['settle']>[0]> {
    const { postgres, kafka, redis, chains, connection } = servers;
    const { host, port } = postgres.running;
    const url = new URL(redis.running.url);
    const password = url.password === '' ? null : decodeURIComponent(url.password);
    url.password = '';
    return {
      database: { host, port, name: 'vuka' },
      kafka: { brokers: kafka.brokers, prefix: connection.prefix },
      redis: { url: url.href, password },
      chains: {
        endpoints: chains.endpoints,
        deposits: await servers.depositSources(),
        refundKeysFile: await servers.refundKeys(),
      },
    };
  }

  /** Throws if a stop was requested. */
  private goOn(): void {
    if (this.stopping !== undefined) throw new StoppedWhileStarting('stack');
  }

  private async stopAll(): Promise<void> {
    const { services, providers = [], servers, lock, folder } = this.parts;
    const endOf = (members: readonly { stop(): Promise<void> }[]): Promise<unknown> =>
      Promise.allSettled(members.map((member) => member.stop()));
    const groups = services?.all ?? [];
    if (folder !== undefined) await removeFolderAdmin(folder.data);
    // A start in progress is stopped too and then fails.
    await endOf(groups.filter(({ service }) => service === 'gateway'));
    await endOf(groups.filter(({ service }) => service !== 'gateway'));
    await endOf(providers);
    await this.starting;
    await endOf([...groups, ...providers]);
    await services?.coolDown();
    await endOf(servers?.all ?? []);
    clearInterval(this.housekeeping);
    this.control.stop();
    if (folder !== undefined && this.controlPort !== 0) this.note();
    await lock?.release();
  }

  private get members(): Member[] {
    const { servers, providers = [], services } = this.parts;
    return [
      ...(servers?.all ?? []),
      ...providers,
      ...(services?.all ?? []).flatMap(({ instances }) => instances.map(({ member }) => member)),
    ];
  }

  private get gateways(): string[] {
    return this.parts.services?.gateways ?? [];
  }

  private async obey(request: ControlRequest): Promise<ControlAnswer> {
    if (request.do === 'status') return { ok: true, message: '', status: await this.status() };
    if (request.do === 'stop-all') {
      this.told.stopAsked();
      return { ok: true, message: 'stopping' };
    }
    if (!this.isUp) return { ok: false, message: 'The stack is still starting. Try again in a moment.' };
    if (request.do === 'kill') return this.kill(request.name);
    const work = this.turn.then(() => this.carryOut(request));
    this.turn = work.catch(() => undefined);
    return work;
  }

  private carryOut(request: ChangeRequest): Promise<ControlAnswer> {
    return request.do === 'scale'
      ? this.scale(request.service, request.instances)
      : this.change(request.do, request.name);
  }

  private kill(name: string): ControlAnswer {
    const member = this.named(name)[0];
    const [pid] = member?.pids() ?? [];
    if (member === undefined) return this.unknown(name);
    member.kill();
    return pid === undefined
      ? { ok: false, message: `${name} does not run.` }
      : {
          ok: true,
          message: `${member.name} (process ${pid}) is killed.${this.stack.restarts ? ' It is started again.' : ''}`,
        };
  }

  private async change(what: 'start' | 'stop' | 'restart', name: string): Promise<ControlAnswer> {
    const members = this.named(name);
    if (members.length === 0) return this.unknown(name);
    for (const member of members) {
      if (what !== 'start') await member.stop();
      if (what !== 'stop') await member.start();
    }
    const done = { start: 'runs', stop: 'is stopped', restart: 'was stopped and runs again' }[what];
    return { ok: true, message: `${members.map((member) => member.name).join(', ')} ${done}.` };
  }

  private async scale(service: string, instances: number): Promise<ControlAnswer> {
    if (!isServiceName(service) || this.parts.services === undefined) return this.unknown(service);
    await this.parts.services.group(service).scale(instances);
    this.note();
    return {
      ok: true,
      message: `${service} runs ${instances === 1 ? 'once' : `${instances} times`}.`,
      status: await this.status(),
    };
  }

  private named(name: string): Member[] {
    const instances = isServiceName(name)
      ? this.parts.services?.group(name).instances.map(({ member }) => member)
      : undefined;
    return instances ?? this.members.filter((member) => member.name === name);
  }

  private unknown(name: string): ControlAnswer {
    return {
      ok: false,
      message: `There is no process ${name} here, only ${this.members.map((member) => member.name).join(', ')}.`,
    };
  }

  private note(): void {
    const { folder } = this.parts;
    if (folder === undefined) return;
    const running = this.members.flatMap((member) =>
      member
        .pids()
        .map((pid) => ({ name: member.name, kind: member.kind, pid, started: identifyProcess(pid)?.started ?? '' })),
    );
    const supervisor = { pid: process.pid, started: identifyProcess(process.pid)?.started ?? '', since: this.since };
    const facts: RunFacts = {
      version: 1,
      supervisor,
      control: { port: this.controlPort, token: this.token },
      gateways: this.gateways,
      processes: running,
    };
    const text = JSON.stringify(facts);
    if (text === this.recorded) return;
    this.recorded = text;
    writeRunFacts(folder.path, facts);
  }

  private keepHouse(): void {
    this.note();
    const { folder } = this.parts;
    if (folder === undefined) return;
    for (const member of this.members) {
      const file = join(folder.logs, `${member.name}.log`);
      if (member.kind !== 'server' && existsSync(file) && statSync(file).isFile()) boundLog(file);
    }
  }
}
