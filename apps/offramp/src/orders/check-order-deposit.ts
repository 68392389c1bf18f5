import { Inject, Injectable } from '@nestjs/common';
import { centsDue, judgeIncomingTransfer, type Credits, type Sighting, type UnusableReason } from '@vuka/domain';
import { type Clock } from '@vuka/runtime';

import { CLOCK } from '@vuka/service-host';

import { DepositAddresses } from '../addresses/index.js';
import type { ServedChain } from '../chains/index.js';
import { AskChain, type OrderClaim, PartnerExposure, type ReadsExposure } from '../claims/index.js';

type Found = Extract<Sighting, { kind: 'found' }>;

export interface Seen {
  readonly credits: Credits;
  readonly blockTime: Date;
  readonly transactionId: string;
}

/** Not recorded yet. */
export type OrderCheck =
  | { readonly kind: 'trouble'; readonly trouble: string }
  | { readonly kind: 'wait'; readonly seen: Seen | null; readonly exposed: boolean }
  | { readonly kind: 'unusable'; readonly reason: UnusableReason }
  | {
      readonly kind: 'arrived';
      readonly credits: Credits;
      readonly sighting: Found;
      readonly address: string;
      readonly screeningHit: boolean;
    };

/** Outside any transaction. It uses no rate: checkout applies the order's. */
@Injectable()
export class CheckOrderDeposit {
  public constructor(
    @Inject(DepositAddresses) private readonly addresses: Pick<DepositAddresses, 'ofOrder'>,
    @Inject(PartnerExposure) private readonly exposure: ReadsExposure,
    private readonly ask: AskChain,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  public async run(claim: OrderClaim, served: ServedChain): Promise<OrderCheck> {
    const { clock } = this;
    const { chain } = served;
    const given = await this.addresses.ofOrder(claim.orderNumber, chain.family);
    if (!given.ok) return { kind: 'trouble', trouble: "the order's address is not the one it must be" };
    const { address } = given.value;
    const sighting = await this.ask.sighting(served, claim.transactionHash, address);
    if (sighting.kind === 'trouble') return { kind: 'trouble', trouble: sighting.reason };
    const ownAddresses = await this.ask.ownSenders(chain, sighting);
    const exposure = await this.exposure.of(claim.partnerId);
    const judgement = judgeIncomingTransfer({
      chain,
      sighting,
      expectedCents: expectedCents(claim),
      deadline: claim.deadline,
      ownAddresses,
      exposure,
      now: clock.now(),
    });
    if (judgement.kind === 'unusable') return judgement;
    const credits = judgement.kind === 'wait' ? judgement.seen : judgement.credits;
    if (sighting.kind !== 'found' || credits === null) return { kind: 'wait', seen: null, exposed: false };
    if (judgement.kind === 'wait') {
      const seen = {
        credits,
        blockTime: new Date(sighting.block.timeMs),
        transactionId: sighting.transactionId ?? claim.transactionHash,
      };
      return { kind: 'wait', seen, exposed: judgement.exposed };
    }
    return {
      kind: 'arrived',
      credits,
      sighting,
      address,
      screeningHit: await this.ask.isScreened(chain, sighting, credits),
    };
  }
}

/** An order's claim has its frozen rate from the start. */
function expectedCents({ orderNumber, amount, rate }: OrderClaim): bigint {
  if (rate === null) throw new Error(`order ${orderNumber} has no rate`);
  return centsDue(amount, rate);
}
