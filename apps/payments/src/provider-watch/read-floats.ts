import { Inject, Injectable } from '@nestjs/common';
import { accountName } from '@vuka/domain';
import { type BalanceProvider, type PayoutProvider, tellsBalances } from '@vuka/payouts';
import type { Clock } from '@vuka/runtime';
import { CLOCK, PAYOUT_PROVIDERS } from '@vuka/service-host';

import { FloatStore } from './float.store.js';

/** It reads the accounts' whole history. */
const SUMMED_EVERY_MS = 60 * 60_000;

/** Asks each provider what our floats hold, and sums once an hour what the ledger says. */
@Injectable()
export class ReadFloats {
  private readonly telling: readonly BalanceProvider[];
  private isReading = false;

  constructor(
    private readonly floats: FloatStore,
    @Inject(PAYOUT_PROVIDERS) providers: readonly PayoutProvider[],
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.telling = providers.filter(tellsBalances);
  }

  async run(): Promise<void> {
    if (this.isReading) return;
    this.isReading = true;
    try {
      await Promise.all(this.telling.map((provider) => this.ask(provider)));
      await this.sum();
      await this.floats.forget(this.clock.now());
    } finally {
      this.isReading = false;
    }
  }

  private async ask(provider: BalanceProvider): Promise<void> {
    const answer = await provider.balances();
    if (answer.outcome === 'failed') return;
    await this.floats.keep(
      provider.id,
      answer.balances.map(({ wallet, amount, at }) => ({
        wallet,
        currency: amount.currency,
        toldMinor: amount.minor,
        toldAt: at,
      })),
    );
  }

  private async sum(): Promise<void> {
    const now = this.clock.now();
    const due = (await this.floats.latest(now)).filter(
      ({ ledgerAt }) => ledgerAt === null || now.getTime() - ledgerAt.getTime() >= SUMMED_EVERY_MS,
    );
    if (due.length === 0) return;
    const accounts = due.map(({ provider, wallet, currency }) => accountName.rail(provider, wallet, currency));
    const sums = await this.floats.sumOf(accounts);
    for (const [place, float] of due.entries())
      await this.floats.keepSum(float, sums.get(accounts[place] ?? '') ?? 0n, now);
  }
}
