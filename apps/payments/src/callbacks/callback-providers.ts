import { Inject, Injectable } from '@nestjs/common';
import { type CallbackProvider, type CallbackTokens, callsBack, type PayoutProvider } from '@vuka/payouts';
import { CALLBACK_TOKENS, PAYOUT_PROVIDERS } from '@vuka/service-host';

/** Providers that call back, and the tokens of their paths. */
@Injectable()
export class CallbackProviders {
  readonly all: readonly CallbackProvider[];

  constructor(
    @Inject(PAYOUT_PROVIDERS) providers: readonly PayoutProvider[],
    @Inject(CALLBACK_TOKENS) private readonly tokens: CallbackTokens,
  ) {
    this.all = providers.filter(callsBack);
  }

  find(id: string): CallbackProvider | undefined {
    return this.all.find((provider) => provider.id === id);
  }

  /** [] of a provider that does not call back. */
  tokensOf(id: string): readonly string[] {
    return this.find(id) === undefined ? [] : (this.tokens.get(id) ?? []);
  }
}
