import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { SERVICE_NAMES, type ServiceName } from '@vuka/contracts';
import {
  addressesOf,
  instanceName,
  OPERATOR,
  type Secrets,
  secretsFileOf,
  serviceEnvironment,
  sandboxOperators,
  serviceSecrets,
  type Surroundings,
  writeFolderAdmin,
  writeOperatorFiles,
} from '@vuka/data-folder';
import { assertAddressIsFree } from '@vuka/http';
import type { PortPicker } from '@vuka/local-servers';
import { BootError } from '@vuka/runtime';

import type { MemberGround, ProcessPlan } from '../members/child-process-member.js';
import { ServiceGroup } from '../members/service-group.js';
import { endChild, isRunning, spawnWarm } from '../members/spawn-child.js';
import type { StackFolder } from './stack-files.js';
import type { StackSettings } from './stack-settings.js';

const PROJECTS = fileURLToPath(new URL('../../..', import.meta.url));
/** Loaded by every service. */
const WARM_HOST = [
  new URL('../../../../libs/service-host/dist/index.js', import.meta.url),
  new URL('../../../../libs/service-host/dist/process/service-process.js', import.meta.url),
].map((file) => fileURLToPath(file));
const HEALTH_WITHIN_MS = 2_000;
const USUAL_API_PORT = 3_100;

export interface ServicesGround extends MemberGround {
  readonly stack: StackSettings;
  readonly folder: StackFolder;
  readonly secrets: Secrets;
  readonly ports: PortPicker;
  readonly lastApiPort: number | null;
}

export class StackServices {
  private readonly groups = new Map<ServiceName, ServiceGroup>();
  private around: Surroundings | undefined;
  private readonly warm = new Map<string, ChildProcess>();

  private constructor(
    private readonly ground: ServicesGround,
    private readonly addresses: Readonly<Record<ServiceName, number>>,
    private readonly firstApiPort: number,
  ) {
    for (const service of SERVICE_NAMES) {
      this.groups.set(
        service,
        new ServiceGroup(service, {
          ...pick(ground),
          addressPort: addresses[service],
          hasFront: service !== 'gateway',
          plan: (index, port) => this.planOf(service, index, port),
        }),
      );
    }
  }

  /** Picks ports. Throws BootError if the API's configured port is in use. */
  static async plan(ground: ServicesGround): Promise<StackServices> {
    const { ports } = ground;
    const picked: [ServiceName, number][] = [];
    for (const name of SERVICE_NAMES) picked.push([name, await ports.pick()]);
    return new StackServices(ground, Object.fromEntries(picked) as Record<ServiceName, number>, await apiPort(ground));
  }

  /** Loads programs while the servers start; each then waits for start(). */
  warmUp(): void {
    for (const service of SERVICE_NAMES) {
      for (let index = 0; index < this.ground.stack.instances; index += 1) {
        const name = instanceName(service, index);
        this.warm.set(
          name,
          spawnWarm(programOf(service), this.logOf(name), [...WARM_HOST, join(PROJECTS, service, 'dist/index.js')]),
        );
      }
    }
  }

  async coolDown(): Promise<void> {
    await Promise.all([...this.warm.values()].filter(isRunning).map(endChild));
  }

  get all(): readonly ServiceGroup[] {
    return [...this.groups.values()];
  }

  group(service: ServiceName): ServiceGroup {
    const group = this.groups.get(service);
    if (group === undefined) throw new Error(`no service ${service}`);
    return group;
  }

  get urls(): Readonly<Record<ServiceName, string>> {
    return addressesOf(this.addresses);
  }

  get gateways(): string[] {
    const { host } = this.ground.stack.settings;
    const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
    return this.group('gateway').instances.map(
      ({ apiPort: port }) => `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port ?? 0}`,
    );
  }

  /** Called once the servers' addresses are known; then services can start. */
  async settle(around: Omit<Surroundings, 'addresses' | 'providersFile'>): Promise<void> {
    const { folder, secrets } = this.ground;
    this.around = { ...around, addresses: this.urls, providersFile: folder.data.providersFile };
    await Promise.all(
      SERVICE_NAMES.map((name) =>
        writeFile(
          secretsFileOf(folder.path, name),
          `${JSON.stringify(serviceSecrets(name, secrets, around.redis.password), null, 2)}\n`,
          { mode: 0o600 },
        ),
      ),
    );
    await writeOperatorFiles(folder.data, sandboxOperators(secrets));
    await writeFolderAdmin(folder.data, {
      operator: null,
      credential: secrets.internalCredential(OPERATOR),
      url: this.urls.admin,
    });
  }

  private logOf(name: string): string {
    return join(this.ground.folder.logs, `${name}.log`);
  }

  private async planOf(
    service: ServiceName,
    index: number,
    port: number | null,
  ): Promise<{ plan: ProcessPlan; internalPort: number; apiPort?: number }> {
    const { stack, folder, ports } = this.ground;
    if (this.around === undefined) throw new Error('the addresses of the servers are not known yet');
    const internalPort = port ?? (await ports.pick());
    const api =
      service === 'gateway'
        ? { host: stack.settings.host, port: index === 0 ? this.firstApiPort : await ports.pick() }
        : undefined;
    const name = instanceName(service, index);
    const place = { internalPort, secretsFile: secretsFileOf(folder.path, service), ...(api && { api }) };
    const plan: ProcessPlan = {
      name,
      kind: 'service',
      program: programOf(service),
      warm: this.warm.get(name),
      env: { ...stack.passedOn, ...serviceEnvironment(service, this.around, place), ...stack.serviceEnv[service] },
      ports: { ...(api && { api: api.port }), internal: internalPort },
      logFile: this.logOf(name),
      isReady: () => isReady(internalPort),
    };
    return { plan, internalPort, ...(api && { apiPort: api.port }) };
  }
}

function programOf(service: ServiceName): string {
  const program = join(PROJECTS, service, 'dist/main.js');
  if (!existsSync(program)) throw new BootError(`${program} is missing.`, 'Build first: npm run build');
  return program;
}

async function isReady(port: number): Promise<true | string> {
  const answer = await fetch(`http://127.0.0.1:${port}/health/ready`, {
    signal: AbortSignal.timeout(HEALTH_WITHIN_MS),
  });
  if (answer.status === 200) {
    await answer.body?.cancel();
    return true;
  }
  return whyNot((await answer.json()) as Record<string, unknown>);
}

function whyNot(body: Record<string, unknown>): string {
  const states =
    Object.values(body).find(
      (value): value is Record<string, unknown> => typeof value === 'object' && value !== null,
    ) ?? {};
  const reasons = Object.entries(states)
    .filter(([, state]) => typeof state === 'string' && state !== 'ready')
    .map(([name, state]) => `${name}: ${String(state)}`);
  return reasons.join(', ') || 'it reports that it is not ready';
}

async function apiPort({ stack, ports, lastApiPort }: ServicesGround): Promise<number> {
  const { apiPort: wanted, settings } = stack;
  if (wanted === null) return ports.prefer(lastApiPort ?? USUAL_API_PORT);
  if (wanted === 0) return lastApiPort === null ? ports.pick() : ports.prefer(lastApiPort);
  await assertAddressIsFree(settings).catch((error: unknown) => {
    throw error instanceof BootError
      ? new BootError(error.message, 'Leave PORT out, and the stack takes a free port. Or name another one.', {
          cause: error,
        })
      : error;
  });
  return wanted;
}

function pick({ log, restarts, onChange }: MemberGround): MemberGround {
  return { log, restarts, onChange };
}
