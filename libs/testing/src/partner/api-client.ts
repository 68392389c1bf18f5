import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';

import type { Answer, Call, Envelope } from './api-call.js';
import type { AskedRefund } from './asked-refund.js';
import { PartnerOrders } from './partner-orders.js';
import { chainMeantBy, depositNamedBy, spelledHash, type HeldQuote, type Quote } from './named-deposit.js';
import {
  CONTROL_ACTIONS,
  minorOf,
  walletOf,
  type ControlAction,
  type DisburseBody,
  type Operation,
  type PayBody,
  type PayoutBody,
  type SentPayout,
  type TransferBody,
} from './sent-payout.js';
import type { StatusRow } from './status-row.js';
import type { SandboxPartner } from '../processes/vuka-process.js';

export interface RefundBody {
  readonly chain: string;
  readonly transaction_hash: string;
  readonly refund_address?: string;
}

interface PayoutPath {
  readonly operation: Operation;
  readonly currency: string;
  readonly segment: string;
}

const CONNECTIONS = 256;
const CALL_TIMEOUT_MS = 15_000;
const DAY_MS = 86_400_000;
const UNCLEAR_TRIES = 20;
const PERSISTS_FOR_MS = 30_000;
/** What Vuka's own answers ask of a partner after an outage or an open outcome. */
const ASKS_AGAIN = /\bagain\b/;
const UNCLEAR_EVERY_MS = 250;
const CODE = /^[A-Za-z0-9._:-]{1,100}$/;

/** `persists`: asks again after an outage or an open outcome, as the answers tell partners to. */
export interface ApiClientOptions {
  readonly persists?: boolean;
}

export class ApiClient {
  readonly orders: PartnerOrders;
  private readonly agent: Agent;
  private readonly persistsForMs: number;
  private readonly history = new Map<string, SentPayout>();
  private readonly quotes = new Map<string, HeldQuote>();
  private readonly askedBack = new Map<string, AskedRefund>();

  constructor(
    private readonly where: { readonly baseUrl: string },
    readonly partner: SandboxPartner,
    { persists = false }: ApiClientOptions = {},
  ) {
    this.persistsForMs = persists ? PERSISTS_FOR_MS : 0;
    this.agent = new Agent({ connections: CONNECTIONS, headersTimeout: CALL_TIMEOUT_MS, bodyTimeout: CALL_TIMEOUT_MS });
    this.orders = new PartnerOrders(partner, (call) => this.send(call));
  }

  get sent(): readonly SentPayout[] {
    return [...this.history.values()];
  }

  get refunds(): readonly AskedRefund[] {
    return [...this.askedBack.values()];
  }

  /** A header given as '' is left out. Throws where no answer comes. */
  async send({ method = 'POST', path, body, headers = {} }: Call): Promise<Answer> {
    const asJson = body !== undefined && typeof body !== 'string' && !Buffer.isBuffer(body);
    const all = {
      'x-api-key': this.partner.consumer_key,
      ...(asJson && { 'content-type': 'application/json' }),
      ...headers,
    };
    const answer = await request(`${this.where.baseUrl}${path}`, {
      dispatcher: this.agent,
      method: method as 'POST',
      headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '')),
      ...(body !== undefined && { body: asJson ? JSON.stringify(body) : body }),
    });
    const text = await answer.body.text();
    return { status: answer.statusCode, headers: flat(answer.headers), text, body: parse(text) };
  }

  /** `POST /{currency}/bank-transfer`; `segment` is the currency in the path. */
  bankTransfer(
    currency: string,
    body: TransferBody,
    headers: Readonly<Record<string, string>> = {},
    segment = currency.toLowerCase(),
  ): Promise<Answer> {
    return this.payout({ operation: 'bank-transfer', currency, segment }, body, headers);
  }

  disburse(
    currency: string,
    body: DisburseBody,
    headers: Readonly<Record<string, string>> = {},
    segment = currency.toLowerCase(),
  ): Promise<Answer> {
    return this.payout({ operation: 'disburse', currency, segment }, body, headers);
  }

  pay(
    currency: string,
    body: PayBody,
    headers: Readonly<Record<string, string>> = {},
    segment = currency.toLowerCase(),
  ): Promise<Answer> {
    return this.payout({ operation: 'pay', currency, segment }, body, headers);
  }

  /** `POST /v1/quote/{currency}`; pays under the quote are checked against it. Throws where none is given. */
  async quote(
    currency: string,
    body: { readonly amount: number | string; readonly chain: string; readonly asset: string },
  ): Promise<Quote> {
    const quote = dataOf<Quote>(await this.settled({ path: `/v1/quote/${currency.toLowerCase()}`, body }));
    this.quotes.set(quote.quote_id, { ...quote, chain: chainMeantBy(body.chain), asset: body.asset });
    return quote;
  }

  async refund(body: RefundBody): Promise<Answer> {
    const chain = chainMeantBy(body.chain);
    const to = body.refund_address ?? null;
    const asked = { partner: this.partner.id, chain, hash: spelledHash(chain, body.transaction_hash), to };
    const name = `${chain} ${asked.hash} ${to}`;
    const before = this.askedBack.get(name);
    this.askedBack.set(name, before ?? { ...asked, told: null });
    const answer = await this.send({ path: '/v1/refund', body });
    if (answer.status === 200)
      this.askedBack.set(name, { ...asked, told: dataOf<NonNullable<AskedRefund['told']>>(answer) });
    else if (answer.status < 500 && this.askedBack.get(name)?.told === null) this.askedBack.delete(name);
    return answer;
  }

  async buyingRate(currency: string): Promise<string> {
    const { text } = await this.settled({ path: '/v1/exchange-rate', body: { currency_code: currency } });
    const [, rate] = /"buying_rate":(\d+(?:\.\d+)?)/.exec(text) ?? [];
    if (rate === undefined) throw new Error(`the rate of ${currency}: ${text}`);
    return rate;
  }

  /** '' where the chain is not served. */
  async settlementAddress(chain: string): Promise<string> {
    const networks = dataOf<{ name: string; settlement_wallet_address: string }[]>(
      await this.settled({ path: '/account/networks' }),
    );
    return networks.find(({ name }) => name === chain)?.settlement_wallet_address ?? '';
  }

  sendAgain({ operation, currency, market = currency, body, code }: SentPayout): Promise<Answer> {
    return this.payout(
      { operation, currency: market, segment: market.toLowerCase() },
      { ...body, reference: code },
      {},
    );
  }

  /**
   * `POST /sandbox/payouts/{code}/…`. After an outage it is asked again: what happened by then was done by the first
   * request.
   */
  async control(code: string, action: ControlAction): Promise<Answer> {
    const ask = (): Promise<Answer> =>
      this.send({ path: `/sandbox/payouts/${code}/${CONTROL_ACTIONS[action]}`, body: {} });
    let answer = await ask();
    // The status does not show who caused a late payment or a reversal.
    const isUnclear = answer.status >= 500 && (action === 'release' || action === 'top_up');
    const isDone = (): boolean =>
      answer.status === 200 && (dataOf<{ done: boolean }>(answer).done || (isUnclear && isOver(answer)));
    for (let tries = 0; isUnclear && !isDone() && tries < UNCLEAR_TRIES; tries += 1) {
      await pause(UNCLEAR_EVERY_MS);
      answer = await ask();
    }
    const known = this.history.get(code);
    if (isDone() && known !== undefined) this.history.set(code, { ...known, controls: [...known.controls, action] });
    return answer;
  }

  isGoneFor(code: string): void {
    const known = this.history.get(code);
    if (known !== undefined) this.history.set(code, { ...known, isUntold: true });
  }

  async status(code: string, currency?: string): Promise<StatusRow | null> {
    const path = currency === undefined ? '/v1/status' : `/${currency.toLowerCase()}/status`;
    const answer = await this.settled({ path, body: { transaction_code: code } });
    if (answer.status === 404) return null;
    if (answer.status !== 200) throw new Error(`status of ${code}: HTTP ${answer.status} ${answer.text}`);
    return dataOf<StatusRow>(answer);
  }

  /** Minor units by currency, read from the digits as sent. */
  async wallets(): Promise<Map<string, bigint>> {
    const answer = await this.settled({ path: '/account/detail' });
    if (answer.status !== 200) throw new Error(`account detail: HTTP ${answer.status} ${answer.text}`);
    const found = answer.text.matchAll(/"balance":(-?[\d.]+),"currency":"([A-Z]{3})"/g);
    return new Map([...found].map(([, balance = '', currency = '']) => [currency, minorOf(balance, currency)]));
  }

  /** All rows, page by page; `limit` where a page may have less than a thousand. Throws unless 200. */
  async listed<T>(path: string, body: object = {}): Promise<T[]> {
    const day = (at: number): string => new Date(at).toISOString().slice(0, 10);
    const days = { start_date: day(Date.now() - DAY_MS), end_date: day(Date.now() + DAY_MS) };
    const all: T[] = [];
    for (let cursor: string | null | undefined = ''; typeof cursor === 'string';) {
      const answer: Answer = await this.settled({
        path,
        body: { ...days, limit: 1_000, ...body, ...(cursor !== '' && { cursor }) },
      });
      all.push(...dataOf<T[]>(answer));
      cursor = answer.body?.next_cursor;
    }
    return all;
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private async payout(
    { operation, currency, segment }: PayoutPath,
    body: PayoutBody,
    headers: Readonly<Record<string, string>>,
  ): Promise<Answer> {
    try {
      const path = operation === 'pay' ? `/v1/pay/${segment}` : `/${segment}/${operation}`;
      const answer = await this.settled({ path, body, headers }, (open) => ({
        path,
        body: namedAgain(body, headers, open),
        headers,
      }));
      this.remember(operation, currency, body, answer);
      return answer;
    } catch (error) {
      this.remember(operation, currency, body, null);
      throw error;
    }
  }

  /** The answer to `call`, which a client that persists makes again while Vuka asks for it. */
  private async settled(call: Call, again: (open: Answer) => Call = () => call): Promise<Answer> {
    let answer = await this.send(call);
    for (const until = Date.now() + this.persistsForMs; asksAgain(answer) && Date.now() < until;) {
      await pause(UNCLEAR_EVERY_MS);
      answer = await this.send(again(answer));
    }
    return answer;
  }

  private remember(operation: Operation, currency: string, body: PayoutBody, answer: Answer | null): void {
    const code =
      answer?.status === 200
        ? dataOf<{ transaction_code: string }>(answer).transaction_code
        : (body.reference ?? answer?.headers['transaction-code']);
    if (typeof code !== 'string' || !CODE.test(code)) return;
    const known = this.history.get(code);
    // An accepted one stays accepted; a refusal does not close an open outcome.
    if (known?.outcome === 'accepted' || (known?.outcome === 'open' && answer?.status !== 200)) return;
    const market = currency.toUpperCase();
    const wallet = walletOf(market, body);
    // null and '' mean no URL (decisions.md section 1). The default is fixed at acceptance.
    const url = known?.callback_url ?? (body.callback_url || this.orders.defaultUrl);
    this.history.set(code, {
      ...{
        operation,
        body,
        code,
        currency: wallet,
        partner: this.partner.id,
        outcome: outcomeOf(answer),
        controls: [],
      },
      ...(wallet !== market && { market }),
      ...(known?.isUntold && { isUntold: known.isUntold }),
      ...(url && { callback_url: url }),
      ...(operation === 'pay' && 'transaction_hash' in body && { deposit: depositNamedBy(body, this.quotes) }),
    });
  }
}

function asksAgain({ status, text }: Answer): boolean {
  return status >= 500 && ASKS_AGAIN.test(text);
}

/** Without a reference or a key only the transaction's code makes a repeat the same request. */
function namedAgain(
  body: PayoutBody,
  headers: Readonly<Record<string, string>>,
  { headers: answered }: Answer,
): object {
  const code = answered['transaction-code'];
  const hasKey = Object.keys(headers).some((name) => name.toLowerCase() === 'idempotency-key');
  return hasKey || body.reference || code === undefined ? body : { ...body, reference: code };
}

function outcomeOf(answer: Answer | null): SentPayout['outcome'] {
  if (answer === null || answer.status >= 500) return 'open';
  return answer.status === 200 ? 'accepted' : 'refused';
}

export function dataOf<T>(answer: Answer): T {
  if (answer.status !== 200 || answer.body?.data === undefined) throw new Error(`HTTP ${answer.status} ${answer.text}`);
  return answer.body.data as T;
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}

function parse(text: string): Envelope | undefined {
  try {
    return JSON.parse(text) as Envelope;
  } catch {
    return undefined;
  }
}

function isOver(answer: Answer): boolean {
  return !['PENDING', 'PROCESSING'].includes(dataOf<{ status: string }>(answer).status);
}
