import { costOf, type OutgoingTransfers, type TransferFate, type TransferOrder, type UnclearFate } from '@vuka/chains';
import { assetSymbol, chainNamed, sameAddress, tokenIdentity, type Chain } from '@vuka/domain';
import type { Clock, Logger } from '@vuka/runtime';

import { nextLookAfterMs } from '../claims/index.js';
import {
  ENDING,
  type FateKnown,
  type LiveVersion,
  mostRent,
  type NextTurn,
  type Recorded,
  type RecordRefund,
  type RefundInHand,
  rentSpent,
  SCREENED,
  SHORT,
  SUSPENDED,
  type TransferStore,
  UNSURE,
  whyTooDear,
  WITHHELD,
} from '../refunds/index.js';
import type { OutgoingChains } from './outgoing-chains.js';
import { provenWhen } from './proven-when.js';
import type { RefundGuards } from './refund-guards.js';
import type { RefundWallet, RefundWallets } from './refund-wallets.js';
import type { SignTransfer } from './sign-transfer.js';

export interface RefundTurnParts {
  readonly wallets: RefundWallets;
  readonly outgoing: Pick<OutgoingChains, 'of'>;
  readonly guards: RefundGuards;
  readonly transfers: Pick<
    TransferStore,
    'reserved' | 'hasGapBelow' | 'unsignedBelow' | 'areOfOthers' | 'placeOfOther'
  >;
  readonly sign: SignTransfer;
  readonly record: RecordRefund;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A transfer that is signed and in no block. */
interface UnderWay {
  readonly chain: Chain;
  readonly sends: OutgoingTransfers;
  readonly newest: LiveVersion;
  readonly wallet: RefundWallet | undefined;
  readonly known: FateKnown | null;
}

/** A step of this many milliseconds at most is asked of a chain: well within a turn's lease. */
const ASK_MS = 10_000;
/** A recipient that the chain will not have is refused for good after so long: an account or a trustline may come. */
export const REFUSED_FOR_MS = 60 * 60_000;
/** How often somebody looks whether an offline signature is still worth waiting for. */
const UNSIGNED_AGAIN_MS = 30_000;
const SOON_MS = 1_000;
/** Its partner's return makes it due; one that was just being looked at then finds that out by itself. */
const SUSPENDED_AGAIN_MS = 60_000;
/** What a signature was not kept for: its next turn says what it waits for. */
const LOOKED_AT_AGAIN: ReadonlySet<Recorded> = new Set<Recorded>([
  'ending',
  'ungranted',
  'may_vanish',
  'screened',
  'withheld',
  'suspended',
  'void',
]);
/** A transfer that waits in the pool for so long, or that pools have refused for so long, has bid too little. */
export const REPLACE_AFTER_MS = 10 * 60_000;
const MOST_REPLACEMENTS = 10;
/**
 * Endpoints forget old transactions: "it is nowhere, and its place is used" then says the same of what got in as of what never did. It is believed only
 * of what was followed without so long a gap: none forgets within it. After one only the transfer itself is: "it is nowhere" proves nothing then either.
 */
export const FORGOTTEN_AFTER_MS = 2 * 60 * 60_000;

/** One turn of one refund: what is asked of the chain happens here, outside any transaction; what comes of it is committed by RecordRefund. */
export class RefundTurn {
  public constructor(private readonly parts: RefundTurnParts) {}

  /** Rejects on outages of ours; the chain's are a trouble that is recorded, and nothing ends by them. */
  public async run(refund: RefundInHand): Promise<Recorded | 'again'> {
    const chain = chainNamed(refund.chain);
    if (chain === undefined) throw new Error(`${refund.chain} is no chain`);
    const wallet = this.parts.wallets.get(chain.family);
    switch (refund.state) {
      case 'queued':
        return wallet === undefined
          ? this.again(refund, chain, `no refund wallet of the family ${chain.family} is set`)
          : this.prepare(refund, chain, wallet);
      case 'prepared':
        return this.awaitSignature(refund, chain, wallet);
      default:
        return this.follow(refund, chain, wallet);
    }
  }

  private async prepare(refund: RefundInHand, chain: Chain, wallet: RefundWallet): Promise<Recorded | 'again'> {
    const { guards, record, outgoing } = this.parts;
    const off = await guards.whyOff(chain.name, refund.asset);
    if (off !== null) return this.again(refund, chain, off);
    const hindered = await this.hindered(refund, chain);
    if (hindered !== null) return hindered;
    const address = await guards.checkAddress(chain.name, refund.address);
    if (!address.ok && address.error.code === 'invalid_request') return record.failed(refund, 'address_refused');
    // Releases before kept some in other spellings of the same.
    if (!address.ok || !sameAddress(chain.family, address.value, refund.address))
      return this.again(refund, chain, 'the address cannot be checked');
    const sends = await outgoing.of(chain.name);
    const next = await sends.nextPlace(wallet.address, this.until());
    if (next.kind === 'trouble') return this.again(refund, chain, next.reason);
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
        await this.orderOf(refund, chain, wallet.address, address.value),
        taken.place,
      );
    } catch (error) {
      // Its place is free for others, which have no such fault.
      await this.again(refund, chain, 'a fault of ours: the log has it');
      throw error;
    }
  }

  /** What a turn comes to where nothing of it may be signed now: its deposit is gone or may vanish, or people have to look first. null: it may. */
  private async hindered(refund: RefundInHand, chain: Chain): Promise<Recorded | 'again' | null> {
    const { record, guards } = this.parts;
    const looked = await record.looked(refund);
    const standing =
      looked === 'done' && !refund.isCleared && (await guards.isListed(chain.name, refund.address))
        ? await record.screened(refund)
        : looked;
    if (standing === 'done') return null;
    if (standing === 'ending') return this.later(refund, UNSIGNED_AGAIN_MS, endingOf(refund));
    if (standing === 'may_vanish' || standing === 'ungranted') return this.again(refund, chain, null);
    if (standing === 'withheld')
      return this.wait(
        refund,
        chain,
        `${WITHHELD}: another deposit of its partner has vanished, which may owe for it: people decide whether it may be sent`,
      );
    if (standing === 'suspended')
      return this.wait(
        refund,
        chain,
        `${SUSPENDED}: its partner is: nothing is sent before it is resumed`,
        SUSPENDED_AGAIN_MS,
      );
    return standing === 'screened'
      ? this.wait(refund, chain, `${SCREENED}: people decide whether it may be sent`)
      : standing;
  }

  /** For people, who knows how long: what was prepared and nobody has seen keeps no place that others wait behind. */
  private wait(refund: RefundInHand, chain: Chain, trouble: string, againMs?: number): Promise<Recorded | 'again'> {
    const isUnseen = refund.versions.some(({ state, isExported }) => state === 'prepared' && !isExported);
    if (isUnseen) return this.anew(refund);
    return againMs === undefined ? this.again(refund, chain, trouble) : this.later(refund, againMs, trouble);
  }

  private async put(
    refund: RefundInHand,
    chain: Chain,
    sends: OutgoingTransfers,
    order: TransferOrder,
    place: bigint | null,
  ): Promise<Recorded | 'again'> {
    const { record, clock } = this.parts;
    const prepared = await sends.prepare(order, place, this.until());
    if (prepared.kind === 'ready') {
      const { transfer, cost } = prepared;
      const tooDear = whyTooDear(chain, refund, cost);
      const rent = cost.rentMinor === 0n ? null : { minor: cost.rentMinor, most: mostRent(chain, refund, cost) };
      const version = { refundId: refund.refundId, wallet: order.from, place, unsigned: transfer };
      const recorded = tooDear === null ? await record.prepared(refund, version, { rent }) : null;
      if (recorded !== null && recorded !== 'rent_spent') return recorded;
      await record.again(refund, {
        ...this.nextTurn(refund, chain),
        trouble: tooDear ?? rentSpent(chain, cost),
        costMinor: cost.totalMinor,
      });
      return 'again';
    }
    const isRefused = prepared.kind === 'refused';
    const refusedForMs = clock.now().getTime() - (refund.refusedSince ?? clock.now()).getTime();
    if (isRefused && refusedForMs >= REFUSED_FOR_MS) return record.failed(refund, 'address_refused');
    const trouble = prepared.kind === 'short' ? shortOf(prepared.of) : prepared.reason;
    await record.again(refund, { ...this.nextTurn(refund, chain), trouble, isRefused });
    return 'again';
  }

  /** In a sandbox it is signed at once; else by whoever holds the key, who hands it in by the desk. */
  private async awaitSignature(
    refund: RefundInHand,
    chain: Chain,
    wallet: RefundWallet | undefined,
  ): Promise<Recorded | 'again'> {
    const { sign, guards, transfers } = this.parts;
    const waiting = refund.versions.find(({ state }) => state === 'prepared');
    if (waiting === undefined) throw new Error(`refund ${String(refund.refundId)} waits for the signature of nothing`);
    const proven = waiting.isExported ? await this.neverImported(refund, chain, waiting) : null;
    if (proven !== null) return proven;
    const hindered = await this.hindered(refund, chain);
    if (hindered !== null) return hindered;
    // A release before judged no costs.
    const isGivenUp =
      !waiting.isExported && (this.isOver(waiting) || whyTooDear(chain, refund, costOf(waiting.unsigned)) !== null);
    if (isGivenUp) return this.anew(refund);
    const next = await this.nextPlaceBefore(chain, waiting);
    if (
      next !== null &&
      waiting.place !== null &&
      (await transfers.hasGapBelow({ chain: chain.name, wallet: waiting.wallet, place: waiting.place, next }))
    )
      return this.anew(refund);
    const off = await guards.whyOff(chain.name, refund.asset);
    if (off !== null) return this.wait(refund, chain, off);
    const secret = keyOf(wallet, waiting);
    if (secret === null) return this.later(refund, UNSIGNED_AGAIN_MS, await this.awaited(refund, waiting, false));
    const signed = await sign.withKey(refund, waiting, secret, next);
    if (signed === 'behind_unsigned') return this.later(refund, SOON_MS, await this.awaited(refund, waiting, true));
    return LOOKED_AT_AGAIN.has(signed) ? this.later(refund, SOON_MS) : signed;
  }

  /**
   * Somebody was shown it, and may have signed and sent it without telling us. Once it can get in no more, its chain has to prove that it never did; else people
   * are asked. null: it may still be signed here.
   */
  private async neverImported(
    refund: RefundInHand,
    chain: Chain,
    version: LiveVersion,
  ): Promise<Recorded | 'again' | null> {
    const { record, outgoing } = this.parts;
    const sends = await outgoing.of(chain.name);
    if (!this.isOver(version) && refund.unsureSince === null && !(await this.isPlaceUsed(sends, version))) return null;
    const fate = await sends.fate(version.unsigned, null, this.until());
    if (fate.kind === 'dead') return record.lapsed(refund, 'proven');
    if (fate.kind === 'trouble') return this.untold(refund, chain, fate.reason);
    if (fate.kind !== 'unclear')
      return refund.unsureSince === null
        ? this.again(refund, chain, refund.endsAs === null ? null : endingOf(refund))
        : this.unsure(
            refund,
            chain,
            'it was exported and never imported, and its chain has not settled on what became of it',
          );
    return this.unclear(refund, chain, version, fate);
  }

  /** What moved the same, or has its place, may be another refund. What its chain has of itself nobody is believed to deny. */
  private async unclear(
    refund: RefundInHand,
    chain: Chain,
    { wallet, place }: LiveVersion,
    { reason, found, alike }: UnclearFate,
  ): Promise<Recorded | 'again'> {
    const { record, transfers } = this.parts;
    const isOthers = alike.length > 0 && (await transfers.areOfOthers(refund.refundId, chain.name, alike));
    const other =
      place === null ? null : await transfers.placeOfOther(refund.refundId, { chain: chain.name, wallet, place });
    if (found === null && (isOthers || other === 'used' || this.isDeadAgreed(refund)))
      return record.lapsed(refund, 'proven');
    // Its own turn finds out within moments whether it has used the place.
    if (found === null && other === 'on_its_way' && refund.unsureSince === null)
      return this.later(refund, SOON_MS, refund.endsAs === null ? null : endingOf(refund));
    const named = found ?? alike[0];
    return this.unsure(
      refund,
      chain,
      `it was exported and never imported: ${reason}${named === undefined ? '' : `: ${named}`}`,
    );
  }

  private isOver({ unsigned: { expiresAt } }: LiveVersion): boolean {
    return expiresAt !== null && this.parts.clock.now().getTime() >= Date.parse(expiresAt);
  }

  /** By a block, perhaps not a final one. */
  private async isPlaceUsed(sends: OutgoingTransfers, { place, wallet }: LiveVersion): Promise<boolean> {
    if (place === null) return false;
    const next = await sends.nextPlace(wallet, this.until());
    return next.kind === 'place' && next.place !== null && next.place > place;
  }

  /** People said within the time in which nothing is forgotten that nothing of it got in. */
  private isDeadAgreed({ deadAgreedAt }: RefundInHand): boolean {
    return this.parts.clock.now().getTime() - (deadAgreedAt?.getTime() ?? 0) < FORGOTTEN_AFTER_MS;
  }

  /** For whose signature it waits, which is not to come by itself: of those that one signer has in hand only for one with a trouble of its own. null: for none. */
  private async awaited(
    { refundId }: RefundInHand,
    { unsigned, wallet, place }: LiveVersion,
    isOurs: boolean,
  ): Promise<string | null> {
    const below =
      place === null
        ? null
        : await this.parts.transfers.unsignedBelow(refundId, { chain: unsigned.chain, wallet, place });
    return below !== null && (isOurs || below.isTroubled)
      ? `waits for the signature of refund ${String(below.refundId)}`
      : null;
  }

  /** What nobody has seen is prepared anew, and needs no proof. */
  private async anew(refund: RefundInHand): Promise<Recorded | 'again'> {
    const lapsed = await this.parts.record.lapsed(refund, 'unshown');
    return lapsed === 'void' ? this.later(refund, SOON_MS) : lapsed;
  }

  /** From where on a place that is nobody's is a gap: one before it was given up. null: not told, or it was shown to a signer and keeps its place all the same, the next refund gets the free one. */
  private async nextPlaceBefore({ name }: Chain, { place, wallet, isExported }: LiveVersion): Promise<bigint | null> {
    if (place === null || isExported) return null;
    const next = await (await this.parts.outgoing.of(name)).nextPlace(wallet, this.until());
    return next.kind === 'place' ? next.place : null;
  }

  private async follow(
    refund: RefundInHand,
    chain: Chain,
    wallet: RefundWallet | undefined,
  ): Promise<Recorded | 'again'> {
    const { record, outgoing } = this.parts;
    const sends = await outgoing.of(chain.name);
    const signed = refund.versions.filter(({ state }) => state === 'signed');
    const fates = await Promise.all(
      signed.map(async (version) => ({
        version,
        fate: await sends.fate(version.unsigned, version.transactionId, this.until()),
      })),
    );
    const of = (kind: TransferFate['kind']): LiveVersion[] =>
      fates.flatMap(({ version, fate }) => (fate.kind === kind ? [version] : []));
    const [final] = of('final');
    if (final !== undefined) return record.confirmed(refund, final);
    const [failed] = of('failed');
    if (failed !== undefined) return record.transferFailed(refund, failed);
    const trouble = fates.find(({ fate }) => fate.kind === 'trouble')?.fate;
    if (trouble?.kind === 'trouble') return this.untold(refund, chain, trouble.reason);
    const unclear = fates.find(({ fate }) => fate.kind === 'unclear')?.fate;
    if (unclear?.kind === 'unclear' && !this.isDeadAgreed(refund)) return this.unsure(refund, chain, unclear.reason);
    const dead = [...of('dead'), ...of('unclear')];
    if (dead.length > 0) return this.bury(refund, chain, dead);
    const newest = signed.at(-1);
    if (newest === undefined) throw new Error(`refund ${String(refund.refundId)} is signed and has no signed transfer`);
    const isKnown = of('included').length > 0 || of('waiting').includes(newest);
    const known = isKnown ? 'seen' : this.silentMs(refund) > FORGOTTEN_AFTER_MS ? null : 'followed';
    const underWay = { chain, sends, newest, wallet, known } as const;
    if (!isKnown) return this.give(refund, underWay);
    if (refund.state === 'signed')
      return record.broadcast(refund, idOf(newest), this.nextTurn(refund, chain).nextDueAt, known);
    return of('included').length > 0 ? this.followed(refund, underWay, null) : this.replace(refund, underWay, null);
  }

  /** What its chain says can never get in. Not believed where the chain may have forgotten that it did, or where something else may have: people find that out. */
  private async bury(refund: RefundInHand, chain: Chain, dead: readonly LiveVersion[]): Promise<Recorded | 'again'> {
    const { record, log } = this.parts;
    const isAgreed = this.isDeadAgreed(refund);
    const silentMs = this.silentMs(refund);
    if (!isAgreed && silentMs > FORGOTTEN_AFTER_MS)
      return this.unsure(
        refund,
        chain,
        `its chain says that it never got in, after ${String(Math.floor(silentMs / 60_000))} minutes in which nobody followed it`,
      );
    const taken = chain.family === 'evm' ? (dead[0]?.place ?? null) : null;
    const buried = await record.dead(refund, dead, { taken, isAgreed });
    if (buried === 'unsure')
      return this.unsure(
        refund,
        chain,
        'its nonce is used, perhaps by a version of it that was exported and never imported',
      );
    if (buried !== 'place_taken') return buried;
    log.error(
      { code: 'refund_place_taken', refund_id: refund.refundId, chain: chain.name, place: String(taken) },
      'something that is no refund of ours has left the refund wallet',
    );
    return 'done';
  }

  /** The same bytes as ever; ones that pools go on refusing have bid too little. */
  private async give(refund: RefundInHand, underWay: UnderWay): Promise<Recorded | 'again'> {
    const { chain, sends, newest, known } = underWay;
    // Its signature came after it was given up: what is followed by it is not sent by us.
    const off = refund.endsAs === null ? await this.parts.guards.whyOff(chain.name, refund.asset) : endingOf(refund);
    if (off !== null) return this.followed(refund, underWay, off);
    const given = await this.parts.sign.give(sends, refund, newest, this.until());
    if (given.kind === 'refused') return this.replace(refund, underWay, given.reason);
    if (given.kind !== 'given') return this.followed(refund, underWay, given.reason);
    if (refund.state === 'broadcast') return this.followed(refund, underWay, null);
    return this.parts.record.broadcast(refund, idOf(newest), this.nextTurn(refund, chain).nextDueAt, known);
  }

  /**
   * A transfer that has waited long in the pool, or outside of it, is prepared once more, for the same place and with a higher fee; any of them may come in.
   * `trouble`: what it has where it is not replaced yet.
   */
  private async replace(refund: RefundInHand, underWay: UnderWay, trouble: string | null): Promise<Recorded | 'again'> {
    const { chain, sends, newest, wallet, known } = underWay;
    const { record, sign, guards, clock } = this.parts;
    if (refund.endsAs !== null || (await guards.whyOff(chain.name, refund.asset)) !== null)
      return this.followed(refund, underWay, trouble);
    const waiting = refund.versions.find(({ state }) => state === 'prepared');
    const secret = waiting === undefined ? null : keyOf(wallet, waiting);
    if (waiting !== undefined && secret !== null) {
      const signed = await sign.withKey(refund, waiting, secret);
      return signed === 'done' ? signed : this.followed(refund, underWay, trouble);
    }
    const live = refund.versions.filter(({ state }) => state === 'signed').length;
    const waitedMs = clock.now().getTime() - (newest.signedAt ?? clock.now()).getTime();
    if (chain.family !== 'evm' || waiting !== undefined || waitedMs < REPLACE_AFTER_MS || live > MOST_REPLACEMENTS)
      return this.followed(refund, underWay, trouble);
    const order = {
      ...(await this.orderOf(refund, chain, newest.wallet, newest.unsigned.to)),
      replaces: newest.unsigned,
    };
    const prepared = await sends.prepare(order, newest.place, this.until());
    if (prepared.kind !== 'ready')
      return this.followed(refund, underWay, prepared.kind === 'short' ? shortOf(prepared.of) : prepared.reason);
    const tooDear = whyTooDear(chain, refund, prepared.cost);
    if (tooDear !== null) return this.followed(refund, underWay, tooDear, prepared.cost.totalMinor);
    return record.prepared(
      refund,
      { refundId: refund.refundId, wallet: newest.wallet, place: newest.place, unsigned: prepared.transfer },
      { known },
    );
  }

  private async orderOf(refund: RefundInHand, chain: Chain, from: string, to: string): Promise<TransferOrder> {
    const listed = chain.tokens.find(({ symbol }) => symbol === assetSymbol(refund.asset));
    if (listed === undefined || listed.decimals !== refund.decimals)
      throw new Error(`${refund.asset} with ${String(refund.decimals)} decimals is no token of ${chain.name}`);
    const token = tokenIdentity(chain, listed);
    const reserved = await this.parts.transfers.reserved(refund.refundId, chain.name, from, token);
    return {
      reference: `refund-${String(refund.refundId)}`,
      token,
      from,
      to,
      amountMinor: refund.amountMinor,
      reserved,
    };
  }

  private until(): number {
    return this.parts.clock.now().getTime() + ASK_MS;
  }

  /** Sooner at first, then after a quarter of what it has waited in its present state. */
  private nextTurn(refund: RefundInHand, { blockMs }: Chain): Pick<NextTurn, 'nextDueAt'> {
    const now = this.parts.clock.now().getTime();
    const since = refund.troubledSince ?? refund.signedAt ?? refund.createdAt;
    return { nextDueAt: new Date(now + nextLookAfterMs(blockMs, now - since.getTime(), false)) };
  }

  private async again(refund: RefundInHand, chain: Chain, trouble: string | null): Promise<'again'> {
    await this.parts.record.again(refund, { ...this.nextTurn(refund, chain), trouble });
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

  /** Its chain has answered for all that is signed. */
  private async followed(
    refund: RefundInHand,
    { chain, known }: Pick<UnderWay, 'chain' | 'known'>,
    trouble: string | null,
    costMinor?: bigint,
  ): Promise<'again'> {
    const isUnsure = refund.unsureSince !== null && known !== 'seen';
    if (isUnsure) return this.unsure(refund, chain, trouble ?? 'its chain says that it is nowhere', known);
    await this.parts.record.again(refund, {
      ...this.nextTurn(refund, chain),
      trouble,
      known,
      ...(costMinor !== undefined && { costMinor }),
    });
    return 'again';
  }

  /** Nothing is known of what is signed: by outage, or since its endpoints do not agree, which ends by nothing where some have forgotten it and others have not. */
  private untold(refund: RefundInHand, chain: Chain, trouble: string): Promise<'again'> {
    const troubledMs = this.parts.clock.now().getTime() - (refund.troubledSince ?? this.parts.clock.now()).getTime();
    const isLong = troubledMs > FORGOTTEN_AFTER_MS && this.silentMs(refund) > FORGOTTEN_AFTER_MS;
    return isLong || refund.unsureSince !== null
      ? this.unsure(refund, chain, trouble)
      : this.again(refund, chain, trouble);
  }

  /** People have to say what became of it, until its chain has it. */
  private async unsure(
    refund: RefundInHand,
    chain: Chain,
    why: string,
    known: FateKnown | null = null,
  ): Promise<'again'> {
    await this.parts.record.again(refund, {
      ...this.nextTurn(refund, chain),
      trouble: `${UNSURE}: ${why}`,
      isUnsure: true,
      known,
    });
    return 'again';
  }

  /** For how long its fate has not been known. */
  private silentMs({ fateKnownAt }: RefundInHand): number {
    return this.parts.clock.now().getTime() - (fateKnownAt?.getTime() ?? 0);
  }

  private async later(refund: RefundInHand, ms: number, trouble: string | null = null): Promise<'again'> {
    await this.parts.record.again(refund, { nextDueAt: new Date(this.parts.clock.now().getTime() + ms), trouble });
    return 'again';
  }
}

/** Of a sandbox, and of the wallet that the transfer was prepared for; null: somebody else signs. */
function keyOf(wallet: RefundWallet | undefined, version: LiveVersion): string | null {
  return wallet?.address === version.wallet ? wallet.secret : null;
}

/** What it waits for; `looked` may have found out a moment ago that it is to end. */
function endingOf({ endsAs, versions }: RefundInHand): string {
  const shown = versions.find(({ state }) => state === 'prepared') ?? versions.at(-1);
  const why = endsAs === 'cancelled' ? 'it is given up' : 'its chain took its deposit back';
  return `${ENDING}: ${why}, and a signer was shown it: it ends when its chain proves that it never got in, ${shown === undefined ? 'and not before' : provenWhen(shown.unsigned)}`;
}

const shortOf = (of: 'token' | 'fee'): string =>
  of === 'token' ? `${SHORT}: too few tokens` : `${SHORT}: too little for the fee`;

function idOf({ transactionId }: LiveVersion): string {
  if (transactionId === null) throw new Error('a version that is not signed is on no chain');
  return transactionId;
}
