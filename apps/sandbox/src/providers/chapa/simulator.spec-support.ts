import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ManualClock } from '@vuka/runtime';

import { type Heard, Listener } from '../simulation/listener.spec-support.js';
import { type ChapaSimulator, startChapaSimulator } from './chapa-simulator.js';
import type { Control } from './control/control.js';
import type { SettingsInput } from './settings.js';

export const TOKEN = 'CHASECK-key-of-a-merchant';
export const SECRET_HASH = 'secret-hash-of-webhooks';
export const APPROVAL_SECRET = 'secret-of-approvals';
export const MINUTE_MS = 60_000;
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the expectations are what checks it
export type Body = any;

export interface Answer {
  readonly status: number;
  /** null: it is no JSON. */
  readonly body: Body;
}

/** A merchant's door. */
export class Door {
  private constructor(private readonly listener: Listener) {}

  static async start(path: string): Promise<Door> {
    return new Door(await Listener.start(path));
  }

  get url(): string {
    return this.listener.url;
  }

  get heard(): readonly Heard[] {
    return this.listener.heard;
  }

  /** What it answers next; 200 after them. */
  get statuses(): number[] {
    return this.listener.statuses;
  }

  set decide(decide: (heard: Heard) => Promise<number>) {
    this.listener.decide = decide;
  }

  /** About a reference. */
  of(reference: string): Heard[] {
    return this.heard.filter(({ body }) => body['reference'] === reference);
  }

  stop(): Promise<void> {
    return this.listener.stop();
  }
}

export type RunningSettings = SettingsInput & { readonly asks?: boolean };

/** A simulator in this process on a folder of its own, with a clock that stands still, and doors for webhooks and questions. */
export class RunningChapa {
  readonly clock = new ManualClock(new Date('2026-11-21T10:00:00.000Z'));
  private simulator!: ChapaSimulator;

  private constructor(
    private readonly folder: string,
    readonly webhooks: Door,
    readonly questions: Door,
    private readonly settings: SettingsInput,
  ) {}

  /** `asks`: whether the account asks before it pays; default: it does. */
  static async start({ asks = true, ...settings }: RunningSettings = {}): Promise<RunningChapa> {
    const folder = await mkdtemp(join(tmpdir(), 'chapa-'));
    const [webhooks, questions] = [await Door.start('/callbacks/chapa'), await Door.start('/approvals/chapa')];
    const running = new RunningChapa(folder, webhooks, questions, {
      holdMs: 60_000,
      ...settings,
      webhooks: { url: webhooks.url, ...settings.webhooks },
      approval: { url: asks ? questions.url : null, ...settings.approval },
    });
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
    await Promise.all([this.webhooks.stop(), this.questions.stop()]);
    await rm(this.folder, { recursive: true, force: true });
  }

  async call(method: 'GET' | 'POST', path: string, body?: unknown, token = TOKEN): Promise<Answer> {
    const response = await fetch(path.startsWith('http') ? path : this.simulator.baseUrl + path, {
      method,
      headers: { 'content-type': 'application/json', ...(token !== '' && { authorization: `Bearer ${token}` }) },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status: response.status, body: parsed(await response.text()) };
  }

  /** Pays to the number of these four digits; questions that are due at once are answered by the end. */
  async pay(digits: string, reference = refOf(digits)): Promise<Answer> {
    try {
      return await this.call('POST', '/v1/transfers', transferTo(digits, reference));
    } finally {
      await this.control.moveClock(0);
    }
  }

  verify(reference: string): Promise<Answer> {
    return this.call('GET', `/v1/transfers/verify/${reference}`);
  }

  /** `data` of verify. */
  async record(reference: string): Promise<Body> {
    return (await this.verify(reference)).body.data;
  }

  /** How many payments stand under a reference. */
  paid(reference: string): number {
    return this.control.payments(reference).filter(({ reversed }) => !reversed).length;
  }

  private async begin(): Promise<void> {
    this.simulator = await startChapaSimulator({
      folder: this.folder,
      token: TOKEN,
      secretHash: SECRET_HASH,
      approvalSecret: APPROVAL_SECRET,
      log: silent,
      clock: this.clock,
      settings: this.settings,
    });
  }
}

export function refOf(text: string): string {
  return `po-${text.replaceAll(' ', '-')}`;
}

/** 150.50 ETB to the telebirr wallet of these four digits. */
export function transferTo(digits: string, reference = refOf(digits)): Record<string, unknown> {
  return {
    account_name: 'Jane Doe',
    account_number: `091234${digits}`,
    amount: '150.50',
    currency: 'ETB',
    reference,
    bank_code: 855,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
