import type { Credit } from '@vuka/domain';
import type { Clock, Logger, WakeSignal } from '@vuka/runtime';

import type { DepositAddresses } from '../addresses/index.js';
import type { ServedChain } from '../chains/index.js';
import {
  type ClaimStore,
  type ClaimToLookAt,
  type Look,
  lookAt,
  type LookParts,
  type OrderClaim,
  type Recorded,
  type RecordLook,
} from '../claims/index.js';
import { lookAtOrder, type OrderLook, type RecordOrderLook } from '../orders/index.js';
import type { Switches } from '../switches/index.js';
import type { OfframpMetrics } from './offramp-metrics.js';

export interface LookLimits {
  /** Looks under way at one chain: a dead one keeps no more than these busy, and no other chain waits for it. */
  readonly perChain: number;
  /** Longer than a look and its recording take; after a crash this is how long a claim waits to be taken again. */
  readonly leaseMs: number;
}

export const LOOK_LIMITS: LookLimits = { perChain: 16, leaseMs: 30_000 };

export interface LookAtClaimsParts extends LookParts {
  readonly addresses: Pick<DepositAddresses, 'ofPartner' | 'ofOrder'>;
  readonly claims: Pick<ClaimStore, 'claim'>;
  /** By the chain's name. */
  readonly chains: ReadonlyMap<string, ServedChain>;
  readonly record: Pick<RecordLook, 'run'>;
  readonly recordOrder: Pick<RecordOrderLook, 'run'>;
  readonly switches: Pick<Switches, 'whyOff'>;
  /** Notified when claims are new, and here when room has come free. */
  readonly signal: WakeSignal;
  readonly metrics: OfframpMetrics;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits?: LookLimits;
}

/**
 * Looks at the claims that are due. Each is taken under a lease and a fence, read outside any transaction, and what the look came to is
 * recorded under that fence; a process that dies in between leaves a lease that lapses, and another one looks again. A look that fails for
 * a reason of ours is like that: nothing ends by it.
 */
export class LookAtClaims {
  private readonly limits: LookLimits;
  private readonly inFlight = new Set<Promise<void>>();
  /** How many, by chain and partner. */
  private readonly underWay = new Map<string, Map<number, number>>();

  public constructor(private readonly parts: LookAtClaimsParts) {
    this.limits = parts.limits ?? LOOK_LIMITS;
  }

  /** One round: takes what is due and begins to look. True where another round may find more at once. */
  public async tick(): Promise<boolean> {
    const room = [...this.parts.chains.keys()]
      .map((chain) => ({ chain, free: this.limits.perChain - this.underWayOn(chain), busy: this.busyOn(chain) }))
      .filter(({ free }) => free > 0);
    if (room.length === 0) return false;
    const now = this.parts.clock.now();
    const taken = await this.parts.claims.claim(now, new Date(now.getTime() + this.limits.leaseMs), room);
    for (const claim of taken) this.begin(claim);
    // A chain that had more than room for is looked at again when a look ends.
    return taken.length > 0;
  }

  /** Waits for the looks under way. No tick may be running. */
  public async drain(): Promise<void> {
    await Promise.all(this.inFlight);
  }

  private begin(claim: ClaimToLookAt): void {
    this.count(claim, 1);
    const look = this.look(claim)
      .catch((error: unknown) =>
        this.parts.log.error(
          { err: error, transaction_id: claim.transactionId, chain: claim.chain },
          'a look at a claim failed; it is looked at again',
        ),
      )
      .then(() => {
        const before = this.underWayOn(claim.chain);
        this.count(claim, -1);
        this.inFlight.delete(look);
        if (before === this.limits.perChain) this.parts.signal.notify();
      });
    this.inFlight.add(look);
  }

  private count({ chain, partnerId }: ClaimToLookAt, by: 1 | -1): void {
    const busy = this.busyOn(chain);
    this.underWay.set(chain, busy);
    const looks = (busy.get(partnerId) ?? 0) + by;
    if (looks > 0) busy.set(partnerId, looks);
    else busy.delete(partnerId);
  }

  private busyOn(chain: string): Map<number, number> {
    return this.underWay.get(chain) ?? new Map<number, number>();
  }

  private underWayOn(chain: string): number {
    return [...this.busyOn(chain).values()].reduce((total, looks) => total + looks, 0);
  }

  private async look(claim: ClaimToLookAt): Promise<void> {
    const { chains, metrics, log } = this.parts;
    const served = chains.get(claim.chain);
    if (served === undefined) throw new Error(`${claim.chain} is not served`);
    const recorded = isOrders(claim) ? await this.lookAtOrders(claim, served) : await this.lookAtPays(claim, served);
    const facts = {
      transaction_id: claim.transactionId,
      order_number: claim.orderNumber ?? undefined,
      partner_id: claim.partnerId,
      chain: claim.chain,
    };
    if (recorded.kind === 'lapsed') log.warn(facts, 'a look took longer than its lease and is dropped');
    else if (recorded.kind !== 'again') {
      const reason = recorded.kind === 'unusable' ? recorded.reason : '';
      metrics.judged(claim.chain, recorded.kind, reason);
      log.info({ ...facts, verdict: recorded.kind, reason }, 'deposit judged');
    }
  }

  private async lookAtPays(claim: ClaimToLookAt, served: ServedChain): Promise<Recorded> {
    const waits = (trouble: string): Look => ({ kind: 'trouble', trouble, rate: claim.rate });
    const creditsOf = (look: Look): readonly Credit[] => (look.kind === 'value' ? look.judgement.credits : []);
    const look = await this.timed(claim, () =>
      this.unlessOff(claim, () => lookAt(claim, served, this.parts), creditsOf, waits),
    );
    return this.parts.record.run(claim, look, served);
  }

  private async lookAtOrders(claim: OrderClaim, served: ServedChain): Promise<Recorded> {
    const waits = (trouble: string): OrderLook => ({ kind: 'trouble', trouble });
    const creditsOf = (look: OrderLook): readonly Credit[] => (look.kind === 'arrived' ? look.credits : []);
    const look = await this.timed(claim, () =>
      this.unlessOff(claim, () => lookAtOrder(claim, served, this.parts), creditsOf, waits),
    );
    return this.parts.recordOrder.run(claim, look, served);
  }

  private async timed<L extends Look | OrderLook>({ chain }: ClaimToLookAt, look: () => Promise<L>): Promise<L> {
    const started = performance.now();
    const came = await look();
    this.parts.metrics.looked(chain, outcomeOf(came), (performance.now() - started) / 1_000);
    return came;
  }

  /** While its chain or its token is switched off a claim waits: nothing of it is verified, and none ends by its deadline. */
  private async unlessOff<L>(
    { chain, asset }: ClaimToLookAt,
    ask: () => Promise<L>,
    creditsOf: (look: L) => readonly Credit[],
    waits: (trouble: string) => L,
  ): Promise<L> {
    const { switches } = this.parts;
    const off = await switches.whyOff(chain, asset);
    if (off !== null) return waits(off);
    const look = await ask();
    for (const { token } of creditsOf(look)) {
      const tokenOff = await switches.whyOff(chain, token.symbol);
      if (tokenOff !== null) return waits(tokenOff);
    }
    return look;
  }
}

const isOrders = (claim: ClaimToLookAt): claim is OrderClaim => claim.orderNumber !== null;

function outcomeOf(look: Look | OrderLook): string {
  if (look.kind !== 'wait') return look.kind;
  if (look.exposed) return 'exposed';
  return look.seen === false || look.seen === null ? 'wait' : 'seen';
}
