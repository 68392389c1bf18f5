import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Settings } from '@vuka/config';
import type { Clock, Logger } from '@vuka/runtime';
import { CLOCK, LOGGER, SETTINGS } from '@vuka/service-host';

import { type NotedOutcome, CorridorStateStore } from './corridor-state.store.js';
import { WakeCorridor } from './wake-corridor.js';

const JUDGED_AFTER_MS = 2_000;
/** More are not counted. */
const MOST_NOTED = 10_000;

/**
 * Counts how attempts end, for all processes, and judges by what all have seen. Not in the sandbox: there partners
 * make payments fail on purpose, by the recipient's number. What is counted when the process ends is lost.
 */
@Injectable()
export class CorridorHealth implements OnModuleDestroy {
  private noted: NotedOutcome[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly store: CorridorStateStore,
    private readonly waiting: WakeCorridor,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'env'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  note(outcome: NotedOutcome): void {
    if (this.settings.env === 'sandbox' || this.noted.length >= MOST_NOTED) return;
    this.noted.push(outcome);
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.judge().catch((error: unknown) => this.log.warn({ err: error }, 'corridors could not be judged'));
    }, JUDGED_AFTER_MS).unref();
  }

  async judge(): Promise<void> {
    const { noted } = this;
    this.noted = [];
    const now = this.clock.now();
    if (noted.length > 0) await this.store.note(noted, now);
    for (const corridor of await this.store.becameIll(now))
      this.log.error(
        { code: 'corridor_unhealthy', ...corridor, network: corridor.network ?? 'none', state: 'ill' },
        'a provider fails too many payouts of a corridor: others are preferred until it pays again',
      );
    for (const corridor of await this.store.recovered(now)) {
      this.log.info({ ...corridor }, 'a corridor is well again');
      await this.waiting.run(corridor);
    }
  }

  onModuleDestroy(): void {
    clearTimeout(this.timer);
  }
}
