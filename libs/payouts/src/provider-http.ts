import { Pool } from 'undici';

export type ProviderReply =
  /** `body` undefined: an answer without one, where `emptyAnswers` has its status. */
  | { readonly kind: 'json'; readonly status: number; readonly body: unknown }
  | {
      readonly kind: 'no_answer';
      readonly detail: string;
      /** No connection was made, so nothing was sent. */ readonly unsent?: true;
    };

export interface ProviderHttpOptions {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Includes the wait for a free connection. */
  readonly callTimeoutMs: number;
  readonly maxConnections: number;
}

/** A connection in use gives the same codes, but there something may have been sent. */
const CONNECTING: ReadonlySet<unknown> = new Set(['connect', 'getaddrinfo']);
const CONNECT_TIMEOUT = 'UND_ERR_CONNECT_TIMEOUT';

const MAX_ANSWER_BYTES = 64 * 1024;

export interface ProviderCall {
  /** An object is sent as JSON. Text and bytes are sent as they are, because a signature may be over them. */
  readonly body?: object | string | Uint8Array;
  /** Besides the client's, and instead of them. Names in small letters. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Statuses that mean something without a body, as the provider documents: `[202]`. */
  readonly emptyAnswers?: readonly number[];
  /** Statuses of 500 and more whose JSON the provider documents. All others are no answer. */
  readonly serverErrors?: readonly number[];
  /** Default 64 KiB. */
  readonly maxAnswerBytes?: number;
  readonly traceparent?: string | undefined;
  /** Only shortens the client's. If no time is left, nothing is sent. */
  readonly timeoutMs?: number;
}

/**
 * `call` never throws for provider trouble: it returns `no_answer`. That does not show whether the money moves
 * (providers.md 0.3), except for `unsent`. Redirects are not followed.
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

  async call(method: 'GET' | 'POST' | 'PUT', path: string, call: ProviderCall = {}): Promise<ProviderReply> {
    const { body, traceparent, maxAnswerBytes = MAX_ANSWER_BYTES, timeoutMs = Infinity } = call;
    const patienceMs = Math.floor(Math.min(this.options.callTimeoutMs, timeoutMs));
    if (patienceMs <= 0) return { kind: 'no_answer', detail: 'no time left', unsent: true };
    const headers = {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...this.options.headers,
      ...call.headers,
      ...(traceparent !== undefined && { traceparent }),
    };
    try {
      const response = await this.#pool.request({
        method,
        path: this.#prefix + path,
        headers,
        body: bytesOf(body),
        signal: AbortSignal.timeout(patienceMs),
      });
      const status = response.statusCode;
      const text = await readBounded(response.body, maxAnswerBytes);
      if (status >= 500 && !call.serverErrors?.includes(status)) return noAnswer(`HTTP ${status}`);
      if (text === null) return noAnswer(`HTTP ${status} with more than ${maxAnswerBytes} bytes`);
      if (text === '' && call.emptyAnswers?.includes(status)) return { kind: 'json', status, body: undefined };
      if (!isJson(response.headers['content-type'])) return noAnswer(`HTTP ${status} that is not JSON`);
      return parse(status, text);
    } catch (error) {
      const detail = errorName(error);
      return isUnsent(error) ? { kind: 'no_answer', detail, unsent: true } : noAnswer(detail);
    }
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#pool.close());
  }
}

function bytesOf(body: ProviderCall['body']): string | Uint8Array | null {
  if (body === undefined) return null;
  return typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
}

async function readBounded(body: AsyncIterable<Buffer>, maxBytes: number): Promise<string | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    // Leaving the loop closes the connection.
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

/** True only if every address failed to connect. */
function isUnsent(error: unknown): boolean {
  const { code, syscall, errors } = Object(error) as { code?: unknown; syscall?: unknown; errors?: unknown };
  if (Array.isArray(errors) && errors.length > 0) return errors.every(isUnsent);
  return code === CONNECT_TIMEOUT || CONNECTING.has(syscall);
}

/** Only the code: messages may quote what was sent. */
function errorName(error: unknown): string {
  const { code, name } = Object(error) as { code?: unknown; name?: unknown };
  if (typeof code === 'string') return code;
  return typeof name === 'string' ? name : 'no answer';
}
