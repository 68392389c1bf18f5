import { setTimeout as sleep } from 'node:timers/promises';

import type { Logger } from '@vuka/runtime';

import { askAnvil } from './anvil-rpc.js';

export const BUSY_BLOCK_SECONDS = 1;
const IDLE_BLOCK_SECONDS = 10;
const IDLE_AFTER_MS = 600_000;
const LOOK_EVERY_MS = 1_000;
/** Pause after a save, in multiples of its duration. */
const REST_AFTER_SAVE = 10;
/** Empty blocks are no state and may be lost. */
const UNSAVED_BLOCKS = 300;

export interface ChainKeeperOptions {
  readonly url: string;
  /** Gzipped JSON. */
  readonly save: (dump: Buffer) => Promise<void>;
  readonly log: Logger;
  readonly idleAfterMs?: number;
}

/**
 * Saves each change. anvil's `--state-interval` writes everything into one file, which a kill leaves half
 * written. Idle chains slow to a block every 10 s, because anvil keeps all.
 */
export class ChainKeeper {
  private readonly stopped = new AbortController();
  private running: Promise<void> | undefined;
  private savedRoot: string | undefined;
  private savedNumber = 0;
  private lastUpdate = performance.now();
  private nextSaveAt = 0;
  private failing = false;

  constructor(private readonly options: ChainKeeperOptions) {}

  start(): void {
    this.running ??= this.run();
  }

  async stop(): Promise<void> {
    this.stopped.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopped;
    while (!signal.aborted) {
      try {
        await this.look();
        this.failing = false;
      } catch (error) {
        if (!this.failing && !signal.aborted)
          this.options.log.warn({ err: error }, 'the local chain could not be saved');
        this.failing = true;
      }
      await sleep(LOOK_EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  private async look(): Promise<void> {
    const { url, idleAfterMs = IDLE_AFTER_MS } = this.options;
    const [block, pool, interval] = (await askAnvil(url, [
      { method: 'eth_getBlockByNumber', params: ['latest', false] },
      { method: 'txpool_status' },
      { method: 'anvil_getIntervalMining' },
    ])) as [{ number: string; stateRoot: string }, { pending: string }, number | null];
    const number = Number(block.number);
    const changed = block.stateRoot !== this.savedRoot;
    if (changed || Number(pool.pending) > 0) this.lastUpdate = performance.now();
    await this.pace(interval, performance.now() - this.lastUpdate > idleAfterMs);
    const began = performance.now();
    if ((!changed && Math.abs(number - this.savedNumber) < UNSAVED_BLOCKS) || began < this.nextSaveAt) return;
    const [dump] = (await askAnvil(url, [{ method: 'anvil_dumpState' }])) as [string];
    await this.options.save(Buffer.from(dump.slice(2), 'hex'));
    this.savedRoot = block.stateRoot;
    this.savedNumber = number;
    this.nextSaveAt = performance.now() + REST_AFTER_SAVE * (performance.now() - began);
  }

  /** A chain stalled on purpose stays so. */
  private async pace(interval: number | null, idle: boolean): Promise<void> {
    const wanted = idle ? IDLE_BLOCK_SECONDS : BUSY_BLOCK_SECONDS;
    if (
      interval === null ||
      interval === wanted ||
      (interval !== BUSY_BLOCK_SECONDS && interval !== IDLE_BLOCK_SECONDS)
    )
      return;
    await askAnvil(this.options.url, [{ method: 'evm_setIntervalMining', params: [wanted] }]);
  }
}
