import { Inject, Injectable } from '@nestjs/common';
import type { Chain } from '@vuka/domain';
import type { Clock } from '@vuka/runtime';

import { CLOCK } from '@vuka/service-host';

import { nextCheckAfterMs } from '../claims/index.js';
import { type FateKnown, type NextTurn, RecordRefund, type RefundInHand, UNSURE } from '../refunds/index.js';

/** Well within a turn's lease. */
const ASK_MS = 10_000;
export const UNSIGNED_AGAIN_MS = 30_000;
export const SOON_MS = 1_000;
/**
 * Endpoints forget old transactions, but never within this time. After a longer gap "nowhere, and its place is used"
 * proves nothing: only the transfer itself is proof.
 */
export const FORGOTTEN_AFTER_MS = 2 * 60 * 60_000;

@Injectable()
export class TurnWaits {
  public constructor(
    @Inject(RecordRefund) private readonly record: Pick<RecordRefund, 'again'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  public now(): Date {
    return this.clock.now();
  }

  public until(): number {
    return this.clock.now().getTime() + ASK_MS;
  }

  /** Soon at first, later after a quarter of the time waited. */
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

  /** Disagreeing endpoints may disagree for ever, if only some have forgotten. */
  public untold(refund: RefundInHand, chain: Chain, trouble: string): Promise<'again'> {
    const troubledMs = this.clock.now().getTime() - (refund.troubledSince ?? this.clock.now()).getTime();
    const isLong = troubledMs > FORGOTTEN_AFTER_MS && this.silentMs(refund) > FORGOTTEN_AFTER_MS;
    return isLong || refund.unsureSince !== null
      ? this.unsure(refund, chain, trouble)
      : this.again(refund, chain, trouble);
  }

  /** People decide, unless the chain shows it. */
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

  public silentMs({ fateKnownAt }: RefundInHand): number {
    return this.clock.now().getTime() - (fateKnownAt?.getTime() ?? 0);
  }

  /** Valid only while no endpoint forgets. */
  public isDeadAgreed({ deadAgreedAt }: RefundInHand): boolean {
    return this.clock.now().getTime() - (deadAgreedAt?.getTime() ?? 0) < FORGOTTEN_AFTER_MS;
  }
}
