import type { Clock, Logger, WakeSignal } from '@vuka/runtime';

import type { ServedChain } from '../chains/index.js';
import type { Room } from '../claims/index.js';

/** Looks under way at one chain: they come after those that somebody waits for. */
const PER_CHAIN = 4;
/** Longer than a look and its recording take; after a crash this is how long a row waits to be taken again. */
export const RECHECK_LEASE_MS = 60_000;

export interface ChainLooksParts<T> {
  /** Of its loop. */
  readonly name: string;
  /** Takes what is due under a lease. */
  readonly claim: (now: Date, leaseUntil: Date, room: readonly Room[]) => Promise<T[]>;
  /** One look, at all that was taken of one claim, and its recording. */
  readonly look: (taken: readonly [T, ...T[]], served: ServedChain) => Promise<void>;
  /** By the chain's name. */
  readonly chains: ReadonlyMap<string, ServedChain>;
  /** Notified here when room has come free. */
  readonly signal: WakeSignal;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Looks at what is due of each chain, some at a time, so that a chain that is slow or away holds up no other. */
export class ChainLooks<T extends { readonly chain: string; readonly claimId: number }> {
  private readonly inFlight = new Map<Promise<void>, string>();

  public constructor(private readonly parts: ChainLooksParts<T>) {}

  public get name(): string {
    return this.parts.name;
  }

  public get signal(): WakeSignal {
    return this.parts.signal;
  }

  /** One round: takes what is due and begins to look. True where another round may find more at once. */
  public async tick(): Promise<boolean> {
    const { chains, claim, clock } = this.parts;
    const room = [...chains.keys()]
      .map((chain) => ({ chain, free: PER_CHAIN - this.underWayOn(chain) }))
      .filter(({ free }) => free > 0);
    if (room.length === 0) return false;
    const now = clock.now();
    const taken = await claim(now, new Date(now.getTime() + RECHECK_LEASE_MS), room);
    const byClaim = new Map<number, [T, ...T[]]>();
    for (const one of taken) {
      const others = byClaim.get(one.claimId);
      if (others) others.push(one);
      else byClaim.set(one.claimId, [one]);
    }
    for (const group of byClaim.values()) this.begin(group);
    return taken.length > 0;
  }

  /** Waits for the looks under way. No tick may be running. */
  public async drain(): Promise<void> {
    await Promise.all(this.inFlight.keys());
  }

  private begin(taken: readonly [T, ...T[]]): void {
    const { chains, log, look, signal } = this.parts;
    const [{ chain, claimId }] = taken;
    const served = chains.get(chain);
    if (served === undefined) throw new Error(`${chain} is not served`);
    const work = look(taken, served)
      .catch((error: unknown) =>
        log.error(
          { err: error, transaction_id: claimId, chain },
          'a look at a deposit that was told of failed; it is looked at again',
        ),
      )
      .then(() => {
        const before = this.underWayOn(chain);
        this.inFlight.delete(work);
        if (before === PER_CHAIN) signal.notify();
      });
    this.inFlight.set(work, chain);
  }

  private underWayOn(chain: string): number {
    return [...this.inFlight.values()].filter((one) => one === chain).length;
  }
}
