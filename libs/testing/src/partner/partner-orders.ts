import type { Answer, Call } from './api-call.js';
import { orderMeantBy, type OrderAnswer, type OrderQuery, type OrderRow, type SentOrder } from './sent-order.js';
import type { SandboxPartner } from '../processes/vuka-process.js';

/** As `reference` (decisions.md section 1). */
const ORDER_ID = /^[A-Za-z0-9._:-]{1,100}$/;

export class PartnerOrders {
  private readonly history = new Map<string, SentOrder>();
  private url: string | null = null;

  constructor(
    private readonly partner: SandboxPartner,
    private readonly send: (call: Call) => Promise<Answer>,
  ) {}

  get sent(): readonly SentOrder[] {
    return [...this.history.values()];
  }

  get defaultUrl(): string | null {
    return this.url;
  }

  async tellAt(url: string | null): Promise<void> {
    const answer = await this.send({ path: '/v1/webhooks/endpoint', body: { url } });
    if (answer.status !== 200) throw new Error(`the default webhook: HTTP ${answer.status} ${answer.text}`);
    this.url = url;
  }

  isGone(): void {
    this.url = null;
  }

  /** `POST /v1/checkout/`. Throws where no answer comes. */
  async ask(query: OrderQuery, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    try {
      const parameters = new URLSearchParams(
        Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
      );
      const answer = await this.send({
        path: `/v1/checkout/?${parameters.toString()}`,
        headers: { 'x-api-key': this.partner.checkout_key, ...headers },
      });
      this.remember(query, answer);
      return answer;
    } catch (error) {
      this.remember(query, null);
      throw error;
    }
  }

  /** Throws unless accepted. */
  async create(query: OrderQuery): Promise<OrderAnswer> {
    const answer = await this.ask(query);
    if (answer.status !== 200) throw new Error(`order ${query.order_id}: HTTP ${answer.status} ${answer.text}`);
    return answer.body?.data as OrderAnswer;
  }

  async status(id: string, key = this.partner.checkout_key): Promise<OrderRow | null> {
    const before = this.history.get(id)?.seen.length;
    const answer = await this.send({
      path: '/v1/checkout/status',
      body: { order_id: id },
      headers: { 'x-api-key': key },
    });
    if (answer.status === 404) return null;
    if (answer.status !== 200) throw new Error(`status of order ${id}: HTTP ${answer.status} ${answer.text}`);
    const row = answer.body?.data as OrderRow;
    if (this.history.get(id)?.seen.length === before) this.see(id, row.status);
    return row;
  }

  private see(id: string, status: string): void {
    const known = this.history.get(id);
    if (known !== undefined && known.seen.at(-1) !== status)
      this.history.set(id, { ...known, seen: [...known.seen, status] });
  }

  private remember(query: OrderQuery, answer: Answer | null): void {
    const { order_id: id } = query;
    const known = this.history.get(id);
    const given = answer?.status === 200 ? [answer.body?.data as OrderAnswer] : [];
    // An accepted order stays accepted; a refusal does not close an open outcome.
    if (known !== undefined && (known.outcome === 'accepted' || (known.outcome === 'open' && given.length === 0))) {
      this.history.set(id, { ...known, answers: [...known.answers, ...given] });
      return;
    }
    const asked = meant(query);
    if (asked === null) return;
    const outcome = given.length > 0 ? 'accepted' : answer === null || answer.status >= 500 ? 'open' : 'refused';
    this.history.set(id, {
      ...asked,
      partner: this.partner.id,
      id,
      outcome,
      answers: given,
      seen: given.map(({ status }) => status),
      isTold: this.url !== null,
    });
  }
}

function meant(query: OrderQuery): ReturnType<typeof orderMeantBy> | null {
  if (!ORDER_ID.test(query.order_id)) return null;
  try {
    return orderMeantBy(query);
  } catch {
    return null;
  }
}
