import { Inject, Injectable } from '@nestjs/common';
import type { Chain } from '@vuka/domain';
import type { Clock } from '@vuka/runtime';

import { CLOCK } from '@vuka/service-host';

import { nextCheckAfterMs } from '../claims/index.js';
import { type FateKnown, type NextTurn, RecordRefund, type RefundInHand, UNSURE } from '../refunds/index.js';

/** A step of this many milliseconds at most is asked of a chain: well within a turn's lease. */
const ASK_MS = 10_000;
/** How often somebody looks whether an offline signature is still worth waiting for. */
export const UNSIGNED_AGAIN_MS = 30_000;
/** What is on its way comes to something within moments. */
export const SOON_MS = 1_000;
/**
 * Endpoints forget old transactions: "it is nowhere, and its place is used" then says the same of what got in as of what never did. It is believed only
 * of what was followed without so long a gap: none forgets within it. After one only the transfer itself is: "it is nowhere" proves nothing then either.
 */
export const FORGOTTEN_AFTER_MS = 2 * 60 * 60_000;

/** When a refund that does not go on has its next turn, and what it waits for until then; how long nothing has been heard of it. */
@Injectable()
export class TurnWaits {
  public constructor(
    @Inject(RecordRefund) private readonly record: Pick<RecordRefund, 'again'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  public now(): Date {
    return this.clock.now();
  }

  /** By when a chain has to have answered. */
  public until(): number {
    return this.clock.now().getTime() + ASK_MS;
  }

  /** Sooner at first, then after a quarter of what it has waited in its present state. */
  public nextTurn(refund: RefundInHand, { blockMs }: Chain): Pick<NextTurn, 'nextDueAt'> {
    const now = this.clock.now().getTime();
    const since = refund.troubledSince ?? refund.signedAt ?? refund.createdAt;
    return { nextDueAt: new Date(now + nextCheckAfterMs(blockMs, now - since.getTime(), false)) };
  }

  public async again(refund: RefundInHand, chain: Chain, trouble: string | null): Promise<'again'> {
    await this.record.again(refund, { ...this.nextTurn(refund, chain), trouble });
    return 'again';
  }

  public async later(refund: RefundInHand, ms: number, trouble: string | null = null): Promise<'again'> {
    await this.record.again(refund, { nextDueAt: new Date(this.clock.now().getTime() + ms), trouble });
    return 'again';
  }

  /** Nothing is known of what is signed: by outage, or since its endpoints do not agree, which ends by nothing where some have forgotten it and others have not. */
  public untold(refund: RefundInHand, chain: Chain, trouble: string): Promise<'again'> {
    const troubledMs = this.clock.now().getTime() - (refund.troubledSince ?? this.clock.now()).getTime();
    const isLong = troubledMs > FORGOTTEN_AFTER_MS && this.silentMs(refund) > FORGOTTEN_AFTER_MS;
    return isLong || refund.unsureSince !== null
      ? this.unsure(refund, chain, trouble)
      : this.again(refund, chain, trouble);
  }

  /** People have to say what became of it, until its chain has it. */
  public async unsure(
    refund: RefundInHand,
    chain: Chain,
    why: string,
    known: FateKnown | null = null,
  ): Promise<'again'> {
    await this.record.again(refund, {
      ...this.nextTurn(refund, chain),
      trouble: `${UNSURE}: ${why}`,
      isUnsure: true,
      known,
    });
    return 'again';
  }

  /** For how long its fate has not been known. */
  public silentMs({ fateKnownAt }: RefundInHand): number {
    return this.clock.now().getTime() - (fateKnownAt?.getTime() ?? 0);
  }

  /** People said within the time in which nothing is forgotten that nothing of it got in. */
  public isDeadAgreed({ deadAgreedAt }: RefundInHand): boolean {
    return this.clock.now().getTime() - (deadAgreedAt?.getTime() ?? 0) < FORGOTTEN_AFTER_MS;
  }
}
