import { Inject, Injectable } from '@nestjs/common';
import type { Settings } from '@vuka/config';
import type { CallContext, NameMatch, ResolvedName } from '@vuka/contracts';
import { fail, ok, type Limit, type LookupDestination, type Problem, type Result } from '@vuka/domain';
import { TokenBuckets } from '@vuka/http';
import { answerWithin, Cipher, type Clock, type MonotonicClock } from '@vuka/runtime';
import { CLOCK, SETTINGS } from '@vuka/service-host';

import { AskProviders, type KnownName, type ToldName } from './ask-providers.js';
import { destinationKeys } from './destination-keys.js';
import { MemoryNameCache } from './name-cache.js';
import { matchNames } from './name-match.js';
import { type ProviderQuestion, WORTH_ASKING_MS } from './provider-question.js';

export interface ResolveNameInput {
  readonly partner_id: number;
  /** ISO 4217. */
  readonly currency: string;
  readonly destination: LookupDestination;
  /** To compare; null: no comparison. */
  readonly account_name: string | null;
}

/** Name in the `RateLimit` header. */
const DESTINATION = 'destination';

/** Limit for all providers together. */
const PROVIDERS_MS = 1_500;
/** Kept for the reply to the caller. */
const WAY_BACK_MS = 200;

/** A missing number may exist soon. */
const TTL_MS: Readonly<Record<KnownName['outcome'], number>> = {
  found: 60_000,
  cannot_tell: 60_000,
  not_found: 10_000,
};

interface Asking {
  readonly answer: Promise<ToldName>;
  /** Of the first caller; monotonic. */
  readonly deadlineMs: number;
}

const NOT_ASKED_IN_TIME: ToldName = { outcome: 'failed', detail: 'no time left' };

const NOTHING_KNOWN =
  'The name could not be looked up, because the network or bank of this destination did not answer in time. ' +
  'Nothing is known of its owner, nor whether it exists; try again later';

/**
 * Answers from the last minute's cache or from providers, at the latest 200 ms before the caller's deadline. Never
 * guesses a name. Errors: rate_limited (per destination), service_unavailable (no provider in time).
 */
@Injectable()
export class ResolveName {
  /** Equal questions share one answer. */
  private readonly asking = new Map<string, Asking>();
  /** Per partner and destination; null: no limit. Cached answers count too. */
  private readonly perDestination: Limit | null;

  constructor(
    private readonly providers: AskProviders,
    private readonly cache: MemoryNameCache,
    private readonly buckets: TokenBuckets,
    private readonly cipher: Cipher,
    @Inject(CLOCK) private readonly clock: Clock & MonotonicClock,
    @Inject(SETTINGS) settings: Settings,
  ) {
    const perDestination = settings.rateLimits.destination;
    this.perDestination = perDestination === null ? null : { name: DESTINATION, ...perDestination };
  }

  async run(
    { partner_id, currency, destination, account_name }: ResolveNameInput,
    context: CallContext,
  ): Promise<Result<ResolvedName>> {
    const { cache, cipher, clock } = this;
    const keys = destinationKeys(cipher, currency, destination);
    const refused = await this.count(`${String(partner_id)}:${keys.recipient}`);
    if (refused !== null) return fail(refused);

    const leftMs = Math.min(PROVIDERS_MS, context.deadline - WAY_BACK_MS - clock.now().getTime());
    const deadlineMs = clock.monotonicMs() + leftMs;
    const known = await cache.get(keys.question);
    const answer =
      known ?? (await this.ask(keys.question, { currency, destination, traceparent: context.traceparent }, deadlineMs));
    if (answer.outcome === 'failed') return fail({ code: 'service_unavailable', message: NOTHING_KNOWN });
    const name = answer.outcome === 'found' ? answer.name : null;
    return ok({
      status: answer.outcome === 'not_found' ? 'FAILED' : 'COMPLETE',
      verified: name !== null,
      name: name ?? '',
      name_match: matchOf(account_name, name),
      ...(answer.likelyNetwork !== undefined && { likely_network: answer.likelyNetwork }),
    });
  }

  private async count(key: string): Promise<Problem | null> {
    const limit = this.perDestination;
    if (limit === null) return null;
    const { allowed, retryAfterS } = await this.buckets.take(key, limit);
    return allowed ? null : tooMany(limit, retryAfterS);
  }

  /**
   * A later caller waits for the answer under way. It asks again if the first caller's deadline ended before its own.
   */
  private async ask(key: string, question: ProviderQuestion, deadlineMs: number): Promise<ToldName> {
    for (;;) {
      const leftMs = deadlineMs - this.nowMs();
      if (leftMs <= 0) return NOT_ASKED_IN_TIME;
      const running = this.asking.get(key);
      if (running === undefined) return answerWithin(leftMs, this.begin(key, question, deadlineMs), NOT_ASKED_IN_TIME);
      const answer = await answerWithin(leftMs, running.answer, NOT_ASKED_IN_TIME);
      const timeWasUp = this.nowMs() > running.deadlineMs - WORTH_ASKING_MS;
      if (answer.outcome !== 'failed' || !timeWasUp) return answer;
    }
  }

  private begin(key: string, question: ProviderQuestion, deadlineMs: number): Promise<ToldName> {
    const answer = this.askAndKeep(key, question, deadlineMs).finally(() => this.asking.delete(key));
    this.asking.set(key, { answer, deadlineMs });
    return answer;
  }

  private async askAndKeep(key: string, question: ProviderQuestion, deadlineMs: number): Promise<ToldName> {
    const answer = await this.providers.run(question, deadlineMs);
    if (answer.outcome !== 'failed') await this.cache.put(key, answer, TTL_MS[answer.outcome]);
    return answer;
  }

  private nowMs(): number {
    return this.clock.monotonicMs();
  }
}

function matchOf(sent: string | null, resolved: string | null): NameMatch | null {
  return sent === null ? null : matchNames(sent, resolved);
}

function tooMany(limit: Limit, retryAfterS: number): Problem {
  const message =
    `Too many lookups of this destination: a partner may ask for one and the same ${limit.ratePerS} times a second, and up to ${limit.burst} times at once. ` +
    `Nothing was looked up. Ask again in ${retryAfterS} s`;
  return { code: 'rate_limited', message, retryAfterS, limit };
}
