import { unescape } from 'node:querystring';
import { setTimeout as pause } from 'node:timers/promises';

import type { CounterMetric, HistogramMetric, Metrics, MonotonicClock } from '@vuka/runtime';
import { Pool } from 'undici';

import { MalformedAnswerError, objectAt } from './json-values.js';

/** Closed set, for metrics. */
export type RpcTrouble =
  | 'late'
  | 'no_connection'
  | 'rate_limited'
  | 'http_status'
  | 'too_large'
  | 'malformed'
  /** JSON-RPC error. */
  | 'refused'
  /** Not called: too many calls or failures. */
  | 'busy'
  | 'resting';

/** Nothing of the endpoint: errors of libraries include the URL, and so the key. */
export class RpcError extends Error {
  override readonly name = 'RpcError';

  constructor(
    readonly trouble: RpcTrouble,
    readonly detail: string = '',
  ) {
    super(detail === '' ? trouble : `${trouble}: ${detail}`);
  }
}

export interface EndpointClientOptions {
  readonly chain: string;
  /** From 1, in settings order. */
  readonly number: number;
  readonly url: URL;
  readonly clock: MonotonicClock;
  readonly metrics: Metrics;
  /** Largest answer in bytes; default 64 KiB. */
  readonly longestBytes: Readonly<Record<string, number>>;
}

const REQUEST_MS = 3_000;
const CONNECT_MS = 2_000;
const LONGEST_OTHER_BYTES = 64 * 1024;
const CONNECTIONS = 8;
/** Includes calls that wait for a connection. */
const MOST_CALLS = 128;
const ATTEMPTS = 2;
const PAUSE_MS = 250;
/** Failures in a row before a rest of 1 s, doubling up to 30 s. */
const FAILURES_BEFORE_REST = 5;
const FIRST_REST_MS = 1_000;
const LONGEST_REST_MS = 30_000;
/** Rate limits (EIP-1474: -32005; others in use). */
const LIMIT_CODES: ReadonlySet<unknown> = new Set([-32005, -32029, 429]);
/** Not endpoint failures: anybody can cause large answers. */
const NOT_ITS_FAULT: ReadonlySet<RpcTrouble> = new Set(['too_large', 'refused', 'busy', 'resting']);

interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

interface Asked {
  /** Closed set, for metrics. */
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
  /** Default JSON. */
  readonly type?: string;
}

/**
 * At most 3 s an attempt; rate limits and broken connections are retried once, safe for reads. No redirects.
 * All failures are RpcError.
 * ethers' provider waits 300 s, retries, reads unbounded bodies, and writes the URL into errors.
 */
export class EndpointClient {
  private readonly pool: Pool;
  private readonly base: { readonly path: string; readonly search: string };
  private readonly headers: Readonly<Record<string, string>>;
  private underWay = 0;
  private readonly counted: CounterMetric<'chain' | 'endpoint' | 'method'>;
  private readonly failed: CounterMetric<'chain' | 'endpoint' | 'method' | 'reason'>;
  private readonly took: HistogramMetric<'chain' | 'endpoint' | 'method'>;
  private failures = 0;
  private restsUntilMs = 0;
  private nextId = 1;

  constructor(private readonly options: EndpointClientOptions) {
    const { url, metrics } = options;
    this.pool = new Pool(url.origin, {
      connections: CONNECTIONS, pipelining: 1, connect: { timeout: CONNECT_MS }, headersTimeout: REQUEST_MS, bodyTimeout: REQUEST_MS,
      keepAliveTimeout: 4_000, keepAliveMaxTimeout: 30_000,
    }); // prettier-ignore
    this.base = { path: url.pathname, search: url.search };
    const login = Buffer.from(`${unescape(url.username)}:${unescape(url.password)}`).toString('base64');
    this.headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(url.username !== '' && { authorization: `Basic ${login}` }),
    };
    this.counted = metrics.counter('vuka_chain_calls_total', 'Requests sent to an endpoint', [
      'chain',
      'endpoint',
      'method',
    ]);
    this.failed = metrics.counter('vuka_chain_call_failures_total', 'Requests to an endpoint that failed', [
      'chain',
      'endpoint',
      'method',
      'reason',
    ]);
    this.took = metrics.histogram('vuka_chain_call_seconds', 'Time from a request to its answer', [
      'chain',
      'endpoint',
      'method',
    ]);
  }

  get isResting(): boolean {
    return this.failures >= FAILURES_BEFORE_REST;
  }

  /** Throws RpcError. */
  call(method: string, params: readonly unknown[]): Promise<unknown> {
    return this.bounded(method, () => {
      const id = this.nextId++;
      const asked: Asked = {
        name: method,
        method: 'POST',
        path: `${this.base.path}${this.base.search}`,
        body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
      };
      return this.timed(asked, (answer) => resultOf(answer, id));
    });
  }

  /** JSON for HTTP 2xx and 4xx, except 429. `label`: closed set, for metrics. Throws RpcError. */
  get(
    label: string,
    path: string,
    query: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly status: number; readonly body: unknown }> {
    const asked: Asked = { name: label, method: 'GET', path: this.below(path, query) };
    return this.bounded(label, () => this.timed(asked, bodyOf));
  }

  /** May be sent twice; after a break it may have been accepted. */
  post(
    label: string,
    path: string,
    form: Readonly<Record<string, string>>,
  ): Promise<{ readonly status: number; readonly body: unknown }> {
    const asked: Asked = {
      name: label,
      method: 'POST',
      path: this.below(path, {}),
      body: new URLSearchParams(form).toString(),
      type: 'application/x-www-form-urlencoded',
    };
    return this.bounded(label, () => this.timed(asked, bodyOf));
  }

  close(): Promise<void> {
    return this.pool.destroy();
  }

  private below(path: string, query: Readonly<Record<string, string>>): string {
    const search = new URLSearchParams(this.base.search);
    for (const [name, value] of Object.entries(query)) search.set(name, value);
    return `${this.base.path.replace(/\/$/, '')}${path}${search.size > 0 ? `?${search.toString()}` : ''}`;
  }

  private async bounded<T>(name: string, once: () => Promise<T>): Promise<T> {
    this.refuseWhileResting();
    if (this.underWay >= MOST_CALLS) throw new RpcError('busy');
    this.underWay += 1;
    try {
      return await this.attempt(name, once);
    } finally {
      this.underWay -= 1;
    }
  }

  private async attempt<T>(name: string, once: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const result = await once();
        this.failures = 0;
        return result;
      } catch (error) {
        const trouble = rpcErrorOf(error);
        this.failed.add({ ...this.labels(name), reason: trouble.trouble });
        const again = trouble.trouble === 'rate_limited' || trouble.trouble === 'no_connection';
        if (again && attempt < ATTEMPTS && !this.pool.destroyed) {
          await pause(PAUSE_MS);
          continue;
        }
        this.note(trouble);
        throw trouble;
      }
    }
  }

  private async timed<T>(asked: Asked, read: (answer: HttpAnswer) => T): Promise<T> {
    const labels = this.labels(asked.name);
    const began = performance.now();
    this.counted.add(labels);
    try {
      return read(await this.exchange(asked, this.options.longestBytes[asked.name] ?? LONGEST_OTHER_BYTES));
    } finally {
      this.took.observe(labels, (performance.now() - began) / 1_000);
    }
  }

  private async exchange({ method, path, body: sent, type }: Asked, mostBytes: number): Promise<HttpAnswer> {
    const signal = AbortSignal.timeout(REQUEST_MS);
    const headers = type === undefined ? this.headers : { ...this.headers, 'content-type': type };
    const { statusCode, body: answer } = await this.pool.request({ method, path, headers, body: sent ?? null, signal });
    const chunks: Buffer[] = [];
    let bytes = 0;
    // Leaving early closes the connection.
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > mostBytes) throw new RpcError('too_large');
      chunks.push(chunk);
    }
    return { status: statusCode, text: Buffer.concat(chunks).toString('utf8') };
  }

  private labels(method: string): { chain: string; endpoint: string; method: string } {
    return { chain: this.options.chain, endpoint: String(this.options.number), method };
  }

  /** One call after each rest ends or doubles it. */
  private refuseWhileResting(): void {
    if (!this.isResting) return;
    if (this.options.clock.monotonicMs() < this.restsUntilMs) throw new RpcError('resting');
    this.restsUntilMs = this.options.clock.monotonicMs() + REQUEST_MS;
  }

  private note({ trouble }: RpcError): void {
    if (trouble === 'refused') this.failures = 0;
    if (NOT_ITS_FAULT.has(trouble)) return;
    this.failures += 1;
    const doublings = Math.min(this.failures - FAILURES_BEFORE_REST, 10);
    if (doublings >= 0)
      this.restsUntilMs = this.options.clock.monotonicMs() + Math.min(FIRST_REST_MS * 2 ** doublings, LONGEST_REST_MS);
  }
}

function bodyOf({ status, text }: HttpAnswer): { readonly status: number; readonly body: unknown } {
  if (status === 429) throw new RpcError('rate_limited');
  const isAnswer = (status >= 200 && status < 300) || (status >= 400 && status < 500);
  if (!isAnswer) throw new RpcError('http_status', String(status));
  return { status, body: jsonOf(text) };
}

function resultOf({ status, text }: HttpAnswer, id: number): unknown {
  if (status === 429) throw new RpcError('rate_limited');
  if (status !== 200) throw new RpcError('http_status', String(status));
  const answer = objectAt(jsonOf(text), 'answer');
  if (answer['error'] !== undefined && answer['error'] !== null) {
    const { code } = objectAt(answer['error'], 'error');
    if (LIMIT_CODES.has(code)) throw new RpcError('rate_limited');
    throw new RpcError('refused', Number.isSafeInteger(code) ? String(code) : '');
  }
  if (answer['id'] !== id || !('result' in answer)) throw new RpcError('malformed', 'no answer to the question');
  return answer['result'];
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RpcError('malformed', 'not JSON');
  }
}

/** Rethrows bugs. */
export function troubleOf(error: unknown): string {
  if (error instanceof RpcError || error instanceof MalformedAnswerError) return error.message;
  throw error;
}

function rpcErrorOf(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  if (error instanceof MalformedAnswerError) return new RpcError('malformed', error.where);
  const { code, name } = error as { code?: unknown; name?: unknown };
  if (name === 'AbortError' || name === 'TimeoutError' || /^UND_ERR_(HEADERS|BODY)_TIMEOUT$/.test(String(code)))
    return new RpcError('late');
  return new RpcError('no_connection', typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,40}$/.test(code) ? code : '');
}
