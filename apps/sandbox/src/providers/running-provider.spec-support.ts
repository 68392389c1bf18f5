import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import {
  type SandboxProvider,
  sandboxCredential,
  type SandboxProviderOptions,
  startSandboxProvider,
} from './sandbox-provider.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const CREDENTIAL = sandboxCredential();

export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export class RunningProvider {
  nowMs = Date.parse('2026-11-21T10:00:00.000Z');
  private simulator!: SandboxProvider;

  private constructor(
    readonly folder: string,
    private readonly options: Partial<SandboxProviderOptions>,
  ) {}

  static async start(options: Partial<SandboxProviderOptions> = {}): Promise<RunningProvider> {
    const running = new RunningProvider(await mkdtemp(join(tmpdir(), 'provider-')), options);
    await running.begin();
    return running;
  }

  get baseUrl(): string {
    return this.simulator.baseUrl;
  }

  get headers(): Record<string, string> {
    return { authorization: `Bearer ${CREDENTIAL}`, 'content-type': 'application/json' };
  }

  async restart(): Promise<void> {
    await this.simulator.stop();
    await this.begin();
  }

  stop(): Promise<void> {
    return this.simulator.stop();
  }

  async remove(): Promise<void> {
    await this.simulator.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  async call(method: 'GET' | 'POST', path: string, body?: object): Promise<Answer> {
    const response = await fetch(this.simulator.baseUrl + path, {
      method,
      headers: this.headers,
      body: body === undefined ? null : JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Answer['body'] };
  }

  submit(id: string, account_number: string): Promise<Answer> {
    return this.call('POST', '/v1/payouts', payoutTo(id, account_number));
  }

  async record(id: string): Promise<Answer['body']> {
    return (await this.call('GET', `/v1/payouts/${id}`)).body;
  }

  async steer(id: string, action: 'release' | 'pay' | 'reverse'): Promise<unknown> {
    return (await this.call('POST', `/v1/control/payouts/${id}/${action}`, {})).body['done'];
  }

  async book(): Promise<Answer['body'][]> {
    return (await this.call('GET', '/v1/book')).body['entries'] as Answer['body'][];
  }

  async begin(): Promise<void> {
    const clock = { now: (): Date => new Date(this.nowMs) };
    this.simulator = await startSandboxProvider({
      folder: this.folder,
      credential: CREDENTIAL,
      log: silent,
      clock,
      ...this.options,
    });
  }
}

export function payoutTo(id: string, account_number: string): object {
  return { id, order: 'o-1', amount: '100.00', currency: 'KES', recipient: { account_number, bank_code: '01' } };
}
