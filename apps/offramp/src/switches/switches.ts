import { Inject, Injectable } from '@nestjs/common';
import type { MonotonicClock } from '@vuka/runtime';

import { CLOCK } from '@vuka/service-host';

import { type SwitchedOff, SwitchStore } from './switch.store.js';

/** Maximum age of a cached answer. */
const FRESH_MS = 1_000;

/**
 * While a chain or token is off, we take no new deposits, judge none and send nothing. Rejects if the database is down:
 * unknown does not mean on.
 */
@Injectable()
export class Switches {
  private known: { readonly off: readonly SwitchedOff[]; readonly atMs: number } | null = null;
  private asking: Promise<readonly SwitchedOff[]> | null = null;

  public constructor(
    @Inject(SwitchStore) private readonly store: Pick<SwitchStore, 'inForce'>,
    @Inject(CLOCK) private readonly clock: MonotonicClock,
  ) {}

  /** `asset`: token symbol; null: the chain as a whole. */
  public async isOff(chain: string, asset: string | null): Promise<boolean> {
    return (await this.whyOff(chain, asset)) !== null;
  }

  /** Reason for people; null: it is on. */
  public async whyOff(chain: string, asset: string | null): Promise<string | null> {
    const found = (await this.all()).find((off) => off.chain === chain && (off.asset === null || off.asset === asset));
    return found === undefined
      ? null
      : `${found.asset === null ? chain : `${found.asset} on ${chain}`} is switched off: ${found.reason}`;
  }

  public all(): Promise<readonly SwitchedOff[]> {
    if (this.known !== null && this.clock.monotonicMs() - this.known.atMs < FRESH_MS)
      return Promise.resolve(this.known.off);
    this.asking ??= this.learn().finally(() => {
      this.asking = null;
    });
    return this.asking;
  }

  private async learn(): Promise<readonly SwitchedOff[]> {
    // Time before the query: a change during it is then seen a second later.
    const atMs = this.clock.monotonicMs();
    const off = await this.store.inForce();
    this.known = { off, atMs };
    return off;
  }
}
