import { createHash } from 'node:crypto';

import { fail, type Problem, type Result } from '@vuka/domain';
import type { FastifyRequest } from 'fastify';

import { bytesOf, UNKNOWN_OPERATION } from '../http/index.js';
import { POLICY_NAMES, type RateLimits } from '../limits/index.js';

/** A request of a provider, to a path of its own. */
export interface ProviderRequest {
  readonly provider: string;
  readonly token: string;
  readonly method: 'POST' | 'PUT';
  readonly host: string;
  /** With the query. */
  readonly path: string;
  /** Names and values in turn, as Node tells them. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

/** The contract's forms; another form is nobody's path. */
const PROVIDER = /^[a-z0-9_-]{1,40}$/;
const TOKEN = /^[0-9a-f]{32,128}$/;
/** A signature that covers a later one proves nothing then. Bytes are bounded by Node's 16 KiB. */
const MOST_HEADERS = 200;
/** Each holds its body. */
export const MOST_UNDER_WAY = 100;
const MOST_KNOWN = 1_000;

/**
 * Bounds what comes to providers' paths of one kind. Payments knows the tokens. Paths that it knows are counted by
 * path, all others by address: whoever guesses paths keeps no provider away.
 */
export class ProviderDoor {
  /** Digests. */
  private readonly known = new Set<string>();
  private underWay = 0;

  constructor(
    /** Paths of two kinds are counted apart. */
    private readonly kind: 'callbacks' | 'approvals',
    private readonly limits: Pick<RateLimits, 'countCallback'>,
    /** For everything that is not told to the provider. */
    private readonly trouble: Problem,
  ) {}

  /** `pass` asks payments. Errors: not_found, rate_limited, and `trouble`. */
  async run<T>(
    { provider, token }: Pick<ProviderRequest, 'provider' | 'token'>,
    address: string | undefined,
    pass: () => Promise<Result<T>>,
  ): Promise<Result<T>> {
    if (!PROVIDER.test(provider) || !TOKEN.test(token)) return fail(UNKNOWN_OPERATION);
    const path = createHash('sha256').update(`${this.kind}/${provider}/${token}`).digest('base64url');
    const refused = await this.refusal(path, address);
    if (refused !== null) return fail(refused);
    if (this.underWay >= MOST_UNDER_WAY) return fail(this.trouble);
    this.underWay += 1;
    try {
      return this.noted(path, await pass());
    } finally {
      this.underWay -= 1;
    }
  }

  private noted<T>(path: string, answer: Result<T>): Result<T> {
    if (answer.ok) {
      if (this.known.size < MOST_KNOWN) this.known.add(path);
      return answer;
    }
    if (answer.error.code !== 'not_found') return fail(this.trouble);
    this.known.delete(path);
    return fail(UNKNOWN_OPERATION);
  }

  private async refusal(path: string, address: string | undefined): Promise<Problem | null> {
    const counted = await this.limits.countCallback(this.known.has(path) ? path : null, address);
    if (counted === null || counted.taken.allowed) return null;
    const { policy, taken } = counted;
    return {
      code: 'rate_limited',
      message: `Too many ${this.kind}. Try again in ${String(taken.retryAfterS)} s`,
      retryAfterS: taken.retryAfterS,
      limit: { name: POLICY_NAMES.callbacks, ratePerS: policy.ratePerS, burst: policy.burst },
    };
  }
}

export function requestOf(request: FastifyRequest, method: ProviderRequest['method']): ProviderRequest {
  const { provider = '', token = '' } = request.params as Readonly<Record<string, string>>;
  const { url = '', rawHeaders } = request.raw;
  return { provider, token, method, host: request.headers.host ?? '', path: url, rawHeaders, body: bytesOf(request) };
}

/** As the contract has it. */
export function sentAs({ rawHeaders, body, ...request }: ProviderRequest): Omit<
  ProviderRequest,
  'rawHeaders' | 'body'
> & {
  headers: [string, string][];
  body: string;
} {
  return { ...request, headers: pairsOf(rawHeaders), body: body.toString('base64') };
}

function pairsOf(rawHeaders: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length && pairs.length < MOST_HEADERS; at += 2)
    pairs.push([rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '']);
  return pairs;
}
