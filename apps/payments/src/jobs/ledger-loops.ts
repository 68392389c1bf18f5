import { Inject, Injectable } from '@nestjs/common';
import { type Logger, runLoop, type RunningLoop } from '@vuka/runtime';
import { LOGGER } from '@vuka/service-host';

import { PayoutWake } from '../due-work/index.js';
import { ExecuteSettlement } from '../settlements/index.js';
import { CollectReceivables } from '../wallets/index.js';
import { IDLE_MS } from './loop-times.js';

@Injectable()
export class LedgerLoops {
  private readonly loops: RunningLoop[] = [];

  constructor(
    private readonly collector: CollectReceivables,
    private readonly settlements: ExecuteSettlement,
    private readonly wake: PayoutWake,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  start(): void {
    const common = { idleMs: IDLE_MS, log: this.log };
    this.loops.push(
      runLoop({
        name: 'payments.collect-receivables',
        tick: async () => (await this.collector.run()) > 0,
        signal: this.wake.debts,
        ...common,
      }),
      runLoop({
        name: 'payments.execute-settlements',
        tick: () => this.settlements.runDue(),
        signal: this.wake.settlements,
        ...common,
      }),
    );
  }

  async stop(): Promise<void> {
    await Promise.all(this.loops.map((loop) => loop.stop()));
  }
}
