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

/**
 * `lapsed`: another turn has begun, or it has ended. `reverted`: the deposit is gone, so it has failed.
 * `may_vanish`: the deposit is not final. `screened`, `withheld`: people decide first. `ungranted`: payments has not
 * allowed it.
 * `ending`: a signer has seen it, so it ends only when proven dead.
 */
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

/** `most` null: no limit. */
interface RentWanted {
  readonly minor: bigint;
  readonly most: bigint | null;
}

interface SignedBy {
  /** The wallet's next place on chain. A transfer behind a free place would wait for ever, so we do not sign it. */
  readonly next?: bigint | null;
  /** Who handed in the offline signature. */
  readonly broughtIn?: PeoplesWord | null;
}

/** Commits refund, transfers, deposit and event together, under the turn's fence. */
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

  /** A queued refund gives its places back, because nobody has seen a transfer for them. */
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

  /** `known`: the chain's answer for versions that are signed already. */
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
   * Voids an unsigned transfer, so that it is prepared again. `unshown`: only if no signer has seen it.
   * `void`: it no longer waits, or (`unshown`) a signer has seen it.
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

  /** Commits the signed bytes before anybody gets them. */
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
      // The chain may have the earlier version, so `broadcast` stays.
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

  /** The other versions have the same place, so they are dead. */
  public confirmed(refund: RefundInHand, version: LiveVersion): Promise<Recorded> {
    return this.commits.run(refund, (told) => endConfirmed(told, version.version, idOf(version)));
  }

  /**
   * People say that an unsure refund was sent. `unknown_transfer`: no version has this hash, and none is exported
   * unsigned. `of_another`: another refund has it. `unheld`: recorded, but its signature was never handed in.
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

  /** People say that it was never sent. It is prepared again only if the chain then agrees. */
  public agreedDead(refund: RefundNamed, word: PeoplesWord): Promise<Recorded> {
    return this.commits.run(refund, async (told, { isUnsure }) => {
      if (!isUnsure) return 'void';
      await noteWord(told, 'refund.settled', { ...word, reason: `not sent: ${word.reason}` });
      await RefundStore.agreeDead(told.tx, refund.refundId, told.now);
      return 'done';
    });
  }

  /** Final on the chain, but nothing moved. */
  public transferFailed(refund: RefundInHand, version: LiveVersion): Promise<Recorded> {
    return this.commits.run(refund, async (told) => {
      await TransferStore.settle(told.tx, refund.refundId, version.version, 'failed');
      await closeVersions(told.tx, refund.refundId);
      await endFailed(told, 'transfer_failed');
      return 'done';
    });
  }

  /**
   * These can never be included. Without another version the refund is prepared again. `taken`: the used place.
   * `place_taken`: by a transfer whose signature we do not have. `unsure`: perhaps by an exported version, and people
   * have not denied it.
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

  /** Only a queued refund: nothing was sent, and nothing can be. */
  public failed(refund: RefundNamed, reason: RefundFailure): Promise<Recorded> {
    return this.commits.run(refund, async (told, { state }) => {
      if (state !== 'queued') return 'void';
      await TransferStore.leavePlaces(told.tx, refund.refundId);
      await endFailed(told, reason);
      return 'done';
    });
  }

  /**
   * Only before it is signed here. `word` null: payments asked. `ending`: a signer has seen it, so it waits for proof.
   */
  public givenUp(refund: RefundNamed, word: PeoplesWord | null): Promise<Recorded> {
    return this.commits.run(refund, async (told, { state, endsAs }) => {
      if (state !== 'queued' && state !== 'prepared') return 'void';
      if (endsAs !== null) return 'ending';
      if (word !== null) await noteWord(told, 'refund.given_up', word);
      return endUnsent(told, 'cancelled');
    });
  }

  /** After this commit nothing is signed until people allow it. */
  public screened(refund: RefundInHand): Promise<Recorded> {
    return this.commits.run(refund, async ({ tx }) => {
      await RefundStore.mark(tx, refund.refundId);
      return 'screened';
    });
  }

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

  /** If the deposit is gone, the refund fails here. */
  public checked(refund: RefundInHand): Promise<Recorded> {
    return this.commits.run(refund, (told, locked) => standingOf(told, locked));
  }
}

const isOf = (kind: string, trouble: string | null): boolean => trouble?.startsWith(`${kind}:`) === true;

function idOf({ transactionId }: LiveVersion): string {
  if (transactionId === null) throw new Error('a version that is not signed is on no chain');
  return transactionId;
}
