import { Inject, Injectable } from '@nestjs/common';
import { hasStatement, type PayoutProvider, type StatementProvider } from '@vuka/payouts';
import { type Clock, type Logger, runLoop, type RunningLoop } from '@vuka/runtime';
import { CLOCK, LOGGER, PAYOUT_PROVIDERS } from '@vuka/service-host';

import { GATHER_MS, PayoutWake } from '../due-work/index.js';
import { AttemptStore } from '../transactions/index.js';
import { IDLE_MS } from './loop-times.js';
import { ReadStatement } from './read-statement.js';

@Injectable()
export class StatementLoops {
  private readonly loops: RunningLoop[] = [];

  constructor(
    @Inject(PAYOUT_PROVIDERS) private readonly providers: readonly PayoutProvider[],
    private readonly attempts: AttemptStore,
    private readonly wake: PayoutWake,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  start(): void {
    this.loops.push(...this.providers.filter(hasStatement).map((provider) => this.loopOf(provider)));
  }

  async stop(): Promise<void> {
    await Promise.all(this.loops.map((loop) => loop.stop()));
  }

  private loopOf(provider: StatementProvider): RunningLoop {
    const { clock, log } = this;
    const reader = new ReadStatement(provider, this.attempts, clock, log, this.wake.watches);
    return runLoop({
      name: `payments.read-statements ${provider.id}`,
      tick: () => reader.run(),
      signal: this.wake.statements.join(provider.id),
      idleMs: IDLE_MS,
      gatherMs: GATHER_MS,
      log,
    });
  }
}
