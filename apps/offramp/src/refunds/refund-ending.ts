import type { Envelope } from '@vuka/contracts';
import type { Transaction } from '@vuka/persistence';

import { DepositStore } from '../claims/index.js';
import { PartnerStatusStore } from './partner-status.store.js';
import { append, tell, type Told } from './refund-commit.js';
import type { LockedRefund, RefundEnding } from './refund-in-hand.js';
import { RefundStore } from './refund.store.js';
import { TransferStore } from './transfer.store.js';

export type RefundFailure = Envelope<'refund.failed'>['data']['reason'];

/** `version` null: its signature was never handed in. */
export async function endConfirmed(told: Told, version: number | null, transactionHash: string): Promise<'done'> {
  const { tx, refund, now, sequence } = told;
  if (version !== null) await TransferStore.settle(tx, refund.refundId, version, 'final');
  await closeVersions(tx, refund.refundId);
  await DepositStore.endRefund(tx, refund.depositId, 'refunded', now);
  await tell(told, 'refund.confirmed', transactionHash);
  await RefundStore.end(tx, refund.refundId, { state: 'confirmed', reason: null, sequence, transactionHash, now });
  return 'done';
}

/** The place is used, so all other versions are dead. */
export async function closeVersions(tx: Transaction, refundId: number): Promise<void> {
  await TransferStore.voidPrepared(tx, refundId);
  await TransferStore.settle(tx, refundId, null, 'dead');
}

/** Once signed it is too late to stop: payments has counted the value as gone. */
export async function standingOf(
  told: Told,
  { state, isHit, isCleared, isWithheld, isGranted, isUnsure, endsAs }: LockedRefund,
): Promise<'done' | 'reverted' | 'ending' | 'ungranted' | 'may_vanish' | 'screened' | 'withheld' | 'suspended'> {
  // An unsure refund may have been sent, so it must not end here.
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
 * A transfer that a signer has seen may still be sent by hand: then payments and the chain would both give the value
 * back. So it waits for proof. Its place becomes free: another refund that uses it is such proof.
 * Payments needs no earlier notice: after a reversal it holds nothing for the refund (refunding_deposit_vanished). If
 * the transfer was sent after all, it becomes a debt.
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

/** It is proven dead. A deposit that vanished meanwhile is the reason. */
export async function carryOut(told: Told, endsAs: RefundEnding): Promise<'done'> {
  const isGone = (await DepositStore.lockRefunding(told.tx, told.refund.depositId)) === 'gone';
  await endFailed(told, isGone ? 'deposit_reverted' : endsAs);
  return 'done';
}

/** The deposit gets its earlier state back. */
export async function endFailed(told: Told, reason: RefundFailure): Promise<void> {
  const { tx, refund, sequence, now } = told;
  await DepositStore.endRefund(tx, refund.depositId, refund.depositWas === 'consumed' ? 'consumed' : 'unapplied', now);
  await append(told, 'refund.failed', { refund_id: refund.refundId, partner_id: refund.partnerId, reason });
  await RefundStore.end(tx, refund.refundId, { state: 'failed', reason, sequence, now });
}
