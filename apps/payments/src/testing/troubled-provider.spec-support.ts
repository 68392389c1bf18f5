import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Network or provider trouble that does not reveal the outcome. */
export const TROUBLES = [
  'away',
  'silent',
  'reset',
  'HTML',
  'HTML with 502',
  'the answer for another id',
  'half of an answer',
] as const;
export type Trouble = (typeof TROUBLES)[number] | 'none';

const HTML = '<!doctype html><html><body>Down for maintenance</body></html>';
const PAID_AFTER_MS = 300;

interface Taken {
  readonly id: string;
  readonly amount: string;
  readonly currency: string;
  readonly recipient: object;
  readonly at: number;
  /** One per submit taken, if it does not deduplicate. */
  readonly receipts: string[];
}

/**
 * Speaks the sandbox provider's protocol (docs/engineers/sandbox-providers.md) and pays what it takes. In trouble
 * every answer is spoiled, and each second submit is still taken.
 */
export class TroubledSimulator {
  readonly taken = new Map<string, Taken>();
  /** By id. */
  readonly submits = new Map<string, number>();
  /** Paid, but not known any more. */
  private readonly forgotten: Taken[] = [];
  /** Submit answers held back; undefined: none. */
  private held: (() => void)[] | undefined;
  /** In this trouble. */
  readonly spoiled = { POST: 0, GET: 0 };
  private server: Server;
  private port = 0;
  private trouble: Trouble = 'none';
  private receipts = 0;

  /** `takesAll`: only answers are lost. */
  constructor(private readonly rules: { readonly dedupes: boolean; readonly takesAll: boolean }) {
    this.server = this.newServer();
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get receiptsGiven(): string[] {
    return [...this.forgotten, ...this.taken.values()].flatMap(({ receipts }) => receipts);
  }

  /** Loses its ids, not its payments. */
  forget(): void {
    this.forgotten.push(...this.taken.values());
    this.taken.clear();
  }

  /** Submits are taken, and answered when the returned function is called. */
  holdAnswers(): () => void {
    const held: (() => void)[] = [];
    this.held = held;
    return () => {
      this.held = undefined;
      for (const answer of held) answer();
    };
  }

  async listen(): Promise<this> {
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
    return this;
  }

  async get(trouble: Trouble): Promise<void> {
    const wasAway = this.trouble === 'away';
    this.trouble = trouble;
    Object.assign(this.spoiled, { POST: 0, GET: 0 });
    if (trouble === 'away' && !wasAway) await this.stop();
    if (trouble !== 'away' && wasAway) {
      this.server = this.newServer();
      await this.listen();
    }
  }

  async stop(): Promise<void> {
    if (!this.server.listening) return;
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private newServer(): Server {
    return createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('error', () => undefined);
      request.on('end', () => this.answer(request, Buffer.concat(chunks).toString('utf8'), response));
    });
  }

  private answer({ method, url = '' }: IncomingMessage, body: string, response: ServerResponse): void {
    if (this.trouble === 'none') {
      const answer = method === 'POST' ? this.submit(body) : this.ask(url);
      if (method === 'POST' && this.held) return void this.held.push(() => send(response, ...answer));
      return send(response, ...answer);
    }
    if (method === 'POST') {
      this.spoiled.POST += 1;
      if (this.rules.takesAll || this.spoiled.POST % 2 === 0) this.submit(body);
      else this.count((JSON.parse(body) as Taken).id);
    } else if (!url.startsWith('/v1/book')) this.spoiled.GET += 1;
    this.spoil(response);
  }

  private spoil(response: ServerResponse): void {
    switch (this.trouble) {
      case 'none':
      case 'away':
      case 'silent':
        return;
      case 'reset':
        response.socket?.resetAndDestroy();
        return;
      case 'HTML':
        response.writeHead(200, { 'content-type': 'text/html' }).end(HTML);
        return;
      case 'HTML with 502':
        response.writeHead(502, { 'content-type': 'text/html' }).end(HTML);
        return;
      case 'the answer for another id':
        send(response, 200, {
          id: 'another-one',
          status: 'PAID',
          amount: '1.00',
          currency: 'KES',
          recipient: { account_number: '1', bank_code: '01' },
          receipt: 'R-0',
          name: 'TEST 0',
        });
        return;
      case 'half of an answer':
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
        response.write('{"id":"', () => response.socket?.destroy());
    }
  }

  private submit(body: string): [number, object] {
    const { id, amount, currency, recipient } = JSON.parse(body) as Taken;
    this.count(id);
    const known = this.taken.get(id);
    if (known !== undefined && this.rules.dedupes) return [200, { id, status: 'DUPLICATE' }];
    if (known === undefined)
      this.taken.set(id, { id, amount, currency, recipient, at: Date.now(), receipts: [this.nextReceipt()] });
    else known.receipts.push(this.nextReceipt());
    return [202, { id, status: 'ACCEPTED' }];
  }

  private ask(url: string): [number, object] {
    if (url.startsWith('/v1/book')) return [200, { entries: [], next_after: 0, more: false }];
    const taken = this.taken.get(decodeURIComponent(url.slice('/v1/payouts/'.length)));
    if (taken === undefined) return [404, { code: 'PAYOUT_NOT_FOUND', message: 'no payout under this id' }];
    const { id, amount, currency, recipient, at, receipts } = taken;
    if (Date.now() - at < PAID_AFTER_MS) return [200, { id, status: 'PROCESSING', amount, currency, recipient }];
    return [
      200,
      {
        id,
        status: 'PAID',
        amount,
        currency,
        recipient,
        receipt: receipts[0],
        name: 'TEST 7890',
        ...(receipts.length > 1 && { payments: receipts.map((receipt) => ({ receipt, status: 'PAID' })) }),
      },
    ];
  }

  private count(id: string): void {
    this.submits.set(id, (this.submits.get(id) ?? 0) + 1);
  }

  private nextReceipt(): string {
    this.receipts += 1;
    return `R-${this.receipts}`;
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
