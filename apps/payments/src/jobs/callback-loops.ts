import { Inject, Injectable } from '@nestjs/common';
import type { CallbackProvider } from '@vuka/payouts';
import { type Logger, runLoop, WakeSignal } from '@vuka/runtime';
import { LOGGER } from '@vuka/service-host';

import { CallbackProviders, type ClaimedCallback, HandleCallback, SweepCallbacks } from '../callbacks/index.js';
import { ClaimLoop, PayoutWake } from '../due-work/index.js';
import { giveWay } from './loop-times.js';

const AT_ONCE = 16;
const SWEEP_EVERY_MS = 60_000;

/** A loop for each provider that calls back: to read one may need a key of the provider's. */
@Injectable()
export class CallbackLoops {
  private readonly loops: { stop(): Promise<void> }[] = [];

  constructor(
    private readonly providers: CallbackProviders,
    private readonly handler: HandleCallback,
    private readonly sweeper: SweepCallbacks,
    private readonly wake: PayoutWake,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  start(): void {
    for (const provider of this.providers.all) {
      const loop = this.loopOf(provider);
      loop.start();
      this.loops.push(loop);
    }
    this.loops.push(
      runLoop({
        name: 'payments.sweep-callbacks',
        tick: () => this.sweeper.run(),
        // Each process: it counts what it has polled.
        signal: new WakeSignal(),
        idleMs: SWEEP_EVERY_MS,
        log: this.log,
      }),
    );
  }

  async stop(): Promise<void> {
    await Promise.all(this.loops.map((loop) => loop.stop()));
  }

  private loopOf(provider: CallbackProvider): ClaimLoop<ClaimedCallback> {
    const { handler, log, wake } = this;
    return new ClaimLoop({
      name: `payments.handle-callbacks ${provider.id}`,
      claim: (limit) => handler.claim(provider, limit),
      handle: (callback) => handler.run(callback, provider),
      limit: AT_ONCE,
      giveWay: () => giveWay(wake),
      signal: wake.callbacks.join(provider.id),
      log,
    });
  }
}
