import { Agent, request } from 'undici';

import type { SandboxPartner } from './vuka-process.js';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The parsed body, undefined where it is no JSON. */
  readonly body: Envelope | undefined;
}

/** The response envelope of interface.md; errors have no `data`. */
export interface Envelope {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
  readonly next_cursor?: string | null;
}

/** The status row of decisions.md section 2, written down here a second time: the outside must not learn it from the inside. */
export interface StatusRow {
  readonly id: number;
  readonly transaction_code: string;
  readonly status: string;
  readonly amount: string;
  readonly account_number: string | null;
  readonly bank_code: string;
  readonly public_name: string | null;
  readonly receipt_number: string | null;
  readonly currency_code: string;
  readonly service_fee: string;
  readonly failure_code: string;
  readonly message: string;
  readonly [field: string]: unknown;
}

export interface TransferBody {
  readonly amount: number | string;
  readonly account_number: string;
  readonly bank_code: string;
  readonly callback_url?: string | null;
  readonly reference?: string | null;
}

/**
 * What a partner remembers of a transfer it sent. `accepted`: a 200 was seen; `open`: no answer, or one that leaves the
 * outcome open; `refused`: a 4xx, after which there must be no such transaction.
 */
export interface SentTransfer {
  readonly amount: number | string;
  readonly account_number: string;
  readonly bank_code: string;
  readonly callback_url?: string;
  readonly partner: number;
  readonly currency: string;
  readonly code: string;
  readonly outcome: 'accepted' | 'open' | 'refused';
}

export interface Call {
  readonly method?: string;
  readonly path: string;
  /** An object goes as JSON, text and bytes go as they are. */
  readonly body?: object | string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

const CALL_TIMEOUT_MS = 15_000;
/** What can be asked for at all (decisions.md section 1, `reference`). */
const CODE = /^[A-Za-z0-9._:-]{1,100}$/;

/** A partner of Vuka: calls the API with its key and remembers every transfer it sent. */
export class ApiClient {
  private readonly agent: Agent;
  private readonly history = new Map<string, SentTransfer>();

  constructor(
    private readonly where: { readonly baseUrl: string },
    readonly partner: SandboxPartner,
    connections = 256,
  ) {
    this.agent = new Agent({ connections, headersTimeout: CALL_TIMEOUT_MS, bodyTimeout: CALL_TIMEOUT_MS });
  }

  /** Every transfer that was sent under a known code, with the best that is known of it. */
  get sent(): readonly SentTransfer[] {
    return [...this.history.values()];
  }

  /** Any call. A header given as '' is left out. Throws where no answer comes. */
  async send({ method = 'POST', path, body, headers = {} }: Call): Promise<Answer> {
    const asJson = body !== undefined && typeof body !== 'string' && !Buffer.isBuffer(body);
    const all = { 'x-api-key': this.partner.consumer_key, ...(asJson && { 'content-type': 'application/json' }), ...headers };
    const answer = await request(`${this.where.baseUrl}${path}`, {
      dispatcher: this.agent,
      method: method as 'POST',
      headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '')),
      ...(body !== undefined && { body: asJson ? JSON.stringify(body) : body }),
    });
    const text = await answer.body.text();
    return { status: answer.statusCode, headers: flat(answer.headers), text, body: parse(text) };
  }

  /** `POST /{currency}/bank-transfer`, remembered. */
  async bankTransfer(currency: string, body: TransferBody, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    try {
      const answer = await this.send({ path: `/${currency.toLowerCase()}/bank-transfer`, body, headers });
      this.remember(currency, body, answer);
      return answer;
    } catch (error) {
      this.remember(currency, body, null);
      throw error;
    }
  }

  /** The status row, null where there is no such transaction. Throws on every other answer. */
  async status(code: string, currency?: string): Promise<StatusRow | null> {
    const path = currency === undefined ? '/v1/status' : `/${currency.toLowerCase()}/status`;
    const answer = await this.send({ path, body: { transaction_code: code } });
    if (answer.status === 404) return null;
    if (answer.status !== 200) throw new Error(`status of ${code}: HTTP ${answer.status} ${answer.text}`);
    return dataOf<StatusRow>(answer);
  }

  /** Every wallet's balance in minor units, by currency, read from the digits as they were sent. */
  async wallets(): Promise<Map<string, bigint>> {
    const answer = await this.send({ path: '/account/detail' });
    if (answer.status !== 200) throw new Error(`account detail: HTTP ${answer.status} ${answer.text}`);
    const found = answer.text.matchAll(/"balance":(-?[\d.]+),"currency":"([A-Z]{3})"/g);
    return new Map([...found].map(([, balance = '', currency = '']) => [currency, minorOf(balance, currency)]));
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private remember(currency: string, body: TransferBody, answer: Answer | null): void {
    const code = answer?.status === 200 ? dataOf<{ transaction_code: string }>(answer).transaction_code : (body.reference ?? answer?.headers['transaction-code']);
    if (typeof code !== 'string' || !CODE.test(code)) return;
    const known = this.history.get(code);
    // What was accepted stays accepted, whatever later requests under its reference are told; an open outcome is not closed by a refusal.
    if (known?.outcome === 'accepted' || (known?.outcome === 'open' && answer?.status !== 200)) return;
    const { amount, account_number, bank_code, callback_url } = body;
    this.history.set(code, {
      ...{ amount, account_number, bank_code, code, currency: currency.toUpperCase(), partner: this.partner.id, outcome: outcomeOf(answer) },
      // null and '' are no URL (decisions.md section 1).
      ...(callback_url && { callback_url }),
    });
  }
}

function outcomeOf(answer: Answer | null): SentTransfer['outcome'] {
  if (answer === null || answer.status >= 500) return 'open';
  return answer.status === 200 ? 'accepted' : 'refused';
}

/** `data` of a 200. */
export function dataOf<T>(answer: Answer): T {
  if (answer.status !== 200 || answer.body?.data === undefined) throw new Error(`HTTP ${answer.status} ${answer.text}`);
  return answer.body.data as T;
}

/** Decimal text in minor units; UGX has none (decisions.md section 1). */
export function minorOf(text: string, currency: string): bigint {
  const decimals = currency === 'UGX' ? 0 : 2;
  const [whole = '0', fraction = ''] = text.split('.');
  if (/[^0]/.test(fraction.slice(decimals))) throw new Error(`${text} has more than ${decimals} decimals`);
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]));
}

function parse(text: string): Envelope | undefined {
  try {
    return JSON.parse(text) as Envelope;
  } catch {
    return undefined;
  }
}
