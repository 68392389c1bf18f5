import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type Clock, type Logger, runLoop, type RunningLoop, WakeSignal } from '@vuka/runtime';
import { CLOCK, LOGGER } from '@vuka/service-host';

import { DATABASE_WAIT_MS, withTimeout } from '../calls/index.js';
import { KeysStore } from './keys.store.js';

const EVERY_MS = 60_000;
/** Keys used since the last write that are remembered; one more is not. */
export const MOST_USED = 10_000;

/**
 * When each key was used last, to about a minute: noted in memory by every gateway, and written together. Requests never wait for it, and a process that
 * is killed forgets what it had noted.
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

  /** Writes every minute from now on. */
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

  /** Writes what is left; where that fails it is forgotten, and said. */
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
      // What was used since then is newer.
      for (const [visiblePrefix, at] of this.usedAt) remember(written, visiblePrefix, at);
      this.usedAt = written;
      throw error;
    }
  }
}

function remember(usedAt: Map<string, Date>, visiblePrefix: string, at: Date): void {
  if (usedAt.size < MOST_USED || usedAt.has(visiblePrefix)) usedAt.set(visiblePrefix, at);
}
