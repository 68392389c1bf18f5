import { Inject, Injectable, Optional } from '@nestjs/common';
import type { Clock } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

import { SERVED_CHAIN_NAMES } from '../chains/index.js';
import { DueRefunds, type RefundInHand, RefundStore } from '../refunds/index.js';
import { RefundTurn } from './refund-turn.js';

export interface RefundLimits {
  /** So that a dead chain does not block the others. */
  readonly perChain: number;
  /** Longer than a turn; after a crash a refund waits this long. */
  readonly leaseMs: number;
}

export const REFUND_LIMITS: RefundLimits = { perChain: 8, leaseMs: 30_000 };

/** RefundLimits, for tests. */
export const TURN_LIMITS = Symbol('TURN_LIMITS');

/** After a crash the lease expires. What was signed is committed, or nobody got it. */
@Injectable()
export class WorkOnRefunds {
  public readonly name = 'work-on-refunds';
  private readonly inFlight = new Set<Promise<void>>();
  private readonly busy = new Map<string, number>();

  public constructor(
    @Inject(RefundStore) private readonly refunds: Pick<RefundStore, 'claim'>,
    @Inject(SERVED_CHAIN_NAMES) private readonly chains: ReadonlySet<string>,
    private readonly turn: RefundTurn,
    public readonly signal: DueRefunds,
    @Inject(CLOCK) private readonly clock: Clock,
    @Optional() @Inject(TURN_LIMITS) private readonly limits: RefundLimits = REFUND_LIMITS,
  ) {}

  /** True: there may be more. */
  public async tick(): Promise<boolean> {
    const room = [...this.chains]
      .map((chain) => ({ chain, free: this.limits.perChain - (this.busy.get(chain) ?? 0) }))
      .filter(({ free }) => free > 0);
    if (room.length === 0) return false;
    const now = this.clock.now();
    const taken = await this.refunds.claim(now, new Date(now.getTime() + this.limits.leaseMs), room);
    for (const refund of taken) this.begin(refund);
    return taken.length > 0;
  }

  /** No tick may be running. */
  public async drain(): Promise<void> {
    await Promise.all(this.inFlight);
  }

  private begin(refund: RefundInHand): void {
    this.busy.set(refund.chain, (this.busy.get(refund.chain) ?? 0) + 1);
    const turn = this.turn.run(refund).then(() => {
      this.busy.set(refund.chain, (this.busy.get(refund.chain) ?? 1) - 1);
      this.inFlight.delete(turn);
      this.signal.notify();
    });
    this.inFlight.add(turn);
  }
}
