import { Pool } from 'undici';

/** What came back over HTTP: JSON with its status, or nothing that may be relied on. */
export type ProviderReply =
  | { readonly kind: 'json'; readonly status: number; readonly body: unknown }
  | {
      readonly kind: 'no_answer';
      readonly detail: string;
      /** No connection came about: not a byte of the call has left. */ readonly unsent?: true;
    };

export interface ProviderHttpOptions {
  /** Scheme, host, port; a path is kept as a prefix. */
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Bound on one whole call, waiting for a free connection included. */
  readonly callTimeoutMs: number;
  readonly maxConnections: number;
}

/** What fails before anything can be sent. The same codes come from connections that are in use: then something may have left. */
const CONNECTING: ReadonlySet<unknown> = new Set(['connect', 'getaddrinfo']);
const CONNECT_TIMEOUT = 'UND_ERR_CONNECT_TIMEOUT';

const MAX_ANSWER_BYTES = 64 * 1024;

export interface ProviderCall {
  readonly body?: object;
  /** Longest answer that is read; default 64 KiB. */
  readonly maxAnswerBytes?: number;
  readonly traceparent?: string | undefined;
  /** A bound on this call below that of all; with none of it left nothing is sent. */
  readonly timeoutMs?: number;
}

/**
 * JSON over HTTP to one provider, on connections kept alive. `call` never throws for the provider's trouble: no connection, a
 * reset connection, a timeout, a 5xx, an answer too long or not JSON are all `no_answer`, since none of them says
 * whether the money moves (providers.md 0.3); only where no connection came about it surely does not (`unsent`). Redirects are not followed.
 */
export class ProviderHttp {
  readonly #pool: Pool;
  readonly #prefix: string;
  #closing: Promise<void> | null = null;

  constructor(private readonly options: ProviderHttpOptions) {
    const { origin, pathname } = new URL(options.baseUrl);
    const timeout = options.callTimeoutMs;
    this.#prefix = pathname.replace(/\/$/, '');
    this.#pool = new Pool(origin, {
      connections: options.maxConnections,
      pipelining: 1,
      connect: { timeout },
      headersTimeout: timeout,
      bodyTimeout: timeout,
    });
  }

  async call(
    method: 'GET' | 'POST',
    path: string,
    { body, traceparent, maxAnswerBytes = MAX_ANSWER_BYTES, timeoutMs = Infinity }: ProviderCall = {},
  ): Promise<ProviderReply> {
    const patienceMs = Math.floor(Math.min(this.options.callTimeoutMs, timeoutMs));
    if (patienceMs <= 0) return { kind: 'no_answer', detail: 'no time left', unsent: true };
    const headers = {
      accept: 'application/json',
      ...this.options.headers,
      ...(traceparent !== undefined && { traceparent }),
    };
    try {
      const response = await this.#pool.request({
        method,
        path: this.#prefix + path,
        headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.timeout(patienceMs),
      });
      const status = response.statusCode;
      const text = await readBounded(response.body, maxAnswerBytes);
      if (status >= 500) return noAnswer(`HTTP ${status}`);
      if (text === null) return noAnswer(`HTTP ${status} with more than ${maxAnswerBytes} bytes`);
      if (!isJson(response.headers['content-type'])) return noAnswer(`HTTP ${status} that is not JSON`);
      return parse(status, text);
    } catch (error) {
      const detail = errorName(error);
      return isUnsent(error) ? { kind: 'no_answer', detail, unsent: true } : noAnswer(detail);
    }
  }

  /** Lets calls in flight end (each is bounded), then closes the connections. */
  close(): Promise<void> {
    return (this.#closing ??= this.#pool.close());
  }
}

async function readBounded(body: AsyncIterable<Buffer>, maxBytes: number): Promise<string | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    // Leaving the loop destroys the stream and with it the connection.
    if (length > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function isJson(contentType: string | string[] | undefined): boolean {
  return typeof contentType === 'string' && /^application\/json\s*(;|$)/i.test(contentType);
}

function parse(status: number, text: string): ProviderReply {
  try {
    return { kind: 'json', status, body: JSON.parse(text) as unknown };
  } catch {
    return noAnswer(`HTTP ${status} with broken JSON`);
  }
}

function noAnswer(detail: string): ProviderReply {
  return { kind: 'no_answer', detail };
}

/** True where no connection came about, on any address that was tried. */
function isUnsent(error: unknown): boolean {
  const { code, syscall, errors } = Object(error) as { code?: unknown; syscall?: unknown; errors?: unknown };
  if (Array.isArray(errors) && errors.length > 0) return errors.every(isUnsent);
  return code === CONNECT_TIMEOUT || CONNECTING.has(syscall);
}

/** A code such as ECONNRESET or UND_ERR_BODY_TIMEOUT; messages may quote what was sent and are left out. */
function errorName(error: unknown): string {
  const { code, name } = Object(error) as { code?: unknown; name?: unknown };
  if (typeof code === 'string') return code;
  return typeof name === 'string' ? name : 'no answer';
}
