import { Inject, Injectable } from '@nestjs/common';
import { isFinalForGood, tokenIdentity, type Chain, encodeMinor, zero } from '@vuka/domain';
import { Database, type Transaction } from '@vuka/persistence';
import { encodeDeposit } from '@vuka/contracts';
import type { Clock, WakeSignal } from '@vuka/runtime';

import { CLOCK, OUTBOX_SIGNAL, SETTINGS } from '@vuka/service-host';

import type { ServedChain } from '../chains/index.js';
import {
  canonicalHash,
  ClaimStore,
  commitVerdict,
  DepositStore,
  DepositTaken,
  expose,
  Exposed,
  type ExposureSettings,
  arrivedOf,
  nextCheckAfterMs,
  type OrderClaim,
  type Recorded,
  transferOf,
} from '../claims/index.js';
import type { OrderCheck, Seen } from './check-order-deposit.js';
import { type OrderToTell, OrderWatchStore } from './order-watch.store.js';
import { tellOfOrder } from './tell-of-order.js';

type Arrived = Extract<OrderCheck, { kind: 'arrived' }>;
type Wait = Extract<OrderCheck, { kind: 'wait' }>;

@Injectable()
export class RecordOrderCheck {
  public constructor(
    @Inject(Database) private readonly db: Pick<Database, 'query' | 'inTransaction'>,
    @Inject(OUTBOX_SIGNAL) private readonly outboxSignal: WakeSignal,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: ExposureSettings,
  ) {}

  public async run(claim: OrderClaim, check: OrderCheck, served: ServedChain): Promise<Recorded> {
    try {
      return await this.record(claim, check, served);
    } catch (error) {
      if (!(error instanceof Exposed) || check.kind !== 'arrived') throw error;
      const { credits, sighting } = check;
      const seen = { credits, blockTime: new Date(sighting.block.timeMs), transactionId: canonicalHash(claim, check) };
      return this.record(claim, { kind: 'wait', seen, exposed: true }, served);
    }
  }

  private async record(claim: OrderClaim, check: OrderCheck, { chain }: ServedChain): Promise<Recorded> {
    const sight = check.kind === 'wait' && check.seen !== null ? sightOf(check.seen) : null;
    const isUpdate = sight !== null && JSON.stringify(sight) !== claim.toldSight;
    const now = this.clock.now();
    const since = isUpdate ? now : (claim.seenAt ?? claim.acceptedAt);
    const nextCheckAt = new Date(
      now.getTime() + nextCheckAfterMs(chain.blockMs, now.getTime() - since.getTime(), now >= claim.deadline),
    );
    if (check.kind === 'trouble' || (check.kind === 'wait' && !isUpdate)) {
      const trouble = check.kind === 'trouble' ? check.trouble.slice(0, 200) : null;
      await new ClaimStore(this.db).checkAgain(
        claim,
        { nextCheckAt, rate: null, trouble, exposed: check.kind === 'wait' && check.exposed },
        now,
      );
      return { kind: 'again' };
    }
    return commitVerdict(this.db, this.outboxSignal, (tx) => this.write(tx, claim, check, chain, nextCheckAt));
  }

  private async write(
    tx: Transaction,
    claim: OrderClaim,
    check: Exclude<OrderCheck, { kind: 'trouble' }>,
    chain: Chain,
    nextCheckAt: Date,
  ): Promise<Recorded> {
    const order = await OrderWatchStore.lockToTell(tx, claim.orderNumber);
    const sequence = await ClaimStore.lock(tx, claim.transactionId, claim.fence);
    if (sequence === undefined) return { kind: 'lapsed' };
    if (check.kind === 'wait') return this.tellSeen(tx, claim, order, check, nextCheckAt);
    if (check.kind === 'unusable') return this.refuse(tx, claim, order, check.reason, sequence);
    const transfer = {
      ...claim,
      transactionHash: canonicalHash(claim, check),
      claimId: claim.transactionId,
      address: check.address,
    };
    if (await DepositStore.isTaken(tx, transfer))
      return this.refuse(tx, claim, order, 'hash_already_processed', sequence);
    await this.keep(tx, claim, order, check, chain);
    await ClaimStore.end(tx, claim.transactionId, {
      state: 'verified',
      reason: null,
      rate: null,
      sequence,
      now: this.clock.now(),
    });
    return { kind: 'arrived' };
  }

  private async tellSeen(
    tx: Transaction,
    claim: OrderClaim,
    order: OrderToTell,
    { seen, exposed }: Wait,
    nextCheckAt: Date,
  ): Promise<Recorded> {
    if (seen === null) throw new Error('nothing was seen');
    const [sight, now] = [sightOf(seen), this.clock.now()];
    const told = { claim_id: claim.transactionId, chain: claim.chain, transaction_hash: seen.transactionId, ...sight };
    await tellOfOrder(tx, order, 'order-deposit.seen', told, now);
    await ClaimStore.sighted(tx, claim.transactionId, { sight: JSON.stringify(sight), now, nextCheckAt, exposed });
    return { kind: 'seen' };
  }

  /** Without an earlier event it ends silently. */
  private async refuse(
    tx: Transaction,
    claim: OrderClaim,
    order: OrderToTell,
    reason: string,
    sequence: number,
  ): Promise<Recorded> {
    const now = this.clock.now();
    if (claim.toldSight !== null)
      await tellOfOrder(tx, order, 'order-deposit.gone', { claim_id: claim.transactionId }, now);
    await ClaimStore.end(tx, claim.transactionId, { state: 'unusable', reason, rate: null, sequence, now });
    return { kind: 'unusable', reason };
  }

  private async keep(
    tx: Transaction,
    claim: OrderClaim,
    order: OrderToTell,
    check: Arrived,
    chain: Chain,
  ): Promise<void> {
    const { credits, sighting, screeningHit } = check;
    const now = this.clock.now();
    const { rate } = order;
    const staysForGood = isFinalForGood(chain.finality, sighting.heights, sighting.block.number);
    if (!staysForGood) await expose(tx, claim.partnerId, credits, this.settings.chains.exposureLimitCents);
    const transfer = transferOf(claim, { ...check, rate }, chain.finality.version, staysForGood ? now : null);
    const deposits = credits.map(
      ({ token, received }) =>
        ({
          received,
          decimals: token.decimals,
          token: tokenIdentity(chain, token),
          state: 'consumed',
          used: zero(received.currency),
        }) as const,
    );
    const ids = await DepositStore.insert(tx, transfer, deposits, now);
    if (ids === null) throw new DepositTaken('another claim has this transfer');
    const facts = credits.map((credit, place) => encodeDeposit(arrivedOf(transfer, credit, ids[place])));
    const told = { claim_id: claim.transactionId, deposits: facts, screening_hit: screeningHit, rate };
    await tellOfOrder(tx, order, 'order-deposit.confirmed', told, now);
  }
}

type Sight = {
  readonly block_time: string;
  readonly values: { readonly asset: string; readonly decimals: number; readonly received_minor: string }[];
};

/** Same text for the same sighting, so that it is reported once. */
function sightOf({ credits, blockTime }: Seen): Sight {
  return {
    block_time: blockTime.toISOString(),
    values: credits.map(({ token, received }) => ({
      asset: received.currency,
      decimals: token.decimals,
      received_minor: encodeMinor(received),
    })),
  };
}
