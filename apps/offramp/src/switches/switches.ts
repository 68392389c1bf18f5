import { Inject, Injectable } from '@nestjs/common';
import type { MonotonicClock } from '@vuka/runtime';

import { CLOCK } from '@vuka/service-host';

import { type SwitchedOff, SwitchStore } from './switch.store.js';

/** Whoever decides by a switch decides by one that is no older. */
const FRESH_MS = 1_000;

/**
 * Chains and tokens that people have switched off: no new deposit is taken there, none that came is judged, and nothing is sent. What waits
 * goes on when it is switched on. Rejects while the database is away: what cannot be told is not taken for on.
 */
@Injectable()
export class Switches {
  private known: { readonly off: readonly SwitchedOff[]; readonly atMs: number } | null = null;
  private asking: Promise<readonly SwitchedOff[]> | null = null;

  public constructor(
    @Inject(SwitchStore) private readonly store: Pick<SwitchStore, 'inForce'>,
    @Inject(CLOCK) private readonly clock: MonotonicClock,
  ) {}

  /** Whether a chain is off, or that token on it; `asset`: the token's symbol, null: the chain as a whole. */
  public async isOff(chain: string, asset: string | null): Promise<boolean> {
    return (await this.whyOff(chain, asset)) !== null;
  }

  /** The same for people: what is off, and why it was said to be; null: it is on. */
  public async whyOff(chain: string, asset: string | null): Promise<string | null> {
    const found = (await this.all()).find((off) => off.chain === chain && (off.asset === null || off.asset === asset));
    return found === undefined
      ? null
      : `${found.asset === null ? chain : `${found.asset} on ${chain}`} is switched off: ${found.reason}`;
  }

  /** All that is off. */
  public all(): Promise<readonly SwitchedOff[]> {
    if (this.known !== null && this.clock.monotonicMs() - this.known.atMs < FRESH_MS)
      return Promise.resolve(this.known.off);
    this.asking ??= this.learn().finally(() => {
      this.asking = null;
    });
    return this.asking;
  }

  private async learn(): Promise<readonly SwitchedOff[]> {
    // From before the question: what is switched off while it is asked is known a second later.
    const atMs = this.clock.monotonicMs();
    const off = await this.store.inForce();
    this.known = { off, atMs };
    return off;
  }
}
