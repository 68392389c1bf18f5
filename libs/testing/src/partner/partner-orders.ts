import type { Answer, Call } from './api-call.js';
import { orderMeantBy, type OrderAnswer, type OrderQuery, type OrderRow, type SentOrder } from './sent-order.js';
import type { SandboxPartner } from '../processes/vuka-process.js';

/** As `reference` (decisions.md section 1). */
const ORDER_ID = /^[A-Za-z0-9._:-]{1,100}$/;

/** The orders of one partner: asks for them with its checkout key, and remembers each. */
export class PartnerOrders {
  private readonly history = new Map<string, SentOrder>();
  private url: string | null = null;

  constructor(
    private readonly partner: SandboxPartner,
    private readonly send: (call: Call) => Promise<Answer>,
  ) {}

  /** Every order that was asked for, with the best that is known of it. */
  get sent(): readonly SentOrder[] {
    return [...this.history.values()];
  }

  /** Where the partner is told of what has no URL of its own; null: nowhere. */
  get defaultUrl(): string | null {
    return this.url;
  }

  /** `POST /v1/webhooks/endpoint`: orders, and payouts without a URL, are told there from now on. Throws what is refused. */
  async tellAt(url: string | null): Promise<void> {
    const answer = await this.send({ path: '/v1/webhooks/endpoint', body: { url } });
    if (answer.status !== 200) throw new Error(`the default webhook: HTTP ${answer.status} ${answer.text}`);
    this.url = url;
  }

  /** Its receiver has said that it is gone (410), so that the default is off (decisions.md section 6). */
  isGone(): void {
    this.url = null;
  }

  /** `POST /v1/checkout/`, remembered. Throws where no answer comes. */
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

  /** Accepted. Throws what is not. */
  async create(query: OrderQuery): Promise<OrderAnswer> {
    const answer = await this.ask(query);
    if (answer.status !== 200) throw new Error(`order ${query.order_id}: HTTP ${answer.status} ${answer.text}`);
    return answer.body?.data as OrderAnswer;
  }

  /** `POST /v1/checkout/status`, null where there is no such order. Throws on every other answer. */
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
    // Of two questions at once nobody knows which was answered first.
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
    // What was accepted stays as it was asked for; an open outcome is not closed by a refusal.
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

/** null: no order could ever come of it, nor be asked for. */
function meant(query: OrderQuery): ReturnType<typeof orderMeantBy> | null {
  if (!ORDER_ID.test(query.order_id)) return null;
  try {
    return orderMeantBy(query);
  } catch {
    return null;
  }
}
