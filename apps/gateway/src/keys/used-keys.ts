import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type Clock, type Logger, runLoop, type RunningLoop, WakeSignal } from '@vuka/runtime';
import { CLOCK, LOGGER } from '@vuka/service-host';

import { DATABASE_WAIT_MS, withTimeout } from '../calls/index.js';
import { KeysStore } from './keys.store.js';

const EVERY_MS = 60_000;
/** Further keys are dropped until the next write. */
export const MOST_USED = 10_000;

/**
 * Accurate to about a minute: kept in memory and written in batches, so that requests never wait. A killed process
 * loses its notes.
 */
@Injectable()
export class UsedKeys implements OnApplicationShutdown {
  private usedAt = new Map<string, Date>();
  private loop: RunningLoop | undefined;

  constructor(
    @Inject(KeysStore) private readonly store: Pick<KeysStore, 'markUsed'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  note(visiblePrefix: string): void {
    remember(this.usedAt, visiblePrefix, this.clock.now());
  }

  start(): void {
    const tick = async (): Promise<boolean> => {
      await this.write();
      return false;
    };
    this.loop = runLoop({
      name: 'gateway.used-keys',
      tick,
      signal: new WakeSignal(),
      idleMs: EVERY_MS,
      log: this.log,
    });
  }

  /** A failure is logged and the rest is lost. */
  async onApplicationShutdown(): Promise<void> {
    await this.loop?.stop();
    await this.write().catch((error: unknown) =>
      this.log.warn({ err: error }, 'when keys were used last could not be written'),
    );
  }

  private async write(): Promise<void> {
    const written = this.usedAt;
    if (written.size === 0) return;
    this.usedAt = new Map();
    try {
      await withTimeout(DATABASE_WAIT_MS, 'note when keys were used', this.store.markUsed(written));
    } catch (error) {
      for (const [visiblePrefix, at] of this.usedAt) remember(written, visiblePrefix, at);
      this.usedAt = written;
      throw error;
    }
  }
}

function remember(usedAt: Map<string, Date>, visiblePrefix: string, at: Date): void {
  if (usedAt.size < MOST_USED || usedAt.has(visiblePrefix)) usedAt.set(visiblePrefix, at);
}
