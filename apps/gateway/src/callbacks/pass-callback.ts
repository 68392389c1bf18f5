import { createHash } from 'node:crypto';

import { Inject, Injectable } from '@nestjs/common';
import { type CallContext, type InternalClient, paymentsApi } from '@vuka/contracts';
import { fail, ok, type Problem, type Result } from '@vuka/domain';
import type { Logger } from '@vuka/runtime';
import { clientOf, LOGGER } from '@vuka/service-host';

import { read } from '../calls/index.js';
import { UNKNOWN_OPERATION } from '../http/index.js';
import { POLICY_NAMES, RateLimits } from '../limits/index.js';

export interface SentCallback {
  readonly provider: string;
  readonly token: string;
  readonly attemptToken: string | null;
  readonly method: 'POST' | 'PUT';
  readonly host: string;
  /** With the query. */
  readonly path: string;
  /** Names and values in turn, as Node tells them. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

export interface CallbackSender {
  /** undefined: gone. */
  readonly address: string | undefined;
  readonly context: CallContext;
}

/** The contract's forms; another form is nobody's path. */
const PROVIDER = /^[a-z0-9_-]{1,40}$/;
const TOKEN = /^[0-9a-f]{32,128}$/;
const ATTEMPT_TOKEN = /^[0-9a-f]{64}$/;
/** A signature that covers a later one proves nothing then. Bytes are bounded by Node's 16 KiB. */
const MOST_HEADERS = 200;
/** Each holds its body. */
export const MOST_UNDER_WAY = 100;
const MOST_KNOWN = 1_000;
/** Seconds. */
const RETRY_S = 5;

const NOT_STORED: Problem = {
  code: 'service_unavailable',
  message: 'The callback could not be stored. Send it again',
  retryAfterS: RETRY_S,
};

/**
 * Passes a provider's callback on to payments, which knows the tokens. Paths that it knows are counted by path, all
 * others by address: whoever guesses paths keeps no provider away.
 */
@Injectable()
export class PassCallback {
  /** Digests. */
  private readonly known = new Set<string>();
  private underWay = 0;

  constructor(
    @Inject(clientOf(paymentsApi)) private readonly payments: Pick<InternalClient<typeof paymentsApi>, 'takeCallback'>,
    @Inject(RateLimits) private readonly limits: Pick<RateLimits, 'countCallback'>,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** Resolves with the body of our 200, once it is stored. Errors: not_found, rate_limited, service_unavailable. */
  async run(sent: SentCallback, { address, context }: CallbackSender): Promise<Result<string>> {
    if (!isPath(sent)) return fail(UNKNOWN_OPERATION);
    const path = digestOf(sent);
    const refused = await this.refusal(path, address);
    if (refused !== null) return fail(refused);
    if (this.underWay >= MOST_UNDER_WAY) return fail(NOT_STORED);
    this.underWay += 1;
    try {
      return await this.pass(sent, path, context);
    } finally {
      this.underWay -= 1;
    }
  }

  private async pass(sent: SentCallback, path: string, context: CallContext): Promise<Result<string>> {
    const { provider, token, attemptToken, method, host, body } = sent;
    const input = {
      provider,
      token,
      attempt_token: attemptToken,
      method,
      host,
      path: sent.path,
      headers: pairsOf(sent.rawHeaders),
      body: body.toString('base64'),
    };
    const taken = await read(this.log, () => this.payments.takeCallback(input, context), NOT_STORED.message);
    if (taken.ok) {
      if (this.known.size < MOST_KNOWN) this.known.add(path);
      return ok(taken.value.answer);
    }
    if (taken.error.code !== 'not_found') return fail(NOT_STORED);
    this.known.delete(path);
    return fail(UNKNOWN_OPERATION);
  }

  private async refusal(path: string, address: string | undefined): Promise<Problem | null> {
    const counted = await this.limits.countCallback(this.known.has(path) ? path : null, address);
    if (counted === null || counted.taken.allowed) return null;
    const { policy, taken } = counted;
    return {
      code: 'rate_limited',
      message: `Too many callbacks. Try again in ${String(taken.retryAfterS)} s`,
      retryAfterS: taken.retryAfterS,
      limit: { name: POLICY_NAMES.callbacks, ratePerS: policy.ratePerS, burst: policy.burst },
    };
  }
}

function isPath({ provider, token, attemptToken }: SentCallback): boolean {
  const isAttempt = attemptToken === null || ATTEMPT_TOKEN.test(attemptToken);
  return PROVIDER.test(provider) && TOKEN.test(token) && isAttempt;
}

function digestOf({ provider, token }: SentCallback): string {
  return createHash('sha256').update(`${provider}/${token}`).digest('base64url');
}

function pairsOf(rawHeaders: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length && pairs.length < MOST_HEADERS; at += 2)
    pairs.push([rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '']);
  return pairs;
}
