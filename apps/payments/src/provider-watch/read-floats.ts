import { Inject, Injectable } from '@nestjs/common';
import { accountName } from '@vuka/domain';
import { type BalanceProvider, type PayoutProvider, tellsBalances } from '@vuka/payouts';
import type { Clock } from '@vuka/runtime';
import { CLOCK, PAYOUT_PROVIDERS } from '@vuka/service-host';

import { FloatStore } from './float.store.js';

const MAIN_WALLET = 'main';
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
    const toldAt = this.clock.now();
    await this.floats.keep(
      provider.id,
      answer.balances.map(({ currency, minor }) => ({ wallet: MAIN_WALLET, currency, toldMinor: minor, toldAt })),
    );
  }

  private async sum(): Promise<void> {
    const now = this.clock.now();
    const due = (await this.floats.latest(now)).filter(
      ({ ledgerAt }) => ledgerAt === null || now.getTime() - ledgerAt.getTime() >= SUMMED_EVERY_MS,
    );
    if (due.length === 0) return;
    const accounts = due.map(({ provider, currency }) => accountName.rail(provider, currency));
    const sums = await this.floats.sumOf(accounts);
    for (const [place, float] of due.entries())
      await this.floats.keepSum(float, sums.get(accounts[place] ?? '') ?? 0n, now);
  }
}
