import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ForgedAnswer {
  readonly status: number;
  /** undefined: none. */
  readonly body: object | undefined;
  readonly afterMs?: number;
}

const TOO_LATE_MS = 600;

const HTML = '<!doctype html><html><body>Down for maintenance</body></html>';

/**
 * None of these shows whether the money moves, unless the provider's documents say so. So an adapter must return `unknown` on submit and `query_failed`
 * on query.
 */
export const RUDE_ANSWERS = {
  'silence until the timeout': () => undefined,
  'a connection reset': (response) => response.socket?.resetAndDestroy(),
  'a connection closed half way through the body': (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
    response.write('{"id":"', () => response.socket?.destroy());
  },
  'HTML with status 200': (response) => response.writeHead(200, { 'content-type': 'text/html' }).end(HTML),
  'HTML that calls itself JSON': (response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(HTML),
  'HTML with status 404': (response) => response.writeHead(404, { 'content-type': 'text/html' }).end(HTML),
  'truncated JSON': (response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"a","status":"PA'),
  'an empty body': (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(),
  'an empty 202': (response) => response.writeHead(202).end(),
  'JSON null': (response) => sendJson(response, 200, null),
  'JSON of another kind': (response) => sendJson(response, 200, [1, 2, 3]),
  'an empty object': (response) => sendJson(response, 200, {}),
  'JSON with status 404 from something else': (response) =>
    sendJson(response, 404, { message: 'no Route matched with those values' }),
  'status 500': (response) => sendJson(response, 500, { code: 'INTERNAL' }),
  'status 503': (response) => sendJson(response, 503, { code: 'BUSY' }),
  'status 502 in HTML': (response) => response.writeHead(502, { 'content-type': 'text/html' }).end(HTML),
  'a redirect': (response) => response.writeHead(302, { location: '/v1/elsewhere' }).end(),
  'an answer without end': flood,
  'an answer drop by drop': drip,
  'a whole answer, but too late': (response) => void setTimeout(() => sendJson(response, 200, {}), TOO_LATE_MS).unref(),
} as const satisfies Record<string, (response: ServerResponse) => unknown>;

export type RudeAnswer = keyof typeof RUDE_ANSWERS;

export type Method = (typeof METHODS)[number];
const METHODS = ['GET', 'POST', 'PUT'] as const;

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface RudeServer {
  readonly baseUrl: string;
  requests(): number;
  /** In their order. */
  received(): readonly ReceivedRequest[];
  /** For requests of this method, but the first call's; default: all of them. */
  answerWith(behaviour: RudeAnswer | ForgedAnswer, method?: Method): void;
  answerFirstWith(behaviour: RudeAnswer | ForgedAnswer): void;
  stop(): Promise<void>;
}

/** A call before the one that pays. */
export interface FirstCall {
  readonly method: Method;
  /** Absent: each call of that method. */
  readonly path?: string;
  readonly answer: ForgedAnswer;
}

export function isFirstCall(
  first: FirstCall | undefined,
  { method, path }: Pick<ReceivedRequest, 'method' | 'path'>,
): boolean {
  return first !== undefined && method === first.method && (first.path === undefined || path === first.path);
}

/** `first`: a call that `answerWith` does not change. */
export async function startRudeServer(first?: FirstCall): Promise<RudeServer> {
  const behaviours: Partial<Record<string, RudeAnswer | ForgedAnswer>> = {};
  let firstBehaviour: RudeAnswer | ForgedAnswer = first?.answer ?? 'status 500';
  const received: ReceivedRequest[] = [];
  let requests = 0;
  const listener: RequestListener = (request, response) => {
    requests += 1;
    const { method = '', url: path = '', headers } = request;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ method, path, headers, body: Buffer.concat(chunks) });
      const behaviour = isFirstCall(first, { method, path }) ? firstBehaviour : (behaviours[method] ?? 'status 500');
      if (typeof behaviour === 'string') RUDE_ANSWERS[behaviour](response);
      else if (behaviour.afterMs === undefined) sendJson(response, behaviour.status, behaviour.body);
      else setTimeout(() => sendJson(response, behaviour.status, behaviour.body), behaviour.afterMs);
    });
  };
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    received: () => received,
    answerWith: (next, method) => {
      for (const one of method === undefined ? METHODS : [method]) behaviours[one] = next;
    },
    answerFirstWith: (next) => void (firstBehaviour = next),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  if (body === undefined) return void response.writeHead(status).end();
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function flood(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' }).write('{"id":"');
  const more = (): void => {
    while (!response.destroyed && response.write('a'.repeat(16 * 1024)));
  };
  response.on('drain', more);
  more();
}

/** One byte at a time: each pause is short, but the whole answer is too slow. */
function drip(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 20);
  response.on('close', () => clearInterval(timer));
}
