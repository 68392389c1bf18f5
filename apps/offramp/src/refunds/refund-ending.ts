import type { Envelope } from '@vuka/contracts';
import type { Transaction } from '@vuka/persistence';

import { DepositStore } from '../claims/index.js';
import { PartnerStatusStore } from './partner-status.store.js';
import { append, tell, type Told } from './refund-commit.js';
import type { LockedRefund, RefundEnding } from './refund-in-hand.js';
import { RefundStore } from './refund.store.js';
import { TransferStore } from './transfer.store.js';

export type RefundFailure = Envelope<'refund.failed'>['data']['reason'];

/** Paid. `version` null: one whose signature was never handed in. */
export async function endConfirmed(told: Told, version: number | null, transactionHash: string): Promise<'done'> {
  const { tx, refund, now, sequence } = told;
  if (version !== null) await TransferStore.settle(tx, refund.refundId, version, 'final');
  await closeVersions(tx, refund.refundId);
  await DepositStore.endRefund(tx, refund.depositId, 'refunded', now);
  await tell(told, 'refund.confirmed', transactionHash);
  await RefundStore.end(tx, refund.refundId, { state: 'confirmed', reason: null, sequence, transactionHash, now });
  return 'done';
}

/** A replacement that was signed beside what counts can never be: its place is used. */
export async function closeVersions(tx: Transaction, refundId: number): Promise<void> {
  await TransferStore.voidPrepared(tx, refundId);
  await TransferStore.settle(tx, refundId, null, 'dead');
}

/** Once something is signed it is too late to ask: payments has counted the value as gone. */
export async function standingOf(
  told: Told,
  { state, isHit, isCleared, isWithheld, isGranted, isUnsure, endsAs }: LockedRefund,
): Promise<'done' | 'reverted' | 'ending' | 'ungranted' | 'may_vanish' | 'screened' | 'withheld' | 'suspended'> {
  // What is unsure may have been sent, and can get in no more: neither does it end here, nor does a signature of it send anything.
  if (state === 'signed' || state === 'broadcast' || isUnsure) return 'done';
  if (endsAs !== null) return 'ending';
  if (!isGranted) return 'ungranted';
  const standing = await DepositStore.lockRefunding(told.tx, told.refund.depositId);
  if (standing === 'may_vanish') return standing;
  if (standing !== 'gone' && !isCleared && (isHit || standing === 'screened')) return 'screened';
  if (standing !== 'gone' && isWithheld) return 'withheld';
  if (standing !== 'gone')
    return (await new PartnerStatusStore(told.tx).isSuspended(told.refund.partnerId)) ? 'suspended' : 'done';
  return (await endUnsent(told, 'deposit_reverted')) === 'done' ? 'reverted' : 'ending';
}

/**
 * Ends what is not signed here. What a signer was shown may be signed and sent by hand: payments would give the value back, or take it as never come, and the
 * chain give it too. So it waits for proof. Its place is free meanwhile: what another refund does with it is such a proof.
 * Payments need not hear of it before: after a reversal it holds nothing for the refund (refunding_deposit_vanished), and one that was sent all the same it makes a debt.
 */
export async function endUnsent(told: Told, reason: RefundEnding): Promise<'done' | 'ending'> {
  const { tx, refund: { refundId }, now } = told; // prettier-ignore
  await TransferStore.leavePlaces(tx, refundId);
  if (await TransferStore.isShownWaiting(tx, refundId)) {
    await RefundStore.beginEnding(tx, refundId, reason, now);
    return 'ending';
  }
  await TransferStore.voidPrepared(tx, refundId);
  await endFailed(told, reason);
  return 'done';
}

/** What it waited for is proven. A deposit that vanished meanwhile is the reason, whatever people asked for before. */
export async function carryOut(told: Told, endsAs: RefundEnding): Promise<'done'> {
  const isGone = (await DepositStore.lockRefunding(told.tx, told.refund.depositId)) === 'gone';
  await endFailed(told, isGone ? 'deposit_reverted' : endsAs);
  return 'done';
}

/** Nothing of it was paid: its deposit is as it was before. */
export async function endFailed(told: Told, reason: RefundFailure): Promise<void> {
  const { tx, refund, sequence, now } = told;
  await DepositStore.endRefund(tx, refund.depositId, refund.depositWas === 'consumed' ? 'consumed' : 'unapplied', now);
  await append(told, 'refund.failed', { refund_id: refund.refundId, partner_id: refund.partnerId, reason });
  await RefundStore.end(tx, refund.refundId, { state: 'failed', reason, sequence, now });
}
