import { Inject, Injectable } from '@nestjs/common';
import { type NetworkProvider, type PayoutProvider, predictsNetworks } from '@vuka/payouts';
import { answerWithin, type Logger, type MonotonicClock } from '@vuka/runtime';
import { CLOCK, LOGGER, PAYOUT_PROVIDERS } from '@vuka/service-host';

import { type ProviderQuestion, WORTH_ASKING_MS } from './provider-question.js';

/** Asks one provider that pays the corridor which network a phone number is probably of. */
@Injectable()
export class PredictNetwork {
  private readonly providers: readonly NetworkProvider[];

  constructor(
    @Inject(PAYOUT_PROVIDERS) providers: readonly PayoutProvider[],
    @Inject(CLOCK) private readonly clock: MonotonicClock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.providers = providers.filter(predictsNetworks);
  }

  /** null: nobody told in time. `deadlineMs`: monotonic clock. */
  async run({ destination, currency, traceparent }: ProviderQuestion, deadlineMs: number): Promise<string | null> {
    if (destination.kind !== 'mobile') return null;
    const via = { kind: destination.kind, mobileNetwork: destination.mobile_network };
    const provider = this.providers.find((one) => one.walletOf(via, currency) !== null);
    const timeoutMs = deadlineMs - this.clock.monotonicMs();
    if (provider === undefined || timeoutMs < WORTH_ASKING_MS) return null;
    const question = {
      phone: destination.phone,
      currency,
      timeoutMs,
      ...(traceparent !== undefined && { traceparent }),
    };
    try {
      const answer = await answerWithin(timeoutMs, provider.predictNetwork(question), null);
      if (answer?.outcome === 'told') return answer.network;
      if (answer?.outcome === 'failed')
        this.log.warn({ provider: provider.id, currency, detail: answer.detail }, 'a provider did not tell a network');
    } catch (error) {
      // A bug in an adapter, of a hint alone.
      this.log.error(
        { provider: provider.id, currency, err: error },
        'a provider failed when it was asked for a network',
      );
    }
    return null;
  }
}
