import type { CallContext, NameMatch, ResolvedName } from '@vuka/contracts';
import { fail, ok, type LookupDestination, type Result } from '@vuka/domain';
import type { NameAnswer } from '@vuka/payouts';
import type { Cipher, Clock, RatePolicy, TokenBuckets } from '@vuka/platform';

import { answerWithin, type AskRails, type RailQuestion } from './ask-rails.js';
import { destinationKeys } from './destination-keys.js';
import type { KnownName, NameCache } from './name-cache.js';
import { matchNames } from './name-match.js';

export interface ResolveNameInput {
  readonly partner_id: number;
  /** ISO 4217. */
  readonly currency: string;
  readonly destination: LookupDestination;
  /** To compare with the resolved name; null: nothing is compared. */
  readonly account_name: string | null;
}

export interface ResolveNameOptions {
  readonly rails: AskRails;
  readonly cache: NameCache;
  readonly buckets: TokenBuckets;
  readonly cipher: Pick<Cipher, 'blindIndex'>;
  readonly clock: Clock;
  /** How often one partner may ask for one destination; cached answers count. What others ask is nothing of its. */
  readonly perDestination?: RatePolicy;
}

/** Enough for a shop that is paid all day, not for watching whose number it becomes. */
export const LOOKUPS_PER_DESTINATION: RatePolicy = { name: 'lookups-per-destination', ratePerS: 1, burst: 60 };

/** Longest that rails are asked for one answer, all of them together. */
const RAILS_MS = 1_500;
/** Left for the way back to whoever asks. */
const WAY_BACK_MS = 200;

/** How long an answer is taken for true. A number that does not exist yet may exist soon. */
const TTL_MS: Readonly<Record<KnownName['outcome'], number>> = { found: 60_000, cannot_tell: 60_000, not_found: 10_000 };

const NOT_ASKED_IN_TIME: NameAnswer = { outcome: 'failed', detail: 'no time left' };

const NOTHING_KNOWN =
  'The name could not be looked up, because the network or bank of this destination did not answer in time. ' +
  'Nothing is known of its owner, nor whether it exists; try again later';

/**
 * Whose name is on a destination: what a rail said within the last minute, else what one says now. Never a guess, and never
 * a name that no rail told. Answers 200 ms before the caller's deadline at the latest.
 * Errors: rate_limited (too many lookups of this destination), service_unavailable (no rail answered in time).
 */
export class ResolveName {
  /** Questions on their way to the rails, by key: equal ones wait for one answer. */
  private readonly asking = new Map<string, Promise<NameAnswer>>();

  constructor(private readonly options: ResolveNameOptions) {}

  async run({ partner_id, currency, destination, account_name }: ResolveNameInput, context: CallContext): Promise<Result<ResolvedName>> {
    const { buckets, cache, cipher, clock, perDestination = LOOKUPS_PER_DESTINATION } = this.options;
    const keys = destinationKeys(cipher, currency, destination);
    const taken = await buckets.take(`${String(partner_id)}:${keys.recipient}`, perDestination);
    if (!taken.allowed) return tooMany(taken.retryAfterS);

    const deadlineMs = Math.min(clock.now().getTime() + RAILS_MS, context.deadline - WAY_BACK_MS);
    const known = await cache.get(keys.question);
    const answer = known ?? (await this.ask(keys.question, { currency, destination, traceparent: context.traceparent }, deadlineMs));
    if (answer.outcome === 'failed') return fail({ code: 'service_unavailable', message: NOTHING_KNOWN });
    const name = answer.outcome === 'found' ? answer.name : null;
    return ok({
      status: answer.outcome === 'not_found' ? 'FAILED' : 'COMPLETE',
      verified: name !== null,
      name: name ?? '',
      name_match: matchOf(account_name, name),
    });
  }

  /** What the rails say by then; whoever comes while they are being asked waits for that answer, within its own time. */
  private ask(key: string, question: RailQuestion, deadlineMs: number): Promise<NameAnswer> {
    const leftMs = deadlineMs - this.options.clock.now().getTime();
    if (leftMs <= 0) return Promise.resolve(NOT_ASKED_IN_TIME);
    const asking = this.asking.get(key) ?? this.begin(key, question, deadlineMs);
    return answerWithin(leftMs, asking, NOT_ASKED_IN_TIME);
  }

  private begin(key: string, question: RailQuestion, deadlineMs: number): Promise<NameAnswer> {
    const asking = this.askAndKeep(key, question, deadlineMs).finally(() => this.asking.delete(key));
    this.asking.set(key, asking);
    return asking;
  }

  private async askAndKeep(key: string, question: RailQuestion, deadlineMs: number): Promise<NameAnswer> {
    const answer = await this.options.rails.run(question, deadlineMs);
    if (answer.outcome !== 'failed') await this.options.cache.put(key, answer, TTL_MS[answer.outcome]);
    return answer;
  }
}

function matchOf(sent: string | null, resolved: string | null): NameMatch | null {
  return sent === null ? null : matchNames(sent, resolved);
}

function tooMany(retryAfterS: number): Result<never> {
  const message = `This destination has been looked up too often. Ask again in ${retryAfterS} s`;
  return fail({ code: 'rate_limited', message, retryAfterS });
}
