import { type Logger, runLoop, type RunningLoop, type WakeSignal } from '@vuka/runtime';

export interface ClaimLoopOptions<T> {
  readonly name: string;
  readonly claim: (limit: number) => Promise<T[]>;
  /** Errors are logged; the lease or due time brings the item back. */
  readonly handle: (item: T) => Promise<void>;
  readonly limit: number;
  /** Awaited before each claim, for more urgent work. Bounded. */
  readonly giveWay: () => Promise<void>;
  readonly signal: WakeSignal;
  readonly log: Logger;
}

/** A claim is a commit, so work that is due together is claimed together. */
export const GATHER_MS = 15;
const IDLE_MS = 5_000;
const STOP_WITHIN_MS = 15_000;

/** Works on many items at once, so that a slow one delays no other. */
export class ClaimLoop<T> {
  private readonly inHand = new Set<Promise<void>>();
  private loop: RunningLoop | undefined;
  private waitsForRoom = false;

  constructor(private readonly options: ClaimLoopOptions<T>) {}

  start(): void {
    this.loop = runLoop({
      name: this.options.name,
      tick: () => this.tick(),
      signal: this.options.signal,
      idleMs: IDLE_MS,
      gatherMs: GATHER_MS,
      log: this.options.log,
    });
  }

  /** Waits for items in hand, 15 s at most: leases and due times cover the rest. */
  async stop(): Promise<void> {
    await this.loop?.stop();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, STOP_WITHIN_MS);
    });
    await Promise.race([Promise.all(this.inHand), late]);
    clearTimeout(timer);
  }

  private async tick(): Promise<boolean> {
    await this.options.giveWay();
    const room = this.options.limit - this.inHand.size;
    // A claim for each finished item would be a commit each.
    this.waitsForRoom = room < this.options.limit / 4;
    if (this.waitsForRoom) return false;
    const items = await this.options.claim(room);
    for (const item of items) this.take(item);
    return items.length === room;
  }

  private take(item: T): void {
    const work = this.options
      .handle(item)
      .catch((error: unknown) => {
        this.options.log.error(
          { err: error, loop: this.options.name },
          'an item of due work failed; it is tried again',
        );
      })
      .finally(() => {
        this.inHand.delete(work);
        if (this.waitsForRoom) this.options.signal.notify();
      });
    this.inHand.add(work);
  }
}
