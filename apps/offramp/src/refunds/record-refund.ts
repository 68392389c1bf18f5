import { Inject, Injectable } from '@nestjs/common';
import type { SignedTransfer } from '@vuka/chains';
import { Database } from '@vuka/persistence';
import { type Clock, crashPoint, type WakeSignal } from '@vuka/runtime';

import { CLOCK, OUTBOX_SIGNAL } from '@vuka/service-host';

import { noteAuditEntry, noteWord, type PeoplesWord, RefundCommit, type RefundNamed, tell } from './refund-commit.js';
import { RENT_PERIOD_MS } from './refund-cost.js';
import {
  carryOut,
  closeVersions,
  endConfirmed,
  endFailed,
  endUnsent,
  type RefundFailure,
  standingOf,
} from './refund-ending.js';
import type { FateKnown, LiveVersion, NextTurn, RefundInHand } from './refund-in-hand.js';
import { COST, SCREENED, WITHHELD } from './refund-troubles.js';
import { RefundStore } from './refund.store.js';
import { type NewVersion, type TakenPlace, TransferStore } from './transfer.store.js';

/** `lapsed`: another turn has begun, or it has ended. `reverted`: the deposit is gone, and the refund has failed by that. `may_vanish`: the deposit is not final for good. `screened`, `withheld` (its partner may owe for another deposit that vanished): people decide first. `suspended`: its partner is. `ungranted`: payments has not let it be signed. `rent_spent`: refunds of its partner have cost the rent they may. `ending`: it goes out no more, and a signer was shown it: it ends when that is proven dead. */
export type Recorded =
  | 'done'
  | 'lapsed'
  | 'ending'
  | 'reverted'
  | 'ungranted'
  | 'may_vanish'
  | 'screened'
  | 'withheld'
  | 'suspended'
  | 'behind_unsigned'
  | 'rent_spent'
  | 'void';

export type AgreedSent = Recorded | 'unknown_transfer' | 'of_another' | 'unheld';

type VersionToKeep = Pick<LiveVersion, 'version' | 'wallet' | 'place'> & { readonly chain: string };

/** Of an account that is made; `most` null: whatever it costs. */
interface RentWanted {
  readonly minor: bigint;
  readonly most: bigint | null;
}

interface SignedBy {
  /** The wallet's next place where it was asked for; one that is nobody's from there on is a gap, and nothing is signed behind it. */
  readonly next?: bigint | null;
  /** Who has brought it in from an offline signer, which is an act. */
  readonly broughtIn?: PeoplesWord | null;
}

/** Commits what the turns of refunds come to: refund, transfers, deposit and event together, under the fence the turn was begun with. */
@Injectable()
export class RecordRefund {
  private readonly commits: RefundCommit;

  public constructor(
    @Inject(Database) private readonly db: Pick<Database, 'query' | 'inTransaction'>,
    @Inject(OUTBOX_SIGNAL) outboxSignal: WakeSignal,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.commits = new RefundCommit(db, outboxSignal, clock);
  }

  /** Nothing has come of it yet. One of which nothing is prepared keeps no place, not even one of a turn that died: nobody has seen it, and the next may have it. */
  public async again(refund: RefundInHand, next: NextTurn): Promise<void> {
    const now = this.clock.now();
    await this.db.inTransaction(
      async (tx) => {
        if ((await RefundStore.lock(tx, refund.refundId, refund.fence)) === undefined) return;
        if (refund.state === 'queued') await TransferStore.leavePlaces(tx, refund.refundId);
        await RefundStore.again(tx, refund, next, now);
      },
      { retries: 2 },
    );
  }

  /** A place in the wallet's order, or what it has to wait for; `lapsed`: its turn is over. */
  public takePlace(
    refund: RefundInHand,
    place: { chain: string; wallet: string; next: bigint },
  ): Promise<TakenPlace | 'lapsed'> {
    return this.db.inTransaction<TakenPlace | 'lapsed'>(
      async (tx) => {
        if ((await RefundStore.lock(tx, refund.refundId, refund.fence)) === undefined) return 'lapsed';
        return TransferStore.takePlace(tx, refund.refundId, place);
      },
      { retries: 2 },
    );
  }

  /** A transfer waits for its signature. `refund.state` stays where a version of it is signed already; `known`: what the chain says of those. `rent`: what its new account costs us. */
  public prepared(
    refund: RefundInHand,
    version: NewVersion,
    { known = null, rent = null }: { readonly known?: FateKnown | null; readonly rent?: RentWanted | null } = {},
  ): Promise<Recorded> {
    return this.commits.run(refund, async (told, locked) => {
      const standing = await standingOf(told, locked);
      if (standing !== 'done') return standing;
      const { refundId, partnerId } = refund;
      const isPaid =
        rent === null ||
        (await TransferStore.takeRent(
          told.tx,
          { refundId, partnerId, chain: refund.chain, minor: rent.minor },
          rent.most,
          new Date(told.now.getTime() - RENT_PERIOD_MS),
          told.now,
        ));
      if (!isPaid) return 'rent_spent';
      await TransferStore.add(told.tx, version, told.now);
      const state = refund.state === 'queued' ? 'prepared' : refund.state;
      await RefundStore.move(told.tx, refund.refundId, {
        state,
        sequence: locked.sequence,
        nextDueAt: told.now,
        known: known && { how: known, at: told.now },
      });
      return 'done';
    });
  }

  /**
   * What waited for its signature is prepared anew: it cannot come to anything any more, or (`unshown`) nobody has seen it. `void` where it does not wait any
   * more, or somebody has been shown it meanwhile. What nobody has seen leaves no trace. Where it is to end it ends by that.
   */
  public lapsed(refund: RefundInHand, what: 'proven' | 'unshown'): Promise<Recorded> {
    return this.commits.run(refund, async (told, locked) => {
      const { tx, now } = told;
      if (locked.state !== 'prepared') return 'void';
      const isDropped = await TransferStore.dropUnshown(tx, refund.refundId);
      if (!isDropped && what === 'unshown') return 'void';
      await TransferStore.voidPrepared(tx, refund.refundId);
      await TransferStore.leavePlaces(tx, refund.refundId);
      if (locked.endsAs !== null) return carryOut(told, locked.endsAs);
      await RefundStore.move(tx, refund.refundId, { state: 'queued', sequence: locked.sequence, nextDueAt: now });
      return 'done';
    });
  }

  /** Keeps the signed bytes, before anybody is given them. */
  public async signed(
    refund: RefundNamed,
    version: VersionToKeep,
    transfer: SignedTransfer,
    { next = null, broughtIn = null }: SignedBy = {},
  ): Promise<Recorded> {
    crashPoint('offramp.before-sign');
    const recorded = await this.commits.run(refund, async (told, locked) => {
      const { tx, now } = told;
      const standing = await standingOf(told, locked);
      if (standing !== 'done') return standing;
      const { chain, wallet, place } = version;
      const transfers = new TransferStore(tx);
      if (place !== null && (await transfers.unsignedBelow(refund.refundId, { chain, wallet, place })) !== null)
        return 'behind_unsigned';
      if (place !== null && next !== null && (await transfers.hasGapBelow({ chain, wallet, place, next })))
        return 'behind_unsigned';
      if (!(await TransferStore.sign(tx, refund.refundId, version.version, transfer, now))) return 'void';
      await tell(told, 'refund.signed', transfer.transactionId);
      if (broughtIn !== null) await noteAuditEntry(told, 'refund.signature_imported', broughtIn);
      // What the chain was given is not taken back by a replacement of it.
      const state = locked.state === 'broadcast' ? 'broadcast' : 'signed';
      await RefundStore.move(tx, refund.refundId, {
        state,
        sequence: told.sequence,
        nextDueAt: now,
        transactionHash: transfer.transactionId,
        signedAt: now,
        ...(locked.state === 'prepared' && { known: { how: 'followed', at: now } }),
      });
      return 'done';
    });
    crashPoint('offramp.after-sign');
    return recorded;
  }

  public broadcast(
    refund: RefundInHand,
    transactionId: string,
    nextDueAt: Date,
    known: FateKnown | null,
  ): Promise<Recorded> {
    return this.commits.run(refund, async (told) => {
      await tell(told, 'refund.broadcast', transactionId);
      await RefundStore.move(told.tx, refund.refundId, {
        state: 'broadcast',
        sequence: told.sequence,
        nextDueAt,
        broadcastAt: told.now,
        known: known && { how: known, at: told.now },
      });
      return 'done';
    });
  }

  /** One version is final. What else there is of it has the same place, and can never be. */
  public confirmed(refund: RefundInHand, version: LiveVersion): Promise<Recorded> {
    return this.commits.run(refund, (told) => endConfirmed(told, version.version, idOf(version)));
  }

  /**
   * As people have found out, of a refund that is unsure. `unknown_transfer`: nothing of it has this hash, and nobody was shown anything else of it.
   * `of_another`: another refund has it. `unheld`: recorded, of a transfer whose signature was never handed in.
   */
  public agreedSent(refund: RefundNamed, transactionHash: string, word: PeoplesWord): Promise<AgreedSent> {
    return this.commits.run<AgreedSent>(refund, async (told, { isUnsure, chain }) => {
      if (!isUnsure) return 'void';
      const owner = await TransferStore.ownerOf(told.tx, chain, transactionHash);
      if (owner !== undefined && owner.refundId !== refund.refundId) return 'of_another';
      const version = owner?.version ?? null;
      if (version === null && !(await TransferStore.hasShownUnsigned(told.tx, refund.refundId)))
        return 'unknown_transfer';
      await noteWord(told, 'refund.settled', { ...word, reason: `sent by ${transactionHash}: ${word.reason}` });
      await endConfirmed(told, version, transactionHash);
      return version === null ? 'unheld' : 'done';
    });
  }

  /** As people have found out, of a refund that is unsure: nothing of it ever got in. It is prepared anew where its chain says so too, in its next turn. */
  public agreedDead(refund: RefundNamed, word: PeoplesWord): Promise<Recorded> {
    return this.commits.run(refund, async (told, { isUnsure }) => {
      if (!isUnsure) return 'void';
      await noteWord(told, 'refund.settled', { ...word, reason: `not sent: ${word.reason}` });
      await RefundStore.agreeDead(told.tx, refund.refundId, told.now);
      return 'done';
    });
  }

  /** Final on the chain, and nothing moved. */
  public transferFailed(refund: RefundInHand, version: LiveVersion): Promise<Recorded> {
    return this.commits.run(refund, async (told) => {
      await TransferStore.settle(told.tx, refund.refundId, version.version, 'failed');
      await closeVersions(told.tx, refund.refundId);
      await endFailed(told, 'transfer_failed');
      return 'done';
    });
  }

  /**
   * Those are proven to be nowhere for ever. Where no other is left it is prepared anew. `taken`: by their place, which something else has used that we
   * have no signature of (`place_taken`); `unsure` where that may be a version of this refund which somebody was shown, and people have not said no to it.
   */
  public dead(
    refund: RefundInHand,
    versions: readonly LiveVersion[],
    { taken, isAgreed }: { readonly taken: bigint | null; readonly isAgreed: boolean },
  ): Promise<Recorded | 'unsure' | 'place_taken'> {
    const isLeft = refund.versions.some((one) => one.state === 'signed' && !versions.includes(one));
    return this.commits.run<Recorded | 'unsure' | 'place_taken'>(refund, async (told, { state, sequence, endsAs }) => {
      const { tx, now } = told;
      const isTaken = taken !== null && !isLeft;
      if (isTaken && (await TransferStore.hasShownUnsigned(tx, refund.refundId, taken)) && !isAgreed) return 'unsure';
      for (const { version } of versions) await TransferStore.settle(tx, refund.refundId, version, 'dead');
      if (!isLeft) {
        await TransferStore.voidPrepared(tx, refund.refundId);
        await TransferStore.leavePlaces(tx, refund.refundId);
      }
      if (!isLeft && endsAs !== null) return carryOut(told, endsAs);
      await RefundStore.move(tx, refund.refundId, {
        state: isLeft ? (state as RefundInHand['state']) : 'queued',
        sequence,
        nextDueAt: now,
      });
      return isTaken ? 'place_taken' : 'done';
    });
  }

  /** Nothing was sent, and nothing ever will be: of what is not prepared, or not any more. */
  public failed(refund: RefundNamed, reason: RefundFailure): Promise<Recorded> {
    return this.commits.run(refund, async (told, { state }) => {
      if (state !== 'queued') return 'void';
      await TransferStore.leavePlaces(told.tx, refund.refundId);
      await endFailed(told, reason);
      return 'done';
    });
  }

  /** Given up, before it is signed here; `word` null: by payments. `ending`: a signer was shown it, so it is noted, and carried out when its chain has proven that it never got in. */
  public givenUp(refund: RefundNamed, word: PeoplesWord | null): Promise<Recorded> {
    return this.commits.run(refund, async (told, { state, endsAs }) => {
      if (state !== 'queued' && state !== 'prepared') return 'void';
      if (endsAs !== null) return 'ending';
      if (word !== null) await noteWord(told, 'refund.given_up', word);
      return endUnsent(told, 'cancelled');
    });
  }

  /** Screening has its recipient on the list: from this commit on nothing of it is signed before people have let it go. */
  public screened(refund: RefundInHand): Promise<Recorded> {
    return this.commits.run(refund, async ({ tx }) => {
      await RefundStore.mark(tx, refund.refundId);
      return 'screened';
    });
  }

  /** People let one go that waits for what screening says, for what its partner may owe, or for what its transfer costs. */
  public cleared(refund: RefundNamed, word: PeoplesWord): Promise<Recorded> {
    return this.commits.run(refund, async (told, { trouble, endsAs }) => {
      const { tx, now } = told;
      if (endsAs !== null) return 'void';
      if (!isOf(SCREENED, trouble) && !isOf(WITHHELD, trouble) && !isOf(COST, trouble)) return 'void';
      await noteWord(told, 'refund.let_go', word);
      if (isOf(COST, trouble)) {
        await RefundStore.allowCost(tx, refund.refundId, now);
        return 'done';
      }
      await (isOf(WITHHELD, trouble)
        ? RefundStore.releaseClaim(tx, refund.refundId, now)
        : RefundStore.clear(tx, refund.refundId, now));
      return 'done';
    });
  }

  /** Whether the deposit is there to stay, and nobody has to look first. Where it is gone the refund fails by it. */
  public checked(refund: RefundInHand): Promise<Recorded> {
    return this.commits.run(refund, (told, locked) => standingOf(told, locked));
  }
}

const isOf = (kind: string, trouble: string | null): boolean => trouble?.startsWith(`${kind}:`) === true;

function idOf({ transactionId }: LiveVersion): string {
  if (transactionId === null) throw new Error('a version that is not signed is on no chain');
  return transactionId;
}
