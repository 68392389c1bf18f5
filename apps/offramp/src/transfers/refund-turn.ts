import type { OutgoingTransfers, TransferOrder } from '@vuka/chains';
import { chainNamed, sameAddress, type Chain } from '@vuka/domain';

import { nextLookAfterMs } from '../claims/index.js';
import { mostRent, type Recorded, type RefundInHand, rentSpent, whyTooDear } from '../refunds/index.js';
import { AwaitSignature, type AwaitSignatureParts } from './await-signature.js';
import { FollowTransfer, type FollowTransferParts } from './follow-transfer.js';
import { orderOf, shortOf } from './outgoing-chains.js';
import { Hindrances, type RefundGuards } from './refund-guards.js';
import type { RefundWallet, RefundWallets } from './refund-wallets.js';
import { SOON_MS, TurnWaits } from './turn-waits.js';

export interface RefundTurnParts extends AwaitSignatureParts, FollowTransferParts {
  readonly wallets: RefundWallets;
  readonly guards: RefundGuards;
  readonly transfers: AwaitSignatureParts['transfers'] & FollowTransferParts['transfers'];
}

/** A recipient that the chain will not have is refused for good after so long: an account or a trustline may come. */
export const REFUSED_FOR_MS = 60 * 60_000;

/** One turn of one refund: what is asked of the chain happens here, outside any transaction; what comes of it is committed by RecordRefund. */
export class RefundTurn {
  private readonly waits: TurnWaits;
  private readonly hindrances: Hindrances;
  private readonly signature: AwaitSignature;
  private readonly follow: FollowTransfer;

  public constructor(private readonly parts: RefundTurnParts) {
    this.waits = new TurnWaits(parts.record, parts.clock);
    this.hindrances = new Hindrances(parts.guards, parts.record, this.waits);
    this.signature = new AwaitSignature(parts, this.hindrances, this.waits);
    this.follow = new FollowTransfer(parts, this.waits);
  }

  /** Rejects on outages of ours; the chain's are a trouble that is recorded, and nothing ends by them. */
  public async run(refund: RefundInHand): Promise<Recorded | 'again'> {
    const chain = chainNamed(refund.chain);
    if (chain === undefined) throw new Error(`${refund.chain} is no chain`);
    const wallet = this.parts.wallets.get(chain.family);
    switch (refund.state) {
      case 'queued':
        return wallet === undefined
          ? this.waits.again(refund, chain, `no refund wallet of the family ${chain.family} is set`)
          : this.prepare(refund, chain, wallet);
      case 'prepared':
        return this.signature.run(refund, chain, wallet);
      default:
        return this.follow.run(refund, chain, wallet);
    }
  }

  private async prepare(refund: RefundInHand, chain: Chain, wallet: RefundWallet): Promise<Recorded | 'again'> {
    const { guards, record, outgoing } = this.parts;
    const off = await guards.whyOff(chain.name, refund.amount.currency);
    if (off !== null) return this.waits.again(refund, chain, off);
    const hindered = await this.hindrances.of(refund, chain);
    if (hindered !== null) return hindered;
    const address = await guards.checkAddress(chain.name, refund.address);
    if (!address.ok && address.error.code === 'invalid_request') return record.failed(refund, 'address_refused');
    // Releases before kept some in other spellings of the same.
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
        await orderOf(this.parts.transfers, refund, chain, { from: wallet.address, to: address.value }),
        taken.place,
      );
    } catch (error) {
      // Its place is free for others, which have no such fault.
      await this.waits.again(refund, chain, 'a fault of ours: the log has it');
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
    const { record, clock } = this.parts;
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
    const refusedForMs = clock.now().getTime() - (refund.refusedSince ?? clock.now()).getTime();
    if (isRefused && refusedForMs >= REFUSED_FOR_MS) return record.failed(refund, 'address_refused');
    const trouble = prepared.kind === 'short' ? shortOf(prepared.of) : prepared.reason;
    await record.again(refund, { ...this.waits.nextTurn(refund, chain), trouble, isRefused });
    return 'again';
  }

  /** Another refund is being prepared, which takes a moment. */
  private async behind(refund: RefundInHand, other: number | null): Promise<'again'> {
    const { clock, record } = this.parts;
    const now = clock.now().getTime();
    const trouble =
      other === null
        ? 'waits for places of the wallet: too many transfers of it are under way'
        : `waits for the place of refund ${String(other)}`;
    await record.again(refund, {
      nextDueAt: new Date(now + nextLookAfterMs(SOON_MS, now - (refund.troubledSince?.getTime() ?? now), false)),
      trouble,
    });
    return 'again';
  }
}
