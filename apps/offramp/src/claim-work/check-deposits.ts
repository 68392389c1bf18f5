import { Inject, Injectable, Optional } from '@nestjs/common';
import type { Clock } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

import { type ChainsByName, type ServedChain, ServedChains } from '../chains/index.js';
import { ClaimStore, type ClaimToCheck, DueClaims } from '../claims/index.js';
import { JudgeClaim } from './judge-claim.js';

export interface CheckLimits {
  /** So that a dead chain does not block the others. */
  readonly perChain: number;
  /** Longer than a check; after a crash a claim waits this long. */
  readonly leaseMs: number;
}

export const CHECK_LIMITS: CheckLimits = { perChain: 16, leaseMs: 30_000 };

/** CheckLimits, for tests. */
export const CLAIM_LIMITS = Symbol('CLAIM_LIMITS');

/**
 * Reads chains outside any transaction, under lease and fence. A crash or a failure of ours ends nothing: the lease
 * expires.
 */
@Injectable()
export class CheckDeposits {
  public readonly name = 'check-deposits';
  private readonly inFlight = new Set<Promise<void>>();
  private readonly underWay = new Map<string, Map<number, number>>();

  public constructor(
    @Inject(ClaimStore) private readonly claims: Pick<ClaimStore, 'claim'>,
    @Inject(ServedChains) private readonly chains: ChainsByName<ServedChain>,
    private readonly judge: JudgeClaim,
    public readonly signal: DueClaims,
    @Inject(CLOCK) private readonly clock: Clock,
    @Optional() @Inject(CLAIM_LIMITS) private readonly limits: CheckLimits = CHECK_LIMITS,
  ) {}

  /** True: there may be more. */
  public async tick(): Promise<boolean> {
    const room = [...this.chains.keys()]
      .map((chain) => ({ chain, free: this.limits.perChain - this.underWayOn(chain), busy: this.busyOn(chain) }))
      .filter(({ free }) => free > 0);
    if (room.length === 0) return false;
    const now = this.clock.now();
    const taken = await this.claims.claim(now, new Date(now.getTime() + this.limits.leaseMs), room);
    for (const claim of taken) this.begin(claim);
    // A full chain is tried again when a check ends.
    return taken.length > 0;
  }

  /** No tick may be running. */
  public async drain(): Promise<void> {
    await Promise.all(this.inFlight);
  }

  private begin(claim: ClaimToCheck): void {
    this.count(claim, 1);
    const check = this.judge.run(claim, this.chains.get(claim.chain)).then(() => {
      const before = this.underWayOn(claim.chain);
      this.count(claim, -1);
      this.inFlight.delete(check);
      if (before === this.limits.perChain) this.signal.notify();
    });
    this.inFlight.add(check);
  }

  private count({ chain, partnerId }: ClaimToCheck, by: 1 | -1): void {
    const busy = this.busyOn(chain);
    this.underWay.set(chain, busy);
    const checks = (busy.get(partnerId) ?? 0) + by;
    if (checks > 0) busy.set(partnerId, checks);
    else busy.delete(partnerId);
  }

  private busyOn(chain: string): Map<number, number> {
    return this.underWay.get(chain) ?? new Map<number, number>();
  }

  private underWayOn(chain: string): number {
    return [...this.busyOn(chain).values()].reduce((total, checks) => total + checks, 0);
  }
}
