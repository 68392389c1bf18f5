import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Settings } from '@vuka/config';
import { checkPublicUrl, createOutboundAgent, outboundPolicy } from '@vuka/http';
import { SETTINGS } from '@vuka/service-host';
import type { Agent, Dispatcher } from 'undici';

import type { AttemptOutcome, DeliveryError } from '../deliveries/index.js';

/** Connect and read together (interface.md, limits). */
export const DELIVERY_TIMEOUT_MS = 3_000;

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Unchanged: the signature covers these bytes. */
  readonly body: string;
}

/** Never throws: errors are outcomes. */
export type PostWebhook = (request: WebhookRequest) => Promise<AttemptOutcome>;

export const POST_WEBHOOK = Symbol('POST_WEBHOOK');

@Injectable()
export class WebhookAgent implements OnApplicationShutdown {
  readonly agent: Agent;

  constructor(@Inject(SETTINGS) settings: Settings) {
    this.agent = createOutboundAgent({ ...outboundPolicy(settings), timeoutMs: DELIVERY_TIMEOUT_MS });
  }

  onApplicationShutdown(): Promise<void> {
    return this.agent.destroy();
  }
}

/**
 * `agent` checks addresses, follows no redirects and bounds the answer's body (createOutboundAgent). An answer counts
 * if read to its end or bound in time.
 */
export function createPostWebhook(agent: Dispatcher, timeoutMs: number = DELIVERY_TIMEOUT_MS): PostWebhook {
  return async ({ url, headers, body }) => {
    // The agent checks the address, but no longer sees hidden parts, such as a user before the host.
    if (!checkPublicUrl(url, { allowPrivate: true, anyPort: true }).ok)
      return { kind: 'failed', error: 'blocked_address' };
    const deadline = AbortSignal.timeout(timeoutMs);
    try {
      const { origin, path } = requestTarget(url);
      const answer = await agent.request({ origin, path, method: 'POST', headers, body, signal: deadline });
      await discard(answer.body);
      return { kind: 'answered', status: answer.statusCode, retryAfter: single(answer.headers['retry-after']) };
    } catch (error) {
      return { kind: 'failed', error: deadline.aborted ? 'timeout' : classifyDeliveryError(error) };
    }
  };
}

/**
 * Sends the query byte for byte (decisions.md section 6); the WHATWG parser would re-encode quotes. Only what HTTP
 * cannot carry is parsed.
 */
export function requestTarget(url: string): { origin: string; path: string } {
  const parsed = new URL(url);
  const [withoutFragment = ''] = url.split('#', 1);
  const mark = withoutFragment.indexOf('?');
  const query = mark === -1 ? '' : withoutFragment.slice(mark);
  return { origin: parsed.origin, path: parsed.pathname + (/^[\x21-\x7e]*$/.test(query) ? query : parsed.search) };
}

/** Read only so that the connection can be reused. */
async function discard(body: Dispatcher.ResponseData['body']): Promise<void> {
  try {
    for await (const chunk of body) void chunk;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'UND_ERR_RES_EXCEEDED_MAX_SIZE') throw error;
  }
}

function single(header: string | string[] | undefined): string | null {
  return (Array.isArray(header) ? header[0] : header) ?? null;
}

/** By code, else name: Node system errors, undici, parser, TLS, and the address guard. */
const ERROR_CLASSES: readonly (readonly [RegExp, DeliveryError])[] = [
  [/^(ETIMEDOUT|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)$/, 'timeout'],
  [/^(ENOTFOUND|EAI_[A-Z]+|ENODATA)$/, 'dns'],
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EACCES)$/, 'unreachable'],
  [/^(ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET)$/, 'connection_lost'],
  [/^(HPE_|HTTPParserError$|UND_ERR_(HEADERS_OVERFLOW|RES_CONTENT_LENGTH_MISMATCH)$)/, 'bad_response'],
  [/^(ERR_(TLS|SSL|OSSL)_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|EPROTO)/, 'tls'],
  [/^OUTBOUND_BLOCKED$/, 'blocked_address'],
];

/** Also checks causes. */
export function classifyDeliveryError(error: unknown): DeliveryError {
  let at = error as { code?: unknown; name?: unknown; cause?: unknown } | null | undefined;
  for (let depth = 0; at !== null && at !== undefined && depth < 5; depth += 1, at = at.cause as typeof at) {
    const mark = at.code ?? at.name;
    const found = typeof mark === 'string' ? ERROR_CLASSES.find(([pattern]) => pattern.test(mark)) : undefined;
    if (found !== undefined) return found[1];
  }
  return 'internal';
}
