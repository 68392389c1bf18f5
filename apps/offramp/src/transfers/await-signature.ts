import { Inject, Injectable } from '@nestjs/common';
import { costOf, type OutgoingTransfers, type UnclearFate } from '@vuka/chains';
import type { Chain } from '@vuka/domain';

import { keyOf, type RefundWallet } from '../addresses/index.js';
import {
  type LiveVersion,
  type Recorded,
  RecordRefund,
  type RefundInHand,
  TransferStore,
  whyTooDear,
} from '../refunds/index.js';
import { OutgoingChains } from './outgoing-chains.js';
import { endingOf } from './proven-when.js';
import { Hindrances } from './refund-guards.js';
import { SignTransfer } from './sign-transfer.js';
import { SOON_MS, TurnWaits, UNSIGNED_AGAIN_MS } from './turn-waits.js';

/** Not kept; the next turn records why. */
const CHECKED_AGAIN: ReadonlySet<Recorded> = new Set<Recorded>([
  'ending',
  'ungranted',
  'may_vanish',
  'screened',
  'withheld',
  'suspended',
  'void',
]);

@Injectable()
export class AwaitSignature {
  public constructor(
    @Inject(OutgoingChains) private readonly outgoing: Pick<OutgoingChains, 'of'>,
    private readonly transfers: TransferStore,
    private readonly sign: SignTransfer,
    private readonly record: RecordRefund,
    private readonly hindrances: Hindrances,
    private readonly waits: TurnWaits,
  ) {}

  /** A sandbox signs at once. Otherwise the key holder hands in the signature by the admin API. */
  public async run(refund: RefundInHand, chain: Chain, wallet: RefundWallet | undefined): Promise<Recorded | 'again'> {
    const { sign, transfers } = this;
    const waiting = refund.versions.find(({ state }) => state === 'prepared');
    if (waiting === undefined) throw new Error(`refund ${String(refund.refundId)} waits for the signature of nothing`);
    const proven = waiting.isExported ? await this.neverImported(refund, chain, waiting) : null;
    if (proven !== null) return proven;
    const hindered = await this.hindrances.of(refund, chain);
    if (hindered !== null) return hindered;
    // The allowed cost depends on chain data, and may have changed.
    const isTooDear = whyTooDear(chain, refund, costOf(waiting.unsigned)) !== null;
    if (!waiting.isExported && (this.isOver(waiting) || isTooDear)) return this.hindrances.anew(refund);
    const next = await this.nextPlaceBefore(chain, waiting);
    if (
      next !== null &&
      waiting.place !== null &&
      (await transfers.hasGapBelow({ chain: chain.name, wallet: waiting.wallet, place: waiting.place, next }))
    )
      return this.hindrances.anew(refund);
    const off = await this.hindrances.whyOff(refund);
    if (off !== null) return this.hindrances.wait(refund, chain, off);
    const secret = keyOf(wallet, waiting);
    if (secret === null) return this.waits.later(refund, UNSIGNED_AGAIN_MS, await this.awaited(refund, waiting, false));
    const signed = await sign.withKey(refund, waiting, secret, next);
    if (signed === 'behind_unsigned')
      return this.waits.later(refund, SOON_MS, await this.awaited(refund, waiting, true));
    return CHECKED_AGAIN.has(signed) ? this.waits.later(refund, SOON_MS) : signed;
  }

  /**
   * A signer has seen it and may have sent it. Once it can no longer be included, the chain has to prove that it never
   * was; else people decide. null: it may still be signed here.
   */
  private async neverImported(
    refund: RefundInHand,
    chain: Chain,
    version: LiveVersion,
  ): Promise<Recorded | 'again' | null> {
    const { record, outgoing } = this;
    const sends = await outgoing.of(chain.name);
    if (!this.isOver(version) && refund.unsureSince === null && !(await this.isPlaceUsed(sends, version))) return null;
    const fate = await sends.fate(version.unsigned, null, this.waits.until());
    if (fate.kind === 'dead') return record.lapsed(refund, 'proven');
    if (fate.kind === 'trouble') return this.waits.untold(refund, chain, fate.reason);
    if (fate.kind !== 'unclear')
      return refund.unsureSince === null
        ? this.waits.again(refund, chain, refund.endsAs === null ? null : endingOf(refund))
        : this.waits.unsure(
            refund,
            chain,
            'it was exported and never imported, and its chain cannot say yet whether it arrived',
          );
    return this.unclear(refund, chain, version, fate);
  }

  /**
   * An equal transfer, or one with its place, may be another refund's. What the chain reports as this one (`found`)
   * nobody may overrule.
   */
  private async unclear(
    refund: RefundInHand,
    chain: Chain,
    { wallet, place }: LiveVersion,
    { reason, found, alike }: UnclearFate,
  ): Promise<Recorded | 'again'> {
    const { record, transfers } = this;
    const isOthers = alike.length > 0 && (await transfers.areOfOthers(refund.refundId, chain.name, alike));
    const other =
      place === null ? null : await transfers.placeOfOther(refund.refundId, { chain: chain.name, wallet, place });
    if (found === null && (isOthers || other === 'used' || this.waits.isDeadAgreed(refund)))
      return record.lapsed(refund, 'proven');
    // The other refund's turn will soon show it.
    if (found === null && other === 'on_its_way' && refund.unsureSince === null)
      return this.waits.later(refund, SOON_MS, refund.endsAs === null ? null : endingOf(refund));
    const named = found ?? alike[0];
    return this.waits.unsure(
      refund,
      chain,
      `it was exported and never imported: ${reason}${named === undefined ? '' : `: ${named}`}`,
    );
  }

  private isOver({ unsigned: { expiresAt } }: LiveVersion): boolean {
    return expiresAt !== null && this.waits.now().getTime() >= Date.parse(expiresAt);
  }

  /** The block need not be final. */
  private async isPlaceUsed(sends: OutgoingTransfers, { place, wallet }: LiveVersion): Promise<boolean> {
    if (place === null) return false;
    const next = await sends.nextPlace(wallet, this.waits.until());
    return next.kind === 'place' && next.place !== null && next.place > place;
  }

  /** The refund whose signature must come first. While one signer has both, only a troubled one is named. */
  private async awaited(
    { refundId }: RefundInHand,
    { unsigned, wallet, place }: LiveVersion,
    isOurs: boolean,
  ): Promise<string | null> {
    const below =
      place === null ? null : await this.transfers.unsignedBelow(refundId, { chain: unsigned.chain, wallet, place });
    return below !== null && (isOurs || below.isTroubled)
      ? `waits for the signature of refund ${String(below.refundId)}`
      : null;
  }

  /**
   * A free place from here on is a gap: an earlier refund was given up. null: unknown, or this one is exported and
   * keeps its place.
   */
  private async nextPlaceBefore({ name }: Chain, { place, wallet, isExported }: LiveVersion): Promise<bigint | null> {
    if (place === null || isExported) return null;
    const next = await (await this.outgoing.of(name)).nextPlace(wallet, this.waits.until());
    return next.kind === 'place' ? next.place : null;
  }
}
