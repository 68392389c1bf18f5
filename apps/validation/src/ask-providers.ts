import { Inject, Injectable } from '@nestjs/common';
import {
  looksUpNames,
  type NameAnswer,
  type NameProvider,
  type NameQuestion,
  type PayoutProvider,
} from '@vuka/payouts';
import { answerWithin, type Logger, type MonotonicClock } from '@vuka/runtime';
import { CLOCK, LOGGER, PAYOUT_PROVIDERS } from '@vuka/service-host';

/** What is asked, but for the time that is left for it. */
export type ProviderQuestion = Omit<NameQuestion, 'timeoutMs'>;

/** A provider's word on a name. That it did not answer is none. */
export type KnownName = Exclude<NameAnswer, { readonly outcome: 'failed' }>;

/** With less than this left no provider is asked any more. */
export const WORTH_ASKING_MS = 50;

const CANNOT_TELL: NameAnswer = { outcome: 'cannot_tell' };
const OUT_OF_TIME: NameAnswer = { outcome: 'failed', detail: 'no time left' };
const NONE_TOLD: NameAnswer = { outcome: 'failed', detail: 'no provider told' };

/**
 * Asks the providers whose name is on a destination, the next one where the one before did not say or cannot tell, or has been
 * silent for its share of the time: what is left, by the providers that are left. A silent one is listened to all the same, for it
 * may only be slow; whichever tells first is believed. That it cannot be told is the answer where one said so and none told,
 * and where there is no provider that tells names.
 */
@Injectable()
export class AskProviders {
  /** Those that tell names, in order of preference. */
  private readonly providers: readonly NameProvider[];

  constructor(
    @Inject(PAYOUT_PROVIDERS) providers: readonly PayoutProvider[],
    @Inject(CLOCK) private readonly clock: MonotonicClock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.providers = providers.filter(looksUpNames);
  }

  /** Answers by `deadlineMs` (of the monotonic clock), whatever the providers do. `failed`: none of them said. */
  async run(question: ProviderQuestion, deadlineMs: number): Promise<NameAnswer> {
    const { providers, clock } = this;
    if (providers.length === 0) return CANNOT_TELL;
    const asked: Promise<KnownName | null>[] = [];
    const cannotTell = { said: false };
    for (const [index, provider] of providers.entries()) {
      const leftMs = deadlineMs - clock.monotonicMs();
      if (leftMs < WORTH_ASKING_MS) break;
      const latest = this.ask(provider, { ...question, timeoutMs: leftMs }).then((answer) => {
        if (answer?.outcome !== 'cannot_tell') return answer;
        cannotTell.said = true;
        return null;
      });
      asked.push(latest);
      const shareMs = leftMs / (providers.length - index);
      const known = await answerWithin(shareMs, Promise.race([latest, firstKnown(asked)]), null);
      if (known !== null) return known;
    }
    // Each is bounded by the deadline.
    return (await firstKnown(asked)) ?? (cannotTell.said ? CANNOT_TELL : NONE_TOLD);
  }

  /** What one provider tells within the time of the question; null where it does not. */
  private async ask(provider: NameProvider, question: NameQuestion): Promise<KnownName | null> {
    const about = { provider: provider.id, currency: question.currency, kind: question.destination.kind };
    try {
      const answer = await answerWithin(question.timeoutMs, provider.lookUpName(question), OUT_OF_TIME);
      if (answer.outcome !== 'failed') return answer;
      this.log.warn({ ...about, detail: answer.detail }, 'a provider did not tell a name');
    } catch (error) {
      // A bug of this provider's adapter, and no reason not to ask another provider.
      this.log.error({ ...about, err: error }, 'a provider failed when it was asked for a name');
    }
    return null;
  }
}

/** What the first of them to tell tells, null once none of them can any more. */
function firstKnown(asked: readonly Promise<KnownName | null>[]): Promise<KnownName | null> {
  const telling = asked.map(async (answer) => (await answer) ?? Promise.reject(new Error('it did not say')));
  return Promise.any(telling).catch(() => null);
}
