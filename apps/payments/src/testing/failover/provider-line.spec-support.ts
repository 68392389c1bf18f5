import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** What becomes of answers: `late`: given when nobody waits any more; `refused`: 401 before it reaches the provider. */
export type LineTrouble = 'none' | 'late' | 'lying' | 'refused';

/** Beyond the bound on a call that the suites set. */
const LATE_MS = 1_300;
const KEPT_HEADERS = ['content-type', 'authorization', 'content-digest', 'accept'];

interface Reply {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** Between an adapter and its provider's simulator. What goes wrong here is not in the provider's book. */
export class ProviderLine {
  trouble: LineTrouble = 'none';
  /** It goes away when it has taken so many payouts more; their answers are lost. */
  diesAfter = Infinity;
  private readonly underWay = new Set<Promise<Reply>>();
  /** By method and operation: what was answered of another payout. */
  private readonly before = new Map<string, string>();
  private lies = 0;
  private server: Server;
  private port = 0;

  constructor(
    private readonly target: string,
    /** As the provider words it. */
    private readonly refusal: object,
  ) {
    this.server = this.newServer();
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async start(): Promise<this> {
    if (this.server.listening) return this;
    this.server = this.newServer();
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
    return this;
  }

  /** Connections are refused from now on; what is under way gets no answer. */
  async stop(): Promise<void> {
    this.diesAfter = Infinity;
    if (!this.server.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  /** Until the provider has dealt with all that it got. */
  async taken(): Promise<void> {
    await Promise.allSettled(this.underWay);
  }

  private newServer(): Server {
    return createServer((request, response) => void this.serve(request, response).catch(() => response.destroy()));
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = 'GET', url = '/', headers } = request;
    if (this.trouble === 'refused')
      return send(response, { status: 401, type: JSON_TYPE, text: JSON.stringify(this.refusal) });
    const { trouble } = this;
    const reply = await this.forward(method, url, headers, Buffer.concat(chunks));
    if (method === 'POST' && --this.diesAfter < 0) return void this.stop();
    if (trouble === 'late') return void setTimeout(() => send(response, reply), LATE_MS).unref();
    send(response, trouble === 'lying' ? this.lieAbout(`${method} ${url.split('/', 3).join('/')}`, reply) : reply);
  }

  private async forward(method: string, url: string, headers: IncomingHttpHeaders, body: Buffer): Promise<Reply> {
    const asking = ask(this.target + url, method, headers, body);
    this.underWay.add(asking);
    return asking.finally(() => this.underWay.delete(asking));
  }

  /** By turns the answer of another payout, and another amount. */
  private lieAbout(operation: string, reply: Reply): Reply {
    const another = this.before.get(operation);
    this.before.set(operation, reply.text);
    this.lies += 1;
    return { ...reply, text: this.lies % 2 === 0 && another !== undefined ? another : withAnotherAmount(reply.text) };
  }
}

const JSON_TYPE = 'application/json';

async function ask(url: string, method: string, headers: IncomingHttpHeaders, body: Buffer): Promise<Reply> {
  const kept = KEPT_HEADERS.flatMap((name): [string, string][] =>
    headers[name] === undefined ? [] : [[name, String(headers[name])]],
  );
  const answer = await fetch(url, { method, headers: kept, ...(body.length > 0 && { body: new Uint8Array(body) }) });
  return { status: answer.status, type: answer.headers.get('content-type') ?? '', text: await answer.text() };
}

function withAnotherAmount(text: string): string {
  return text.replaceAll(/"amount":"?(\d+)/g, (found, amount: string) => found.replace(amount, `${amount}1`));
}

function send(response: ServerResponse, { status, type, text }: Reply): void {
  if (!response.destroyed) response.writeHead(status, { 'content-type': type }).end(text);
}
