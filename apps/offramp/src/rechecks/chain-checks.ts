import { type Clock, type Logger, WakeSignal } from '@vuka/runtime';

import type { ChainsByName, ServedChain } from '../chains/index.js';
import type { Room } from '../claims/index.js';

/** Low, because nobody waits for these. */
const PER_CHAIN = 4;
/** Longer than a check; after a crash a row waits this long. */
export const RECHECK_LEASE_MS = 60_000;

/** So that a slow or dead chain does not delay the others. */
export abstract class ChainChecks<T extends { readonly chain: string; readonly claimId: number }> {
  public abstract readonly name: string;
  public readonly signal = new WakeSignal();
  private readonly inFlight = new Map<Promise<void>, string>();

  protected constructor(
    private readonly chains: ChainsByName<ServedChain>,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  protected abstract claim(now: Date, leaseUntil: Date, room: readonly Room[]): Promise<T[]>;

  /** All rows of one claim. */
  protected abstract check(taken: readonly [T, ...T[]], served: ServedChain): Promise<void>;

  /** True: there may be more. */
  public async tick(): Promise<boolean> {
    const room = [...this.chains.keys()]
      .map((chain) => ({ chain, free: PER_CHAIN - this.underWayOn(chain) }))
      .filter(({ free }) => free > 0);
    if (room.length === 0) return false;
    const now = this.clock.now();
    const taken = await this.claim(now, new Date(now.getTime() + RECHECK_LEASE_MS), room);
    const byClaim = new Map<number, [T, ...T[]]>();
    for (const one of taken) {
      const others = byClaim.get(one.claimId);
      if (others) others.push(one);
      else byClaim.set(one.claimId, [one]);
    }
    for (const group of byClaim.values()) this.begin(group);
    return taken.length > 0;
  }

  /** No tick may be running. */
  public async drain(): Promise<void> {
    await Promise.all(this.inFlight.keys());
  }

  private begin(taken: readonly [T, ...T[]]): void {
    const [{ chain, claimId }] = taken;
    const served = this.chains.get(chain);
    if (served === undefined) throw new Error(`${chain} is not served`);
    const work = this.check(taken, served)
      .catch((error: unknown) =>
        this.log.error(
          { err: error, transaction_id: claimId, chain },
          'a check of a reported deposit failed; it is checked again',
        ),
      )
      .then(() => {
        const before = this.underWayOn(chain);
        this.inFlight.delete(work);
        if (before === PER_CHAIN) this.signal.notify();
      });
    this.inFlight.set(work, chain);
  }

  private underWayOn(chain: string): number {
    return [...this.inFlight.values()].filter((one) => one === chain).length;
  }
}
