import { Inject, Injectable } from '@nestjs/common';
import type { OutgoingTransfers, TransferOrder } from '@vuka/chains';
import { sameAddress, type Chain } from '@vuka/domain';

import type { RefundWallet } from '../addresses/index.js';
import { nextCheckAfterMs } from '../claims/index.js';
import { mostRent, type Recorded, RecordRefund, type RefundInHand, rentSpent, whyTooDear } from '../refunds/index.js';
import { OutgoingChains, shortOf } from './outgoing-chains.js';
import { Hindrances, RefundGuards } from './refund-guards.js';
import { SOON_MS, TurnWaits } from './turn-waits.js';

/** An account or trustline may still be created until then. */
export const REFUSED_FOR_MS = 60 * 60_000;

@Injectable()
export class PrepareTransfer {
  public constructor(
    @Inject(OutgoingChains) private readonly outgoing: Pick<OutgoingChains, 'of' | 'orderFor'>,
    @Inject(RefundGuards) private readonly guards: Pick<RefundGuards, 'whyOff' | 'checkAddress'>,
    private readonly record: RecordRefund,
    private readonly hindrances: Hindrances,
    private readonly waits: TurnWaits,
  ) {}

  public async run(refund: RefundInHand, chain: Chain, wallet: RefundWallet): Promise<Recorded | 'again'> {
    const { guards, record, outgoing } = this;
    const off = await guards.whyOff(chain.name, refund.amount.currency);
    if (off !== null) return this.waits.again(refund, chain, off);
    const hindered = await this.hindrances.of(refund, chain);
    if (hindered !== null) return hindered;
    const address = await guards.checkAddress(chain.name, refund.address);
    if (!address.ok && address.error.code === 'invalid_request') return record.failed(refund, 'address_refused');
    // Earlier releases kept other spellings.
    if (!address.ok || !sameAddress(chain.family, address.value, refund.address))
      return this.waits.again(refund, chain, 'the address cannot be checked');
    const sends = await outgoing.of(chain.name);
    const next = await sends.nextPlace(wallet.address, this.waits.until());
    if (next.kind === 'trouble') return this.waits.again(refund, chain, next.reason);
    const taken =
      next.place === null
        ? { place: null }
        : await record.takePlace(refund, { chain: chain.name, wallet: wallet.address, next: next.place });
    if (taken === 'lapsed') return taken;
    if ('awaits' in taken) return this.behind(refund, taken.awaits);
    try {
      return await this.put(
        refund,
        chain,
        sends,
        await outgoing.orderFor(refund, chain, { from: wallet.address, to: address.value }),
        taken.place,
      );
    } catch (error) {
      // Other refunds may use the place.
      await this.waits.again(refund, chain, 'a fault in Vuka: see the log');
      throw error;
    }
  }

  private async put(
    refund: RefundInHand,
    chain: Chain,
    sends: OutgoingTransfers,
    order: TransferOrder,
    place: bigint | null,
  ): Promise<Recorded | 'again'> {
    const { record, waits } = this;
    const prepared = await sends.prepare(order, place, this.waits.until());
    if (prepared.kind === 'ready') {
      const { transfer, cost } = prepared;
      const tooDear = whyTooDear(chain, refund, cost);
      const rent = cost.rentMinor === 0n ? null : { minor: cost.rentMinor, most: mostRent(chain, refund, cost) };
      const version = { refundId: refund.refundId, wallet: order.from, place, unsigned: transfer };
      const recorded = tooDear === null ? await record.prepared(refund, version, { rent }) : null;
      if (recorded !== null && recorded !== 'rent_spent') return recorded;
      await record.again(refund, {
        ...this.waits.nextTurn(refund, chain),
        trouble: tooDear ?? rentSpent(chain, cost),
        costMinor: cost.totalMinor,
      });
      return 'again';
    }
    const isRefused = prepared.kind === 'refused';
    const refusedForMs = waits.now().getTime() - (refund.refusedSince ?? waits.now()).getTime();
    if (isRefused && refusedForMs >= REFUSED_FOR_MS) return record.failed(refund, 'address_refused');
    const trouble = prepared.kind === 'short' ? shortOf(prepared.of) : prepared.reason;
    await record.again(refund, { ...this.waits.nextTurn(refund, chain), trouble, isRefused });
    return 'again';
  }

  private async behind(refund: RefundInHand, other: number | null): Promise<'again'> {
    const { waits, record } = this;
    const now = waits.now().getTime();
    const trouble =
      other === null
        ? 'waits because too many transfers of the wallet are on their way'
        : `waits for refund ${String(other)}, which has an earlier place in the wallet`;
    await record.again(refund, {
      nextDueAt: new Date(now + nextCheckAfterMs(SOON_MS, now - (refund.troubledSince?.getTime() ?? now), false)),
      trouble,
    });
    return 'again';
  }
}
