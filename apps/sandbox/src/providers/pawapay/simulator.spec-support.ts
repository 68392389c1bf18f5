import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ManualClock } from '@vuka/runtime';

import { type Heard, Listener } from '../simulation/listener.spec-support.js';
import type { Control } from './control/control.js';
import { type PawapaySimulator, startPawapaySimulator } from './pawapay-simulator.js';
import type { SettingsInput } from './settings.js';

export const TOKEN = 'test-token-of-a-merchant';
export const MINUTE_MS = 60_000;
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the expectations are what checks it
export type Body = any;

export interface Answer {
  readonly status: number;
  readonly text: string;
  /** null: it is no JSON. */
  readonly body: Body;
}

/** A simulator in this process on a folder of its own, with a clock that stands still, and a listener for its callbacks. */
export class RunningPawapay {
  readonly clock = new ManualClock(new Date('2026-11-21T10:00:00.000Z'));
  private simulator!: PawapaySimulator;

  private constructor(
    private readonly folder: string,
    readonly listener: Listener,
    private readonly settings: SettingsInput,
  ) {}

  static async start(settings: SettingsInput = {}): Promise<RunningPawapay> {
    const folder = await mkdtemp(join(tmpdir(), 'pawapay-'));
    const listener = await Listener.start('/callbacks/pawapay/abc');
    const callbacks = { url: listener.url, ...settings.callbacks };
    const running = new RunningPawapay(folder, listener, { holdMs: 60_000, ...settings, callbacks });
    await running.begin();
    return running;
  }

  get baseUrl(): string {
    return this.simulator.baseUrl;
  }

  get controlUrl(): string {
    return this.simulator.controlUrl;
  }

  get control(): Control {
    return this.simulator.control;
  }

  async restart(): Promise<void> {
    await this.simulator.stop();
    await this.begin();
  }

  async remove(): Promise<void> {
    await this.simulator.stop();
    await this.listener.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  async call(
    method: 'GET' | 'POST',
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await fetch(path.startsWith('http') ? path : this.simulator.baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...headers },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, text, body: parsed(text) };
  }

  /** Pays to the number of these four digits. */
  pay(digits: string, id = idOf(digits)): Promise<Answer> {
    return this.call('POST', '/v2/payouts', payoutTo(digits, id));
  }

  async record(id: string): Promise<Body> {
    return (await this.call('GET', `/v2/payouts/${id}`)).body;
  }

  /** What was called back about an id. */
  heardOf(id: string): Heard[] {
    return this.listener.heard.filter(({ body }) => body['payoutId'] === id);
  }

  private async begin(): Promise<void> {
    this.simulator = await startPawapaySimulator({
      folder: this.folder,
      token: TOKEN,
      log: silent,
      clock: this.clock,
      settings: this.settings,
    });
  }
}

/** A UUIDv4, the same for the same text. */
export function idOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** 1500 MWK to the number of these four digits. */
export function payoutTo(digits: string, id = idOf(digits)): Record<string, unknown> {
  return {
    payoutId: id,
    amount: '1500',
    currency: 'MWK',
    recipient: { type: 'MMO', accountDetails: { phoneNumber: `26599345${digits}`, provider: 'AIRTEL_MWI' } },
    clientReferenceId: 'po-1',
    customerMessage: 'Payout po1',
    metadata: [{ po: '1' }],
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
