import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { answerWithin, type Logger, runLoop, type RunningLoop, type WakeSignal } from '@vuka/runtime';
import { LOGGER } from '@vuka/service-host';

import { ServedChains } from './chains/index.js';
import { OutgoingChains } from './transfers/index.js';

export interface LoopedWork {
  readonly name: string;
  readonly signal: WakeSignal;
  tick(): Promise<boolean>;
  drain?(): Promise<void>;
}

/** readonly LoopedWork[]. */
export const LOOPED_WORK = Symbol('LOOPED_WORK');

/** The shortest time between two checks of a claim. */
const IDLE_MS = 1_000;
const DRAIN_MS = 3_000;

@Injectable()
export class BackgroundWork implements BeforeApplicationShutdown, OnApplicationShutdown {
  private loops: readonly RunningLoop[] = [];

  public constructor(
    @Inject(LOOPED_WORK) private readonly work: readonly LoopedWork[],
    private readonly chains: ServedChains,
    private readonly outgoing: OutgoingChains,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  public start(): void {
    this.loops = this.work.map((one) =>
      runLoop({ name: one.name, tick: () => one.tick(), signal: one.signal, idleMs: IDLE_MS, log: this.log }),
    );
  }

  public async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.loops.map((loop) => loop.stop()));
  }

  /** A check that still runs is left to its lease. */
  public async onApplicationShutdown(): Promise<void> {
    await this.chains.close();
    await this.outgoing.close();
    await answerWithin(DRAIN_MS, Promise.all(this.work.map(async (one) => one.drain?.())), undefined);
  }
}
