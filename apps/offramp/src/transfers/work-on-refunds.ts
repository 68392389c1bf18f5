import type { Clock, Logger } from '@vuka/runtime';

import type { DueRefunds, RefundInHand, RefundStore } from '../refunds/index.js';
import type { RefundTurn } from './refund-turn.js';

export interface RefundLimits {
  /** Turns under way on one chain: a dead one keeps no more than these busy. */
  readonly perChain: number;
  /** Longer than a turn takes; after a crash this is how long a refund waits to be taken again. */
  readonly leaseMs: number;
}

export const REFUND_LIMITS: RefundLimits = { perChain: 8, leaseMs: 30_000 };

export interface WorkOnRefundsParts {
  readonly refunds: Pick<RefundStore, 'claim'>;
  readonly chains: readonly string[];
  readonly turn: Pick<RefundTurn, 'run'>;
  readonly signal: DueRefunds;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits?: RefundLimits;
}

/**
 * Gives each refund that is due its turn, under a lease and a fence. A process that dies in the middle leaves a lease that lapses; what it had
 * signed is committed or was given to nobody.
 */
export class WorkOnRefunds {
  public readonly name = 'work-on-refunds';
  private readonly limits: RefundLimits;
  private readonly inFlight = new Set<Promise<void>>();
  private readonly busy = new Map<string, number>();

  public constructor(private readonly parts: WorkOnRefundsParts) {
    this.limits = parts.limits ?? REFUND_LIMITS;
  }

  /** Notified when refunds are new, and here when one goes on. */
  public get signal(): DueRefunds {
    return this.parts.signal;
  }

  /** One round: takes what is due and begins. True where another round may find more at once. */
  public async tick(): Promise<boolean> {
    const room = this.parts.chains
      .map((chain) => ({ chain, free: this.limits.perChain - (this.busy.get(chain) ?? 0) }))
      .filter(({ free }) => free > 0);
    if (room.length === 0) return false;
    const now = this.parts.clock.now();
    const taken = await this.parts.refunds.claim(now, new Date(now.getTime() + this.limits.leaseMs), room);
    for (const refund of taken) this.begin(refund);
    return taken.length > 0;
  }

  /** Waits for the turns under way. No tick may be running. */
  public async drain(): Promise<void> {
    await Promise.all(this.inFlight);
  }

  private begin(refund: RefundInHand): void {
    const { log, signal } = this.parts;
    const facts = { refund_id: refund.refundId, partner_id: refund.partnerId, chain: refund.chain };
    this.busy.set(refund.chain, (this.busy.get(refund.chain) ?? 0) + 1);
    const turn = this.parts.turn
      .run(refund)
      .then((outcome) => {
        if (outcome === 'lapsed') log.warn(facts, 'a turn of a refund took longer than its lease and is dropped');
        // Its next turn is due now.
        if (outcome !== 'again') signal.notify();
        if (outcome !== 'again' && outcome !== 'lapsed')
          log.info({ ...facts, from: refund.state, outcome }, 'refund moved on');
      })
      .catch((error: unknown) => log.error({ err: error, ...facts }, 'a turn of a refund failed; it is taken again'))
      .then(() => {
        this.busy.set(refund.chain, (this.busy.get(refund.chain) ?? 1) - 1);
        this.inFlight.delete(turn);
        signal.notify();
      });
    this.inFlight.add(turn);
  }
}
