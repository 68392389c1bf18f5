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

import { PredictNetwork } from './predict-network.js';
import { type ProviderQuestion, WORTH_ASKING_MS } from './provider-question.js';

export type KnownName = Exclude<NameAnswer, { readonly outcome: 'failed' }> & {
  /** Of a phone number whose name cannot be told: which network it is probably of. Absent: not known. */
  readonly likelyNetwork?: string;
};

export type ToldName = KnownName | Extract<NameAnswer, { readonly outcome: 'failed' }>;

const CANNOT_TELL: NameAnswer = { outcome: 'cannot_tell' };
const OUT_OF_TIME: NameAnswer = { outcome: 'failed', detail: 'no time left' };
const NONE_TOLD: NameAnswer = { outcome: 'failed', detail: 'no provider told' };

/**
 * Asks providers in turn. It goes on if one fails, cannot tell, or is silent for its share of the time. A silent one
 * may still answer; the first name wins. The answer is `cannot_tell` if one said so and none gave a name, or if there
 * is no provider.
 */
@Injectable()
export class AskProviders {
  /** In order of preference. */
  private readonly providers: readonly NameProvider[];

  constructor(
    @Inject(PAYOUT_PROVIDERS) providers: readonly PayoutProvider[],
    private readonly networks: PredictNetwork,
    @Inject(CLOCK) private readonly clock: MonotonicClock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.providers = providers.filter(looksUpNames);
  }

  /** `deadlineMs`: monotonic clock. `failed`: no provider answered. */
  async run(question: ProviderQuestion, deadlineMs: number): Promise<ToldName> {
    const answer = await this.askNames(question, deadlineMs);
    if (answer.outcome !== 'cannot_tell') return answer;
    const likelyNetwork = await this.networks.run(question, deadlineMs);
    return likelyNetwork === null ? answer : { ...answer, likelyNetwork };
  }

  private async askNames(question: ProviderQuestion, deadlineMs: number): Promise<NameAnswer> {
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

  /** null: no answer in time. */
  private async ask(provider: NameProvider, question: NameQuestion): Promise<KnownName | null> {
    const about = { provider: provider.id, currency: question.currency, kind: question.destination.kind };
    try {
      const answer = await answerWithin(question.timeoutMs, provider.lookUpName(question), OUT_OF_TIME);
      if (answer.outcome !== 'failed') return answer;
      this.log.warn({ ...about, detail: answer.detail }, 'a provider did not tell a name');
    } catch (error) {
      // A bug in an adapter; ask the next provider.
      this.log.error({ ...about, err: error }, 'a provider failed when it was asked for a name');
    }
    return null;
  }
}

/** null: none will answer. */
function firstKnown(asked: readonly Promise<KnownName | null>[]): Promise<KnownName | null> {
  const telling = asked.map(async (answer) => (await answer) ?? Promise.reject(new Error('it did not say')));
  return Promise.any(telling).catch(() => null);
}
