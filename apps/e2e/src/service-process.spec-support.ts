import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { eventPairsOf, SERVICES, type InternalCaller, type ServiceName } from '@vuka/contracts';
import { sandboxProvidersFile } from '@vuka/data-folder';
import { credentialHash } from '@vuka/http';
import { programFile, until } from '@vuka/testing';

/** A start of two seconds takes many on a busy machine. */
const WITHIN_MS = 60_000;
const KEY = Buffer.alloc(32, 7).toString('base64url');

export const PASSWORD = 'a-password-for-tests-alone';
const TOKEN = 't'.repeat(43);
/** What each caller shows. */
export const CREDENTIALS = Object.fromEntries(
  (['gateway', 'checkout', 'setup'] as const).map((caller) => [caller, randomBytes(32).toString('base64url')]),
) as Record<InternalCaller, string>;

/** One key for all, which only tests may have. */
function eventKeysOf(service: ServiceName): object {
  const keys = (others: readonly string[]): object =>
    Object.fromEntries(others.map((other) => [other, [{ id: 'e1', key: KEY }]]));
  const { to, from } = eventPairsOf(service);
  return { to: keys(to), from: keys(from) };
}

export interface Ports {
  readonly postgres: number;
  readonly kafka: number;
  readonly redis: number;
}

export const LOGINS = (['gateway', 'payments', 'notifier'] as const).map((name) => ({ name, password: PASSWORD }));

export class ServiceProcess {
  output = '';
  private readonly child: ChildProcess;
  private readonly ended: Promise<unknown>;

  constructor(
    readonly service: ServiceName,
    private readonly options: {
      readonly folder: string;
      readonly ports: Ports;
      readonly args?: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
    },
  ) {
    const { args = [], env = {} } = options;
    this.child = spawn(
      process.execPath,
      ['--enable-source-maps', programFile(`apps/${service}/dist/main.js`), ...args],
      { env: { ...this.environment(), ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    this.ended = once(this.child, 'exit');
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  async internalUrl(): Promise<string> {
    const line = await until(() => this.lines().find(({ msg }) => msg === 'ready') ?? (this.isRunning ? null : Promise.reject(new Error('it has ended'))), {
      withinMs: WITHIN_MS, what: `${this.service} says that it is ready\n${this.output}`,
    }); // prettier-ignore
    return String(line['internal_url']);
  }

  async health(kind: 'live' | 'ready'): Promise<{ status: number; body: string }> {
    const answer = await fetch(`${await this.internalUrl()}/health/${kind}`);
    return { status: answer.status, body: await answer.text() };
  }

  async until(what: string, condition: () => Promise<boolean> | boolean): Promise<void> {
    await until(condition, { withinMs: WITHIN_MS, what: `${this.service} ${what}` });
  }

  async end(signal?: NodeJS.Signals): Promise<number | string | null> {
    if (signal !== undefined && this.isRunning) this.child.kill(signal);
    await this.ended;
    return this.child.exitCode ?? this.child.signalCode;
  }

  private lines(): Record<string, unknown>[] {
    return this.output
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  private environment(): Record<string, string> {
    const { folder, ports } = this.options;
    const { service } = this;
    const secretsFile = join(folder, `${service}.json`);
    const internal = {
      present: Object.fromEntries(SERVICES[service].calls.map((name) => [name, CREDENTIALS.gateway])),
      accept: Object.entries(CREDENTIALS).map(([caller, shown]) => ({
        caller,
        credential_sha256: credentialHash(shown),
      })),
    };
    const secrets = {
      version: 1,
      env: this.options.env?.['VUKA_ENV'] ?? 'sandbox',
      service,
      database_password: PASSWORD,
      cipher_keys: [{ id: 'k1', key: KEY }],
      event_keys: eventKeysOf(service),
      index_keys: [{ id: 'i1', key: KEY }],
      webhook_keys: [{ id: 'w1', key: KEY }],
      internal,
      key_peppers: [{ id: 'p1', key: KEY }],
      providers: { sandbox: { credential: TOKEN }, sandbox_b: { credential: TOKEN }, pawapay: { credential: TOKEN } },
    };
    writeFileSync(secretsFile, JSON.stringify(secrets), { mode: 0o600 });
    const providersFile = join(folder, 'providers.json');
    const nobody = 'http://127.0.0.1:9';
    writeFileSync(providersFile, sandboxProvidersFile({ sandbox: nobody, sandbox_b: nobody }));
    return {
      PATH: process.env['PATH'] ?? '',
      VUKA_DATABASE_URL: `postgres://vuka_${service}@127.0.0.1:${ports.postgres}/vuka`,
      VUKA_KAFKA_BROKERS: `127.0.0.1:${ports.kafka}`,
      VUKA_REDIS_URL: `redis://127.0.0.1:${ports.redis}`,
      VUKA_INTERNAL_PORT: '0',
      VUKA_SECRETS_FILE: secretsFile,
      VUKA_PROVIDERS_FILE: providersFile,
    };
  }
}
