import { createHash, createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ManualClock } from '@vuka/runtime';

import { type Heard, Listener } from '../simulation/listener.spec-support.js';
import type { Control } from './control/control.js';
import { type PaystackSimulator, startPaystackSimulator } from './paystack-simulator.js';
import type { SettingsInput } from './settings.js';

export const SECRET = 'sk_live_key-of-a-test-merchant';
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the expectations are what checks it
export type Body = any;

export interface Answer {
  readonly status: number;
  readonly text: string;
  /** null: it is no JSON. */
  readonly body: Body;
}

/** A simulator in this process on a folder of its own, with a clock that stands still, and a listener for its webhooks. */
export class RunningPaystack {
  readonly clock = new ManualClock(new Date('2026-11-21T10:00:00.000Z'));
  private simulator!: PaystackSimulator;

  private constructor(
    private readonly folder: string,
    readonly listener: Listener,
    private readonly settings: SettingsInput,
  ) {}

  static async start(settings: SettingsInput = {}): Promise<RunningPaystack> {
    const folder = await mkdtemp(join(tmpdir(), 'paystack-'));
    const listener = await Listener.start('/callbacks/paystack/abc');
    const webhooks = { url: listener.url, ...settings.webhooks };
    const running = new RunningPaystack(folder, listener, { holdMs: 60_000, ...settings, webhooks });
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
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await fetch(path.startsWith('http') ? path : this.simulator.baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json', ...headers },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, text, body: parsed(text) };
  }

  /** The code of the recipient with this account, made if there is none. */
  async recipient(digits: string, kind: Kind = 'nuban'): Promise<string> {
    const answer = await this.call('POST', '/transferrecipient', recipientOf(digits, kind));
    return answer.body.data.recipient_code as string;
  }

  /** Pays 1500.00 to the account of these four digits. */
  async pay(digits: string, reference = referenceOf(digits), kind: Kind = 'nuban'): Promise<Answer> {
    return this.call('POST', '/transfer', transferTo(await this.recipient(digits, kind), reference, kind));
  }

  verify(reference: string): Promise<Answer> {
    return this.call('GET', `/transfer/verify/${reference}`);
  }

  /** `data` of its record; undefined where it is not found. */
  async record(reference: string): Promise<Body> {
    return (await this.verify(reference)).body?.data;
  }

  standing(reference: string): number {
    return this.control.payments(reference).filter(({ reversed }) => !reversed).length;
  }

  /** What was told of a reference. */
  heardOf(reference: string): Heard[] {
    return this.listener.heard.filter(({ body }) => (body['data'] as Body).reference === reference);
  }

  private async begin(): Promise<void> {
    this.simulator = await startPaystackSimulator({
      folder: this.folder,
      secret: SECRET,
      log: silent,
      clock: this.clock,
      settings: this.settings,
    });
  }
}

const KINDS = {
  nuban: { currency: 'NGN', bank_code: '044', account: '012345' },
  ghipss: { currency: 'GHS', bank_code: '030100', account: '123456' },
  mobile_money: { currency: 'GHS', bank_code: 'MTN', account: '024123' },
  mpesa: { currency: 'KES', bank_code: 'MPESA', account: '071234' },
  kepss: { currency: 'KES', bank_code: '01', account: '123456' },
  mobile_money_business: { currency: 'KES', bank_code: 'MPTILL', account: '12' },
} as const;
export type Kind = keyof typeof KINDS;
export const ALL_KINDS = Object.keys(KINDS) as Kind[];

export function recipientOf(digits: string, kind: Kind = 'nuban'): Record<string, unknown> {
  const { currency, bank_code, account } = KINDS[kind];
  const type = kind === 'mpesa' ? 'mobile_money' : kind;
  return { type, name: 'JANE DOE', account_number: account + digits, bank_code, currency };
}

export function transferTo(recipient: string, reference: string, kind: Kind = 'nuban'): Record<string, unknown> {
  return {
    source: 'balance',
    amount: 150_000,
    recipient,
    reference,
    reason: 'payout',
    currency: KINDS[kind].currency,
    ...(kind === 'mobile_money_business' && { account_reference: 'po-1' }),
  };
}

/** 16 to 50 of a-z, 0-9 and -, the same for the same text. */
export function referenceOf(text: string): string {
  return `po-${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
}

/** Checks as a merchant does, sharing nothing with the signer. */
export function isSigned({ headers, raw }: Heard, secret = SECRET): boolean {
  return headers['x-paystack-signature'] === createHmac('sha512', secret).update(raw).digest('hex');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
