import { answerWithin } from '@vuka/runtime';
import { Client, Pool, type Dispatcher } from 'undici';

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface HttpReply {
  readonly status: number;
  readonly text: string;
}

export class NoReplyError extends Error {
  override readonly name = 'NoReplyError';

  constructor(
    message: string,
    readonly how: {
      /** False only if certainly no byte was written. */
      readonly sent: boolean;
      /** True for a timeout, false for a lost connection. */
      readonly late: boolean;
      readonly cause?: unknown;
    },
  ) {
    super(message, { cause: how.cause });
  }
}

/** A bug, not an outage. */
export class ReplyTooLongError extends Error {
  override readonly name = 'ReplyTooLongError';
}

/** Lists of 1,000 rows are about 1 MB. */
const LONGEST_REPLY_BYTES = 8 * 1024 * 1024;

/**
 * Sends once. Errors: NoReplyError, ReplyTooLongError.
 *
 * undici's `request()` does not say whether the request was written. Only that tells "nothing was done" from
 * "unknown". It also does not release a request that waits for a connection.
 */
export function exchange(dispatcher: Dispatcher, request: HttpRequest, withinMs: number): Promise<HttpReply> {
  return new Promise((resolve, reject) => {
    const handler = new ExchangeHandler(resolve, reject, withinMs);
    dispatcher.dispatch({ ...request, headers: { ...request.headers } }, handler);
  });
}

class ExchangeHandler implements Dispatcher.DispatchHandler {
  private readonly timer: NodeJS.Timeout;
  private controller: Dispatcher.DispatchController | undefined;
  private ended = false;
  private status = 0;
  private readonly chunks: Buffer[] = [];
  private bytes = 0;

  constructor(
    private readonly resolve: (reply: HttpReply) => void,
    private readonly reject: (error: Error) => void,
    withinMs: number,
  ) {
    this.timer = setTimeout(
      () => this.giveUp(new NoReplyError('no answer in time', { sent: this.sent, late: true })),
      withinMs,
    );
  }

  private get sent(): boolean {
    return this.controller !== undefined;
  }

  /**
   * A throw here removes the request before it is written and keeps the connection: for requests given up, and
   * against a second sending by undici.
   */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.ended) throw new Error('given up before it was sent');
    if (this.controller !== undefined) throw new Error('a request is never sent twice');
    this.controller = controller;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    this.status = status;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.bytes += chunk.length;
    if (this.bytes > LONGEST_REPLY_BYTES)
      this.giveUp(new ReplyTooLongError(`more than ${String(LONGEST_REPLY_BYTES)} bytes`));
    else this.chunks.push(chunk);
  }

  onResponseEnd(): void {
    const { status, chunks } = this;
    const [first] = chunks;
    const bytes = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
    this.end(() => this.resolve({ status, text: bytes.toString('utf8') }));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.end(() =>
      this.reject(new NoReplyError(describe(error, this.sent), { sent: this.sent, late: false, cause: error })),
    );
  }

  /** A late answer could still come on this connection. */
  private giveUp(error: Error): void {
    this.end(() => this.reject(error));
    this.controller?.abort(error);
  }

  private end(tell: () => void): void {
    if (this.ended) return;
    this.ended = true;
    clearTimeout(this.timer);
    tell();
  }
}

/** Connection messages contain addresses. */
function describe(error: Error, sent: boolean): string {
  const { code, errors } = error as { code?: unknown; errors?: readonly { code?: unknown }[] };
  const told = [code, errors?.[0]?.code].find((one) => typeof one === 'string') ?? error.name;
  return `${sent ? 'the connection was lost' : 'no connection'} (${told})`;
}

export interface HttpConnectionsOptions {
  readonly origin: string;
  readonly connections: number;
  /** Milliseconds; bounds how long a changed DNS address goes unnoticed. */
  readonly lifeMs: number;
  /** PEM: whose certificates are believed. Absent: Node's own list. */
  readonly ca?: string;
}

/** Shorter than the server's (internal-server.ts), so that it rarely closes a connection in use. */
const KEEP_ALIVE_MS = 4_000;
const CONNECT_TIMEOUT_MS = 1_000;
/** exchange() bounds the wait. Above the longest of all: ten minutes for the ledger check. */
const SILENCE_MS = 11 * 60_000;

const CLIENT_OPTIONS = {
  pipelining: 1,
  keepAliveTimeout: KEEP_ALIVE_MS,
  keepAliveMaxTimeout: KEEP_ALIVE_MS,
  headersTimeout: SILENCE_MS,
  bodyTimeout: SILENCE_MS,
} satisfies Client.Options;

/** One pool per operation: a slow operation takes no connection from another. */
export class HttpConnections {
  private readonly pools = new Map<string, { readonly pool: Pool; readonly since: number }>();
  /** Expired pools with calls in flight. */
  private readonly retired = new Set<Pool>();

  private readonly clientOptions: Client.Options;

  constructor(private readonly options: HttpConnectionsOptions) {
    const { ca } = options;
    this.clientOptions = {
      ...CLIENT_OPTIONS,
      connect: { timeout: CONNECT_TIMEOUT_MS, ...(ca !== undefined && { ca }) },
    };
  }

  /** Errors: those of exchange(). */
  send(lane: string, request: HttpRequest, withinMs: number): Promise<HttpReply> {
    return exchange(this.poolOf(lane), request, withinMs);
  }

  /** Uses a new connection. Errors: those of exchange(). */
  async sendAfresh(request: HttpRequest, withinMs: number): Promise<HttpReply> {
    const client = new Client(this.options.origin, this.clientOptions);
    try {
      return await exchange(client, request, withinMs);
    } finally {
      void client.destroy();
    }
  }

  async close(withinMs: number): Promise<void> {
    const pools = [...this.retired, ...[...this.pools.values()].map(({ pool }) => pool)];
    this.pools.clear();
    await answerWithin(withinMs, Promise.allSettled(pools.map((pool) => pool.close())), undefined);
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  /** undici's `clientTtl` can leave a request waiting when all connections expire at once. */
  private poolOf(lane: string): Pool {
    const known = this.pools.get(lane);
    const now = performance.now();
    if (known !== undefined && now - known.since < this.options.lifeMs) return known.pool;
    const pool = new Pool(this.options.origin, { ...this.clientOptions, connections: this.options.connections });
    this.pools.set(lane, { pool, since: now });
    if (known !== undefined) this.retire(known.pool);
    return pool;
  }

  private retire(pool: Pool): void {
    this.retired.add(pool);
    pool
      .close()
      .catch(() => undefined)
      .finally(() => this.retired.delete(pool));
  }
}
